/* stopwatch.c - preloaded alone, it times a program over what libprof.so would have seen of it:
 * from the constructors of preloaded libraries to the last exit handler, without the loader before
 * and the kernel's clearing up behind. Appends to the file STOPWATCH, in ms: elapsed, CPU time, and
 * how long its threads could have run but other processes had the CPUs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double started[2];

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Of the threads that there still are: runtimes keep theirs. */
static double delay(void)
{
    double sum = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *e; threads && (e = readdir(threads));) {
        char name[300];
        unsigned long long ran, waited = 0;
        snprintf(name, sizeof name, "/proc/self/task/%s/schedstat", e->d_name);
        FILE *f = fopen(name, "re");
        if (f && fscanf(f, "%llu %llu", &ran, &waited) == 2)
            sum += waited / 1e6;
        if (f)
            fclose(f);
    }
    if (threads)
        closedir(threads);
    return sum;
}

static void stop(int status, void *unused)
{
    double elapsed = now(CLOCK_MONOTONIC) - started[0],
           cpu = now(CLOCK_PROCESS_CPUTIME_ID) - started[1];
    FILE *f = fopen(getenv("STOPWATCH"), "ae");
    (void)status;
    (void)unused;
    if (f) {
        fprintf(f, "%.3f %.3f %.3f\n", elapsed, cpu, delay());
        fclose(f);
    }
}

__attribute__((constructor(101))) static void start(void)
{
    if (!getenv("STOPWATCH"))
        return;
    on_exit(stop, 0);
    started[0] = now(CLOCK_MONOTONIC);
    started[1] = now(CLOCK_PROCESS_CPUTIME_ID);
}
