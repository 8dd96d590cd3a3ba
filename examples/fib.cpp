// fib.cpp - Cilkprof's figure 5 in TBB: recursive Fibonacci without a cutoff, one spawn and one
// call a node. Nothing but overhead: the program for measuring what a profiler costs a task.
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>
#include "common.h"

static long fib(long n)
{
    if (n < 2)
        return n;
    long x, y;
    tbb::task_group group;
    group.run([&] { x = fib(n - 1); });
    y = fib(n - 2);
    group.wait();
    return x + y;
}

static long fib_two(long n)
{
    if (n < 2)
        return n;
    long x, y;
    tbb::task_group group;
    group.run([&] { x = fib_two(n - 1); });
    group.run([&] { y = fib_two(n - 2); });
    group.wait();
    return x + y;
}

static long fib_invoke(long n)
{
    if (n < 2)
        return n;
    long x, y;
    tbb::parallel_invoke([&] { x = fib_invoke(n - 1); }, [&] { y = fib_invoke(n - 2); });
    return x + y;
}

static long nodes(long n) { return n < 2 ? 0 : 1 + nodes(n - 1) + nodes(n - 2); }

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[n] [one|two|invoke]");
    long n = args.number(0, 30);
    const char *form = args.count > 1 ? args.values[1] : "one";
    Stopwatch watch;
    long result, tasks = nodes(n);
    if (!std::strcmp(form, "one"))
        result = fib(n);
    else if (!std::strcmp(form, "two"))
        result = fib_two(n), tasks *= 2;
    else
        result = fib_invoke(n), tasks *= 2;
    double ms = watch.ms();
    std::printf("fib(%ld) = %ld\n", n, result);
    std::fprintf(stderr, "%.3f ms, %ld tasks\n", ms, tasks);
}
