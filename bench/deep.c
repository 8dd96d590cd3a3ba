/* deep.c DEPTH ROUNDS - a fixed amount of work at a fixed stack depth; prints its own CPU time,
 * ns. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((noinline)) static void work(long rounds)
{
    for (long i = 0; i < rounds; i++)
        sink = sink * 5 + 1;
}

__attribute__((noinline)) static void down(int depth, long rounds)
{
    if (depth > 0)
        down(depth - 1, rounds);
    else
        work(rounds);
    sink++;                     /* no tail call */
}

int main(int argc, char **argv)
{
    down(argc > 1 ? atoi(argv[1]) : 10, argc > 2 ? atol(argv[2]) : 400000000);
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    printf("%ld\n", t.tv_sec * 1000000000l + t.tv_nsec);
}
