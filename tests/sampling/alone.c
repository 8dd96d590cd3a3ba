/* alone.c - the main thread computes by itself, with other programs beside it: before the first
 * event that libprof records (BEFORE ms of CPU time), and after the last (AFTER ms). In between a
 * thread computes for 50 ms, so that there are off-CPU samples. With -fopenmp, a region of two
 * threads does: when it begins, the main thread is between strands.
 *
 *     alone BEFORE AFTER
 *
 * Prints the ns for which the main thread was ready in these parts, and had no processor, by the
 * kernel's count.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void compute(double ms)
{
    static _Thread_local volatile long sink;
    for (double end = cpu_ms() + ms; cpu_ms() < end;)
        for (int i = 0; i < 100000; i++)
            sink += i;
}

static void *thread(void *unused)
{
    compute(50);
    return unused;
}

static unsigned long long delay_ns(void)
{
    unsigned long long ran, delay = 0;
    FILE *f = fopen("/proc/self/schedstat", "r");
    if (!f || fscanf(f, "%llu %llu", &ran, &delay) != 2)
        exit(77);
    fclose(f);
    return delay;
}

/* Computes for MS; returns the delay meanwhile. */
static unsigned long long part(double ms)
{
    unsigned long long from = delay_ns();
    compute(ms);
    return delay_ns() - from;
}

static void together(void)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
    thread(0);
#else
    pthread_t t;
    if (pthread_create(&t, 0, thread, 0))
        exit(2);
    pthread_join(t, 0);
#endif
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned long long delay = part(atof(argv[1]));
    together();
    delay += part(atof(argv[2]));
    printf("%llu\n", delay);
    return 0;
}
