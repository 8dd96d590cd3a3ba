# what: MUMPS, a solver of sparse linear equations in Fortran, on two MPI ranks: of real and complex numbers
# packages: mumps-test openmpi-bin
# needs: /usr/lib/mumps/dsimpletest mpirun.openmpi
# profile: dsimpletest zsimpletest
# limit: 600
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=1
solution() {
    awk '/Solution is/ { gsub(/[(),]/, " "); for (i = 3; i <= NF; i++) printf "%.6f ", $i; print "" }' \
        out
}
on_two() { mpirun.openmpi --oversubscribe -n 2 "$@"; }
on_two /usr/lib/mumps/dsimpletest </usr/lib/mumps/input_simpletest_real >out
echo "dsimpletest $?"
solution
on_two /usr/lib/mumps/zsimpletest </usr/lib/mumps/input_simpletest_cmplx >out
echo "zsimpletest $?"
solution
