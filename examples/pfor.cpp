// pfor.cpp - a parallel loop with grain 1 and an empty body: what a split costs.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include "common.h"

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[n]");
    long n = args.number(0, 2000000);
    Stopwatch watch;
    tbb::parallel_for(
        tbb::blocked_range<long>(0, n, 1),
        [](const tbb::blocked_range<long> &r) {
            asm volatile("" : : "r"(r.begin()));
        },
        tbb::simple_partitioner());
    double ms = watch.ms();
    std::printf("%ld iterations\n", n);
    std::fprintf(stderr, "%.3f ms, %ld tasks\n", ms, n);
}
