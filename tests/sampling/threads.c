/* threads.c - a program of threads without a runtime, whose idle time is known: one works alone,
 * then four, one of them longer. Prints ns of wall time: alone, the four together, each of them
 * summed. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static volatile unsigned sink;

static long ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

#define BURNER(name)                                                                               \
    __attribute__((noinline)) void name(int ms)                                                    \
    {                                                                                              \
        for (long end = ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000l;                               \
             ns(CLOCK_THREAD_CPUTIME_ID) < end;)                                                   \
            for (int i = 0; i < 2000; i++)                                                         \
                sink = sink + i;                                                                   \
        __asm__ volatile("# " #name); /* no two are the same code */                               \
    }
BURNER(serial)
BURNER(longer)
BURNER(shorter)

static pthread_barrier_t all;

static void *routine(void *p)
{
    long start = ns(CLOCK_MONOTONIC), *wall = p;
    pthread_barrier_wait(&all);
    if (*wall)
        longer(400);
    else
        shorter(100);
    *wall = ns(CLOCK_MONOTONIC) - start;
    return 0;
}

int main(void)
{
    long start = ns(CLOCK_MONOTONIC), wall[4] = { 1, 0, 0, 0 }, sum = 0;
    pthread_t t[4];
    serial(300);
    printf("alone %ld\n", ns(CLOCK_MONOTONIC) - start);
    pthread_barrier_init(&all, 0, 4);
    start = ns(CLOCK_MONOTONIC);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, routine, &wall[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], 0);
        sum += wall[i];
    }
    printf("together %ld\nthreads %ld\n", ns(CLOCK_MONOTONIC) - start, sum);
    return 0;
}
