/* clock.c - choosing a clock, its unit, and what is common to all; see clock.h.
 *
 * The tsc clock lives in clock_tsc.c, counters in clock_counter.c.
 */
#define _GNU_SOURCE
#include "clock.h"
#include <cpuid.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include "clock_source.h"

enum clock_kind clock_kind;
uint64_t clock_gap;

static char counter_name[64];
static uint64_t start_tsc, start_ns;    /* one pair read at set-up, for the tick ratio */
static uint64_t early_num, early_den;   /* ratio calibrated at set-up */

static uint64_t raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* A TSC value and the time at which it was read, as close as a few tries allow. */
static void read_pair(uint64_t *tsc, uint64_t *ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t a = __rdtsc(), t = raw_ns(), b = __rdtsc();
        if (b - a < best) {
            best = b - a;
            *tsc = a + (b - a) / 2;
            *ns = t;
        }
    }
}

/* The ratio over the whole run so far is the precise one: the error of the two pairs (tens of ns)
 * is spread over it. Before 2 ms have passed, wait for them once. */
static void ratio(uint64_t *num, uint64_t *den)
{
    uint64_t tsc, ns;
    read_pair(&tsc, &ns);
    if (early_num && ns - start_ns < 2000000) {
        *num = early_num;
        *den = early_den;
        return;
    }
    *num = ns - start_ns;
    *den = tsc - start_tsc;
}

int clock_setup(const char *name, const char **why)
{
    int result = 0;
    clock_kind = CLOCK_TSC;
    read_pair(&start_tsc, &start_ns);
    uint64_t tsc, ns;
    do
        read_pair(&tsc, &ns);
    while (ns - start_ns < 2000000);
    early_num = ns - start_ns;
    early_den = tsc - start_tsc;
    clock_gap = early_den * 50 / (early_num / 1000);    /* 50 us in ticks */
    tsc_setup();
    if (!strcmp(name, "virtual"))
        clock_kind = CLOCK_VIRTUAL;
    else if (!strcmp(name, "wall"))
        clock_kind = CLOCK_WALL;
    else if (strcmp(name, "tsc")) {
        result = counter_setup(name, why);
        if (!result) {
            strncpy(counter_name, name, sizeof counter_name - 1);
            clock_kind = CLOCK_COUNTER;
        }
    }
    return result;
}

void clock_unit(uint64_t *num, uint64_t *den)
{
    *num = *den = 1;
    if (clock_kind == CLOCK_TSC || clock_kind == CLOCK_WALL)
        ratio(num, den);
    else if (clock_kind == CLOCK_COUNTER && !counter_is_time())
        *num = 0;
}

uint64_t clock_ticks_to_ns(uint64_t ticks)
{
    uint64_t num, den;
    ratio(&num, &den);
    return (uint64_t)((__uint128_t)ticks * num / den);
}

const char *clock_name(void)
{
    switch (clock_kind) {
    case CLOCK_WALL: return "wall";
    case CLOCK_VIRTUAL: return "virtual";
    case CLOCK_COUNTER: return counter_name;
    default: return "tsc";
    }
}

const char *clock_detail(void)
{
    switch (clock_kind) {
    case CLOCK_TSC: return tsc_detail();
    case CLOCK_WALL: return "time-stamp counter, not corrected for time off the CPU";
    case CLOCK_VIRTUAL: return "costs declared by the program";
    default: return "perf_event counter, one a thread";
    }
}

void clock_thread_start(struct clock_thread *c)
{
    memset(c, 0, sizeof *c);
    c->counter_fd = -1;
    tsc_thread_start(c);
    if (clock_kind == CLOCK_COUNTER)
        counter_thread_start(c);
}

void clock_thread_stop(struct clock_thread *c)
{
    tsc_thread_stop(c);
    counter_thread_stop(c);
}

void clock_thread_forked(struct clock_thread *c)
{
    if (clock_kind == CLOCK_COUNTER) {
        counter_thread_stop(c);
        counter_thread_start(c);
    }
    tsc_thread_start(c);
}
