# what: PT-Scotch on two MPI ranks: a mesh of 40,000 vertices is divided into eight parts, and ordered for a solver
# packages: ptscotch openmpi-bin
# needs: dgpart dgord mpirun.openmpi
# profile: dgpart dgord
# limit: 600
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=1
awk 'BEGIN {
    n = 200
    print 0
    print n * n, 4 * n * (n - 1)
    print 0, "000"
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++) {
            k = 0; s = ""; at = y * n + x
            if (x) { s = s " " at - 1; k++ }
            if (x < n - 1) { s = s " " at + 1; k++ }
            if (y) { s = s " " at - n; k++ }
            if (y < n - 1) { s = s " " at + n; k++ }
            print k s
        }
}' >mesh.src
on_two() { mpirun.openmpi --oversubscribe -n 2 "$@" </dev/null; }
# d: deterministic, f: a fixed seed
on_two dgpart 8 mesh.src parts -Cdf
echo "dgpart $?"
awk 'NR > 1 { n[$2]++ } END { for (p in n) print p, n[p] }' parts | sort -n
cksum <parts
on_two dgord mesh.src order -Cdf
echo "dgord $?"
awk 'NR > 1 { print $2 }' order | sort -n | uniq | wc -l
cksum <order
