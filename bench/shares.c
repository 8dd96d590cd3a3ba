/* shares.c KIND SEED MS [calls] - a critical path that is 60/30/10 through part_a, part_b and
 * part_c, for MS of CPU time. KIND: MS of one round through the three; random: 0 to 20 ms each;
 * phases: one round. Prints what each part did: steps of one loop. With `calls` there is a system
 * call between two parts, and it prints the CPU ns of each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned sink;
static uint64_t state = 88172645463325252u;
static long spent[3];
static double steps_per_ms, done;
static bool calls;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) / 0x1p53;
}

/* No clock inside: its samples would be another function's. */
#define PART(name)                                  \
    __attribute__((noinline)) void name(double ms)  \
    {                                               \
        for (long n = ms * steps_per_ms; n-- > 0;)  \
            sink = sink + 1;                        \
    }
PART(part_a)
PART(part_b)
PART(part_c)

static void round_of(double ms)
{
    static void (*const parts[3])(double) = { part_a, part_b, part_c };
    static const double share[3] = { 0.6, 0.3, 0.1 };
    done += ms;
    for (int i = 0; i < 3; i++) {
        long start = calls ? now() : 0;
        parts[i](ms * share[i]);
        spent[i] += calls ? now() - start : (long)(ms * share[i] * steps_per_ms);
    }
}

static void *nothing(void *p)
{
    return p;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    calls = argc > 4;
    double every = atof(argv[1]), all = atof(argv[3]);
    state ^= strtoull(argv[2], 0, 10) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 20; i++)
        uniform();
    pthread_t t;                /* or it would leave no profile */
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    long start = now();
    for (int i = 0; i < 2000000; i++)
        sink = sink + 1;
    steps_per_ms = 2e12 / (now() - start);
    if (!strcmp(argv[1], "phases"))
        round_of(all);
    else
        while (done < all)
            round_of(every > 0 ? every : 20 * uniform());
    printf("%ld %ld %ld\n", spent[0], spent[1], spent[2]);
    return 0;
}
