/* clock_bench.c - what a clock reading costs and how right it is. docs/CLOCKS.md quotes it.
 *
 *   make && bench/clock.sh [seconds]
 *
 * Cost: rounds over all clocks, interleaved so that a noisy neighbour hits all alike; medians.
 * Error: twice as many busy threads as CPUs, against CLOCK_THREAD_CPUTIME_ID, in total and point by
 * point. The time of the slow readings themselves is libprof's own and not part of the clock; it is
 * measured here and added back before comparing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
#include "clock.h"

uint64_t tsc_now_slow(struct clock_thread *c, uint64_t tsc);     /* what clock_now takes when it
                                                                    cannot be quick */

#define ROUNDS 41
#define READINGS 20000

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(double *sorted, size_t n, double p)
{
    return n ? sorted[(size_t)(p * (n - 1))] : 0;
}

static uint64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* ---- cost ---- */

static struct clock_thread c;

enum { EMPTY, RDTSC, RDTSCP, CPUTIME, SLOW, FIRST_CLOCK };
static const char *const clocks[] = { "tsc", "wall", "virtual", "task-clock", "page-faults" };
#define KINDS (FIRST_CLOCK + (int)(sizeof clocks / sizeof *clocks))

#define TIMED(n, expression)                                        \
    ({                                                              \
        uint64_t begin_ = wall_ns();                                \
        for (int i_ = 0; i_ < (n); i_++) {                          \
            uint64_t v_ = (expression);                             \
            __asm__ volatile("" : : "r"(v_) : "memory");            \
        }                                                           \
        (double)(wall_ns() - begin_) / (n);                         \
    })

static double cost_of(int kind)
{
    unsigned aux;
    switch (kind) {
    case EMPTY: return TIMED(READINGS, 0);
    case RDTSC: return TIMED(READINGS, cpu_counter());
    case RDTSCP: return TIMED(READINGS, __rdtscp(&aux));
    case CPUTIME: return TIMED(READINGS / 10, clock_read_ns(CLOCK_THREAD_CPUTIME_ID));
    }
    const char *why = "";
    if (clock_setup(kind == SLOW ? "tsc" : clocks[kind - FIRST_CLOCK], &why))
        return -1;
    clock_thread_start(&c);
    double ns = kind == SLOW
                    ? TIMED(READINGS / 10, tsc_now_slow(&c, cpu_counter()))
                    : TIMED(clock_kind == CLOCK_COUNTER ? READINGS / 10 : READINGS, clock_now(&c));
    clock_thread_stop(&c);
    return ns;
}

static void costs(void)
{
    static double ns[KINDS][ROUNDS];
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < KINDS; k++)
            ns[k][r] = cost_of(k);
    static const char *const plain[] = { "(empty loop)", "(rdtsc)", "(rdtscp)",
                                         "(THREAD_CPUTIME_ID)", "tsc, slow reading" };
    printf("cost, ns a reading: median and quartiles of %d interleaved rounds\n", ROUNDS);
    for (int k = 0; k < KINDS; k++) {
        qsort(ns[k], ROUNDS, sizeof **ns, by_value);
        printf("  %-22s %8.2f   %8.2f %8.2f\n",
               k < FIRST_CLOCK ? plain[k] : clocks[k - FIRST_CLOCK], percentile(ns[k], ROUNDS, .5),
               percentile(ns[k], ROUNDS, .25), percentile(ns[k], ROUNDS, .75));
    }
}

/* ---- error ---- */

#define POINTS 400000

struct worker {
    pthread_t thread;
    struct clock_thread clock;
    double seconds;
    unsigned spin;              /* work between two readings */
    double cpu_ns, clock_ns, own_ns;
    long switches;
    uint64_t readings, backwards;
    double *point;              /* |error| of each stretch between two looks at both clocks */
    size_t points;
};

static double tick_ns;          /* ns a tick, from the whole run */

static inline uint64_t read_clock(struct worker *w, double *own_ticks)
{
    uint64_t before = w->clock.reanchors, a = cpu_counter();
    uint64_t v = clock_now(&w->clock);
    uint64_t b = cpu_counter();
    /* own time, if it was not preempted; a slow reading that was counts as a usual one */
    if (w->clock.reanchors != before)
        *own_ticks += b - a < 20000 ? b - a : 1500;
    w->readings++;
    return v;
}

static void *busy(void *arg)
{
    struct worker *w = arg;
    struct rusage u0, u1;
    double own = 0, own_at = 0;
    clock_thread_start(&w->clock);
    getrusage(RUSAGE_THREAD, &u0);
    uint64_t end = wall_ns() + (uint64_t)(w->seconds * 1e9);
    uint64_t cpu0 = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), v0 = read_clock(w, &own);
    uint64_t cpu = cpu0, v = v0, seen = v0;
    own = 0;
    while (wall_ns() < end) {
        for (int i = 0; i < 200; i++) {
            for (volatile unsigned s = 0; s < w->spin; s++)
                ;
            uint64_t now = read_clock(w, &own);
            w->backwards += now < seen;
            seen = now;
        }
        uint64_t x = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), y = read_clock(w, &own);
        w->backwards += y < seen;
        seen = y;
        if (w->points < POINTS) {
            double error = (double)(x - cpu) - ((double)(y - v) + own - own_at) * tick_ns;
            w->point[w->points++] = error < 0 ? -error : error;
        }
        cpu = x;
        v = y;
        own_at = own;
    }
    getrusage(RUSAGE_THREAD, &u1);
    w->cpu_ns = cpu - cpu0;
    w->clock_ns = (v - v0) * tick_ns;
    w->own_ns = own_at * tick_ns;
    w->switches = u1.ru_nvcsw + u1.ru_nivcsw - u0.ru_nvcsw - u0.ru_nivcsw;
    clock_thread_stop(&w->clock);
    return 0;
}

static void errors(double seconds, unsigned spin, const char *what)
{
    int n = 2 * sysconf(_SC_NPROCESSORS_ONLN);
    struct worker *w = calloc(n, sizeof *w);
    uint64_t num, den;
    clock_unit(&num, &den);
    tick_ns = (double)num / den;
    for (int i = 0; i < n; i++) {
        w[i].seconds = seconds;
        w[i].spin = spin;
        w[i].point = malloc(POINTS * sizeof(double));
        memset(w[i].point, 0, POINTS * sizeof(double));     /* no faults while we measure */
        pthread_create(&w[i].thread, 0, busy, &w[i]);
    }
    printf("error, %d busy threads, %.0f s, %s\n", n, seconds, what);
    size_t points = 0;
    for (int i = 0; i < n; i++) {
        pthread_join(w[i].thread, 0);
        points += w[i].points;
        printf("  thread %d: cpu %.4f s, relative error %+.2e, own time %.2e, %lu readings, %ld "
               "switches, "
               "%lu re-anchors, %lu backwards\n",
               i, w[i].cpu_ns / 1e9, (w[i].clock_ns + w[i].own_ns - w[i].cpu_ns) / w[i].cpu_ns,
               w[i].own_ns / w[i].cpu_ns, (unsigned long)w[i].readings, w[i].switches,
               (unsigned long)w[i].clock.reanchors, (unsigned long)w[i].backwards);
    }
    double *all = malloc(points * sizeof *all);
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        memcpy(all + at, w[i].point, w[i].points * sizeof *all);
        at += w[i].points;
    }
    qsort(all, points, sizeof *all, by_value);
    printf("  pointwise |error|, ns, over %zu stretches: median %.0f  p90 %.0f  p99 %.0f  p99.9 "
           "%.0f  max %.0f\n",
           points, percentile(all, points, .5), percentile(all, points, .9),
           percentile(all, points, .99), percentile(all, points, .999), percentile(all, points, 1));
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 4;
    setvbuf(stdout, 0, _IOLBF, 0);
    costs();
    const char *why = "";
    clock_setup("tsc", &why);
    uint64_t num, den;
    clock_unit(&num, &den);
    printf("tsc: %s; %.4f ticks a ns; gap %lu ticks\n", clock_detail(), (double)den / num,
           (unsigned long)clock_gap);
    errors(seconds, 10, "a reading every ~30 ns");
    errors(seconds, 4000, "a reading every ~1 us");
    errors(seconds, 400000, "a reading every ~100 us: the gap rule at each");
    return 0;
}
