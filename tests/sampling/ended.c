/* ended.c - the main thread and one that it started burn CPU time until a signal ends the process,
 * on the one that was started. Prints the CPU time of both, in ns. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { EACH = 100000000 };
static clockid_t mains;
static volatile long sink;

static long ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

static void burn(void)
{
    for (long i = 0; i < 1000000; i++)
        sink = sink + i;
}

static void *started(void *unused)
{
    while (ns(CLOCK_THREAD_CPUTIME_ID) < EACH || ns(mains) < EACH)
        burn();
    printf("%ld\n", ns(CLOCK_THREAD_CPUTIME_ID) + ns(mains));
    fflush(stdout);
    raise(SIGINT);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_getcpuclockid(pthread_self(), &mains);
    pthread_create(&t, NULL, started, NULL);
    for (;;)
        burn();
}
