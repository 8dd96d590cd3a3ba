# what: ScaLAPACK's tests on two MPI ranks of MPICH: LU and Cholesky factors, least squares, eigenvalues, of dense and band matrices
# packages: scalapack-mpi-test mpich
# needs: /usr/lib/x86_64-linux-gnu/scalapack/mpich-tests/xdlu mpiexec.mpich
# profile: xdlu xdllt xdls xdqr xdtrd xddblu
# limit: 600
export OMP_NUM_THREADS=1
at=/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests
cp "$at"/*.dat .
for test in xdlu xdllt xdls xdqr xdtrd xddblu; do
    mpiexec.mpich -n 2 "$at/$test" >out 2>err </dev/null
    echo "$test $?"
    # some compare what no code has written (pdlacon), and then gfortran notes a denormal number
    grep -v '^Note: The following floating-point exceptions' err >&2
    # what was right, without times
    grep -oE 'PASSED|FAILED' out | sort | uniq -c
    grep -E 'tests (completed|passed|failed|skipped)|[0-9]+ tests ' out
done
