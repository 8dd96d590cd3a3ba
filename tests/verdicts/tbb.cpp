// tbb.cpp - see openmp.c.
//
//     tbb tasks N US      N tasks of US microseconds, by a parallel_for of grain 1
//     tbb steps N         N steps of a simulation: compute_force in a parallel_for, then the serial
//                         rebuild_grid
//     tbb fib N           tasks without a cutoff
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tbb/tbb.h>
#include "spin.h"

static __attribute__((noinline)) void compute_force(int) { ROUNDS(100); }
static __attribute__((noinline)) void rebuild_grid() { ROUNDS(4000); }

static __attribute__((noinline)) void step()
{
    tbb::parallel_for(tbb::blocked_range<int>(0, 100, 1), [](const tbb::blocked_range<int> &r) {
        for (int i = r.begin(); i < r.end(); i++)
            compute_force(i);
    }, tbb::simple_partitioner());
    rebuild_grid();
}

static long fib(int n)
{
    if (n < 2)
        return n;
    long x, y;
    tbb::task_group g;
    g.run([&] { x = fib(n - 1); });
    y = fib(n - 2);
    g.wait();
    return x + y;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 0;
    double us = argc > 3 ? atof(argv[3]) : 0;
    calibrate();
    if (!strcmp(what, "tasks"))
        tbb::parallel_for(tbb::blocked_range<int>(0, n, 1),
                          [=](const tbb::blocked_range<int> &r) {
                              for (int i = r.begin(); i < r.end(); i++)
                                  spin(us);
                          },
                          tbb::simple_partitioner());
    else if (!strcmp(what, "steps"))
        for (int i = 0; i < n; i++)
            step();
    else if (!strcmp(what, "fib"))
        std::printf("%ld\n", fib(n));
    else
        return 2;
}
