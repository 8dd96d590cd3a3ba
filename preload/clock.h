/* clock.h - what a strand costs: one reading of the thread's cost clock.
 *
 * The contract of every clock: clock_now(c) never decreases on one thread, advances only while
 * that thread runs (on-CPU, except `wall`), and differences are the cost of what ran in between.
 * Readings of different threads are not comparable; only differences on one thread are used.
 *
 * The default, `tsc`, reads the time-stamp counter and subtracts what the thread spent off the CPU.
 * The kernel tells us through rseq: it clears rseq->rseq_cs at every context switch, so "our
 * descriptor is still there" proves that the TSC difference since the last reading was on-CPU time.
 * Otherwise (or after clock_gap ticks, which bounds time stolen by a hypervisor) one slow reading
 * re-anchors against CLOCK_THREAD_CPUTIME_ID.
 *
 * [hook] clock_now: thread owning C only, async-signal-safe, preserves errno.
 */
#ifndef PRELOAD_CLOCK_H
#define PRELOAD_CLOCK_H

#include <stdint.h>
#include <x86intrin.h>

enum clock_kind {
    CLOCK_TSC,          /* on-CPU time stamp counter */
    CLOCK_WALL,         /* time stamp counter, uncorrected */
    CLOCK_VIRTUAL,      /* advanced by libprof_cost() alone */
    CLOCK_COUNTER,      /* a perf_event counter named through libpfm4: instructions, cycles, ... */
};

/* Per-thread clock state; embedded in struct thread, touched by its thread only. */
struct clock_thread {
    uint64_t offset;                    /* on-CPU ticks = tsc - offset */
    uint64_t last;                      /* raw tsc of the last reading */
    volatile uint64_t *armed;           /* the word that holds clock_armed_value while the thread has not
                                           left the CPU; without rseq a word that never does */
    uint64_t base_value, base_cpu;      /* last anchor: clock value, and CPU time in ticks */
    uint64_t virtual_now;               /* CLOCK_VIRTUAL: the sum of libprof_cost() */
    uint64_t reanchors;                 /* slow readings, for the report */
    int counter_fd;                     /* CLOCK_COUNTER: perf_event fd, -1 none */
    void *counter_page;                 /* its mmap page (user-space rdpmc), NULL: read() */
};

extern enum clock_kind clock_kind;      /* written once by clock_setup, before any hook records */
extern uint64_t clock_gap;              /* ticks after which a tsc reading re-anchors */
extern uint64_t clock_armed_value;      /* address of the rseq descriptor; written by clock_setup */

/* [init] Choose the clock by NAME ("tsc", "wall", "virtual", or a libpfm4 event name such as
 * "instructions", "cycles", "page-faults"). Returns 0; or -errno with *WHY set to a static one-line
 * reason (what is missing, how to get it); the clock is then tsc. Also calibrates clock_tick_ratio. */
int clock_setup(const char *name, const char **why);

/* [init] ns = cost * num / den for the clock in force; num = 0 when it does not count time. */
void clock_unit(uint64_t *num, uint64_t *den);
/* [any] raw TSC ticks to ns. */
uint64_t clock_ticks_to_ns(uint64_t ticks);
/* [any] the name for reports: "tsc", "wall", "virtual", "instructions", ... */
const char *clock_name(void);
/* [any] one line: how off-CPU time is detected here ("rseq + 50 us gap rule", "gap rule only", ...). */
const char *clock_detail(void);

/* [hook] The calling thread begins / ends using C. Never called in a signal handler. */
void clock_thread_start(struct clock_thread *c);
void clock_thread_stop(struct clock_thread *c);
/* [hook] In the child of fork, for the calling thread: kernel state is gone, re-anchor. */
void clock_thread_forked(struct clock_thread *c);

uint64_t clock_now_slow(struct clock_thread *c, uint64_t tsc);
uint64_t clock_now_counter(struct clock_thread *c);

static inline uint64_t clock_now(struct clock_thread *c)
{
    if (__builtin_expect(clock_kind == CLOCK_TSC, 1)) {
        uint64_t t = __rdtsc();         /* read the TSC first, then the flag */
        if (__builtin_expect((*c->armed == clock_armed_value) & (t - c->last < clock_gap), 1)) {
            c->last = t;
            return t - c->offset;
        }
        return clock_now_slow(c, t);
    }
    if (clock_kind == CLOCK_VIRTUAL)
        return c->virtual_now;
    if (clock_kind == CLOCK_WALL)
        return __rdtsc();
    return clock_now_counter(c);
}

#endif
