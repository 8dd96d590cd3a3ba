# what: HPC Challenge on two MPI ranks: linear equations, matrix transposition, random access, FFT, bandwidth
# packages: hpcc openmpi-bin
# needs: hpcc mpirun.openmpi
# profile: hpcc
# limit: 600
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=1
# N 200 in blocks of 32 on a grid of 1 x 2; the other lines are those of the package's example
cat >hpccinf.txt <<'END_OF_INPUT'
HPLinpack benchmark input file

HPL.out
8
1
200
1
32
0
1
1
2
16.0
1
2
1
4
1
2
1
1
1
1
1
1
2
64
0
0
1
8

0

0

END_OF_INPUT
mpirun.openmpi --oversubscribe -n 2 hpcc </dev/null
echo "hpcc $?"
# what was right, without times and rates
grep -E '^(Success|CommWorldProcs|HPL_N|HPL_NB|HPL_nprow|HPL_npcol|MPIFFT_Procs)=' hpccoutf.txt
# hpcc leaves out the lines of CPU time for which the clock has counted none
grep -v '^CPU' hpccoutf.txt | grep -oE 'PASSED|FAILED' | sort | uniq -c
