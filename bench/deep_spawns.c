/* deep_spawns.c DEPTH ROUNDS - a function that calls itself DEPTH times and creates a task each
 * time, ROUNDS times over; ms on stderr. What a spawn costs far below its task's entry:
 * docs/CALL-PATHS.md. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long sum;

__attribute__((noinline)) static void down(int n)
{
    if (!n)
        return;
#pragma omp task
    sum += n;
    down(n - 1);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    int depth = argc > 2 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 0;
    struct timespec from, to;
    if (depth < 1 || rounds < 1) {
        fprintf(stderr, "usage: deep_spawns DEPTH ROUNDS\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
#pragma omp parallel num_threads(1)
    for (int i = 0; i < rounds; i++)
        down(depth);
    clock_gettime(CLOCK_MONOTONIC, &to);
    fprintf(stderr, "%.3f ms, %d tasks\n",
            (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6, depth * rounds);
    return sum != (long)rounds * depth * (depth + 1L) / 2;
}
