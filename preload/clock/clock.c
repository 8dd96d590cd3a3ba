/* clock.c - chooses a clock and its unit; see clock.h.
 *
 * tsc.c is the tsc clock, tsc_rate.c the rate of the time-stamp counter, counter.c the counters.
 */
#define _GNU_SOURCE
#include "clock/clock.h"
#include "arch/system_call.h"
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "clock/source.h"
#include "base/kernel.h"
#include "base/memory.h"
#include "base/forbid.h"

#define GAP_NS 50000

READ_MOSTLY enum clock_kind clock_kind;
READ_MOSTLY uint64_t clock_quick_gap;
READ_MOSTLY uint64_t clock_gap;
READ_MOSTLY uint64_t clock_short_gap;

static char counter_name[64];

uint64_t clock_now_slow(struct clock_thread *c)
{
    uint64_t now;
    if (__builtin_expect(clock_kind == CLOCK_TSC, 1))
        return clock_now_within(c, &clock_gap, &now) ? now : tsc_now_slow(c, clock_ticks());
    uint64_t t = c->last = clock_ticks();
    if (clock_kind == CLOCK_VIRTUAL)
        return c->virtual_now;
    if (clock_kind == CLOCK_WALL)
        return t;
    return clock_now_counter(c);
}

bool clock_peek(const struct clock_thread *c, uint32_t tid, uint64_t *value)
{
    switch (clock_kind) {
    case CLOCK_TSC: return tsc_peek(c, tid, value);
    case CLOCK_WALL: *value = clock_ticks(); return true;
    case CLOCK_VIRTUAL: *value = c->virtual_now; return true;
    case CLOCK_COUNTER: return counter_peek(c, value);
    }
    return false;
}

uint64_t clock_read_ns(int clock)
{
    struct timespec t;
    if (__builtin_expect(kernel_closed, 0))
        return 0;
    bool of_cpu = clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID ||
                  clock == CLOCK_THREAD_CPUTIME_ID;
    if ((of_cpu || !tsc_kernels_clock(clock, &t)) &&
        system_call2(SYS_clock_gettime, clock, (long)&t))
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* ---- the contract ---- */

void clock_start(void)
{
    tsc_start();
}

int clock_setup(const char *name, const char **why)
{
    clock_kind = CLOCK_TSC;
    tsc_measure_rate();
    /* 0: every reading is a slow one */
    clock_gap = tsc_invariant() ? clock_ns_to_ticks(GAP_NS) : 0;
    tsc_setup();
    if (!strcmp(name, "virtual")) {
        clock_kind = CLOCK_VIRTUAL;
    } else if (!strcmp(name, "wall")) {
        clock_kind = CLOCK_WALL;
    } else if (strcmp(name, "tsc")) {
        if (strlen(name) >= sizeof counter_name) {
            *why = "the name is too long for an event (63 bytes)";
            return -ENAMETOOLONG;
        }
        int r = counter_setup(name, why);
        if (r)
            return r;
        strcpy(counter_name, name);
        clock_kind = CLOCK_COUNTER;
    }
    clock_quick_gap = clock_short_gap = clock_kind == CLOCK_TSC ? clock_gap : 0;
    return 0;
}

void clock_slow_only(void)
{
    clock_quick_gap = clock_short_gap = 0;
}

bool clock_counts_ticks(void)
{
    return clock_kind == CLOCK_WALL || (clock_kind == CLOCK_TSC && clock_gap);
}

void clock_unit(uint64_t *num, uint64_t *den)
{
    struct clock_rate r = { 1, 1 };
    if (clock_counts_ticks())
        r = clock_rate();
    else if (clock_kind == CLOCK_COUNTER && !counter_is_time())
        r.num = 0;
    *num = r.num;
    *den = r.den;
    /* virtual: the program's unit is taken for ns; tsc with clock_gap == 0 counts in ns */
}

bool clock_is_time(void)
{
    return clock_kind != CLOCK_VIRTUAL && (clock_kind != CLOCK_COUNTER || counter_is_time());
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
    case CLOCK_WALL: return "time-stamp counter, not corrected for time off the CPU";
    case CLOCK_VIRTUAL: return "costs declared by the program";
    case CLOCK_COUNTER: return "perf_event counter, one a thread";
    default: return tsc_detail();
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
    if (clock_kind == CLOCK_COUNTER)
        counter_thread_stop(c);
}

void clock_thread_forked(struct clock_thread *c)
{
    tsc_thread_start(c);
    if (clock_kind == CLOCK_COUNTER) {
        c->counter_page = 0;            /* the kernel does not copy such mappings to a child */
        counter_thread_stop(c);         /* the inherited descriptor counts the parent */
        counter_thread_start(c);
    }
}
