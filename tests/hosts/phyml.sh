# what: PhyML on two MPI ranks: the tree of eight sequences, and how certain its branches are by four bootstraps
# packages: phyml openmpi-bin
# needs: phyml-mpi mpirun.openmpi
# profile: phyml-mpi
# limit: 900
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=1
# a sequence of 300, and copies in which more and more letters differ
awk 'BEGIN {
    srand(1)
    seed = 7
    print 8, 300
    for (s = 0; s < 8; s++) {
        printf "species%d  ", s
        for (i = 0; i < 300; i++) {
            if (!s) { seed = (seed * 1103 + 12345) % 65521; at[i] = seed % 4 }
            seed = (seed * 1103 + 12345) % 65521
            if (seed % 100 < 4 + s) at[i] = (at[i] + 1 + seed % 3) % 4
            printf "%s", substr("ACGT", at[i] + 1, 1)
        }
        print ""
    }
}' >seqs
mpirun.openmpi --oversubscribe -n 2 phyml-mpi -i seqs -b 4 --r_seed 1 --no_memory_check >out 2>&1 </dev/null
echo "phyml $?"
grep -E 'Log-likelihood:|Number of taxa|Tree size' seqs_phyml_stats* | sed 's/  */ /g'
sed 's/:\([0-9.]*\)/:/g' seqs_phyml_tree*
