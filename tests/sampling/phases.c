/* phases.c - one thread works, sleeps, then works with another one, 200 ms each. Prints when each
 * phase ended, in ns since the start, and the CPU time of main and of "helper" in it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PHASE = 200000000 };

static long helped;

static long now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

/* Works for a phase; returns the CPU time that it had. */
static long work(void)
{
    long end = now(CLOCK_MONOTONIC) + PHASE, cpu = now(CLOCK_THREAD_CPUTIME_ID);
    while (now(CLOCK_MONOTONIC) < end)
        for (volatile int i = 0; i < 100000; i++)
            ;
    return now(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

static void *helper(void *does)
{
    pthread_setname_np(pthread_self(), "helper");
    helped = does ? work() : 0;
    return 0;
}

static void helper_and(void (*f)(void), void *does)
{
    pthread_t t;
    pthread_create(&t, 0, helper, does);
    if (f)
        f();
    pthread_join(t, 0);
}

static long start, cpu;

static void works(void)
{
    cpu = work();
}

static void ended(void)
{
    printf("%ld %ld %ld\n", now(CLOCK_MONOTONIC) - start, cpu, helped);
    cpu = helped = 0;
}

int main(void)
{
    start = now(CLOCK_MONOTONIC);
    helper_and(0, 0);           /* the first event: off-CPU samples begin */
    works();
    ended();
    usleep(PHASE / 1000);
    ended();
    helper_and(works, &start);
    ended();
    return 0;
}
