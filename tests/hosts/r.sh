# what: R with OpenBLAS: products of matrices, children (mcparallel, mclapply) between and beside them, a cluster of sockets
# packages: r-base-core libopenblas0-pthread
# needs: Rscript /usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3
# profile: R
# OpenBLAS ends and joins its threads in a fork handler, and starts them again at the next product.
# (A busy machine must not decide how many threads it starts.)
export LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/openblas-pthread OPENBLAS_NUM_THREADS=2
cat >r.R <<'R'
library(parallel)
m <- matrix((1:250000 %% 7) / 7, 500)
sums <- function(k) sum(m %*% m) * k
for (k in 1:5) {
    p <- sums(k)
    job <- mcparallel(sum(1:k))
    q <- sums(k)
    print(c(p == q, unlist(mccollect(job), use.names = FALSE)))
}
print(unlist(mclapply(1:6, function(k) { crossprod(m)[k, k] }, mc.cores = 3)))
cat(system("echo shell", intern = TRUE), sum(m %*% m), "\n")
cluster <- makePSOCKcluster(2)
print(unlist(parLapply(cluster, 1:4, function(k) k * k)))
stopCluster(cluster)
quit(status = 7)
R
Rscript --vanilla r.R
echo "status $?"
