/* fib.c - recursive Fibonacci without a cutoff: nothing but overhead, the program for measuring
 * what a profiler costs a task. `two` makes two tasks of a node; `one` makes one and calls itself
 * for the other, whose taskwait then waits for the caller's task as well: a taskwait belongs to the
 * task, not to the function.
 */
#include "common.h"

static long fib_two(long n)
{
    if (n < 2)
        return n;
    long x, y;
#pragma omp task shared(x)
    x = fib_two(n - 1);
#pragma omp task shared(y)
    y = fib_two(n - 2);
#pragma omp taskwait
    return x + y;
}

static long fib_one(long n)
{
    if (n < 2)
        return n;
    long x, y;
#pragma omp task shared(x)
    x = fib_one(n - 1);
    y = fib_one(n - 2);
#pragma omp taskwait
    return x + y;
}

static long nodes(long n) { return n < 2 ? 0 : 1 + nodes(n - 1) + nodes(n - 2); }

int main(int argc, char **argv)
{
    arguments(argc, argv, "[n] [two|one]");
    long n = number(0, 27, 0), result = 0;
    int one = chosen(1, "one");
    double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    result = one ? fib_one(n) : fib_two(n);
    double ms = ms_since(start);
    printf("fib(%ld) = %ld\n", n, result);
    fprintf(stderr, "%.3f ms, %ld tasks\n", ms, nodes(n) * (one ? 1 : 2));
    return 0;
}
