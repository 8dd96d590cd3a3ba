/* clock.h - what a strand costs: one reading of the thread's cost clock.
 *
 * The contract of every clock:
 *   - clock_now(c) never decreases on one thread;
 *   - it advances only while that thread is on the CPU (`wall` also off it);
 *   - the difference of two readings is the cost of the code between them.
 * Readings of different threads are not comparable.
 *
 * The default, `tsc`, reads the time-stamp counter and subtracts the thread's time off the CPU. The
 * kernel clears rseq->rseq_cs when it preempts the thread or sends it a signal. Older kernels clear
 * it at every context switch. So if our descriptor is still there, and the gap is short, the TSC
 * difference since the last reading was on-CPU time. Otherwise one slow reading takes a new anchor
 * from CLOCK_THREAD_CPUTIME_ID. A reading after more than clock_gap ticks is slow, too. That bounds
 * the time that a hypervisor can steal unseen. docs/CLOCKS.md has the figures.
 *
 * Who reads it. All readers but the last are one comparison, clock_at_within, with what they do if
 * it fails:
 *   clock_now_short   fails: the caller takes its slow way, and reads there by clock_now_again. The
 *                     gap also bounds the part, so that it is no outlier. Short ways of the engine
 *   clock_now_again   right after that: takes that reading if only its gap was too short for
 *                     clock_now_short, else a slow one
 *   clock_now_quick   fails: the caller reads by clock_now_slow (dag/own_overhead.c)
 *   clock_now_noting  fails: a slow reading; the caller looks for samples and time off the CPU
 *   clock_now         fails: a slow reading. Where no strand runs: starts, ends and idle threads
 *   clock_now_slow    the slow reading itself
 *   clock_peek        another thread's clock, for snapshots
 *
 * [hook] clock_now: only the thread that owns C calls it; async-signal-safe, preserves errno. A
 * handler may interrupt a reading and read the same clock. The handler's value may then lag by the
 * length of the interrupted reading. The interrupted reading may be above the handler's value by
 * the noise of an anchor (some 100 ns).
 */
#ifndef PRELOAD_CLOCK_CLOCK_H
#define PRELOAD_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "base/inline.h"
#include "clock/ticks.h"

/* Without this pragma, -fPIC reads these variables through the GOT: -fvisibility=hidden applies to
 * definitions, not to extern declarations. */
#pragma GCC visibility push(hidden)

enum clock_kind {
    CLOCK_TSC,          /* on-CPU time stamp counter */
    CLOCK_WALL,         /* time stamp counter, uncorrected */
    CLOCK_VIRTUAL,      /* advanced by libprof_cost() alone */
    CLOCK_COUNTER,      /* a perf_event counter named through libpfm4: instructions, cycles, ... */
};

/* Per-thread clock state; embedded in struct thread, touched by its thread only. */
struct clock_thread {
    /* The hot line: on-CPU ticks = tsc - offset, valid while *armed == clock_armed_value. */
    uint64_t offset;
    uint64_t last;                      /* raw tsc of the last reading, whatever the clock */
    /* This word holds clock_armed_value while the thread has not left the CPU. Without rseq it
     * always does, so that the gap rule alone decides. */
    volatile uint64_t *armed;
    /* Slow readings only. The true value at CPU time x is base_value + ticks(x - base_cpu). The
     * clock's value differs from it by the noise of one anchor at most: errors do not add up. */
    uint64_t base_value;                /* ticks; modulo 2^64 */
    uint64_t base_cpu;                  /* CLOCK_THREAD_CPUTIME_ID, ns */
    uint64_t reanchors;                 /* slow readings, for the report */
    /* ticks off the CPU that slow readings found, and that the engine has not taken yet */
    uint64_t off;
    uint64_t own;                       /* ticks of slow readings: no value contains them */
    uint64_t tried;                     /* raw tsc of the last quick reading that was refused */
    /* the value for a signal handler that interrupts a slow reading */
    uint64_t busy_value;
    uint32_t busy;                      /* 1: inside a slow reading */
    uint32_t disturbed;                 /* slow readings in a row of which every try failed */
    uint64_t virtual_now;               /* CLOCK_VIRTUAL: the sum of libprof_cost() */
    /* CLOCK_COUNTER */
    int counter_fd;                     /* perf_event fd, -1 none */
    void *counter_page;                 /* its mmap page (user-space rdpmc), NULL: read() */
    /* the kernel's id of the event: proves that counter_fd is ours */
    uint64_t counter_id;
    /* added to the counter: the counts of earlier counters (before a fork) */
    uint64_t counter_base;
    uint64_t counter_last;              /* the last value given out */
};

extern enum clock_kind clock_kind;      /* written once by clock_setup, before any hook records */
extern uint64_t clock_gap;              /* ticks after which a tsc reading re-anchors; 0: always */
extern uint64_t clock_quick_gap;        /* the same for quick readings; 0: no reading is quick */
/* The same for the engine's short ways. They leave longer parts to the slow ways
 * (dag/typical.h). */
extern uint64_t clock_short_gap;
extern uint64_t clock_armed_value;      /* address of the rseq descriptor; written by clock_setup */

/* [any] The number of the CPU that the thread runs on; -1: not known. errno is untouched. */
int clock_cpu(void);
/* [hook] At the first event: uses the rate of the counter that the processor states. */
void clock_settle(void);
/* [any] Are the clock's units time? */
bool clock_is_time(void);
/* [init] May come before clock_setup, which then takes some us less. */
void clock_start(void);
/* [init] Chooses the clock by NAME: "tsc", "wall", "virtual", or a libpfm4 event name such as
 * "instructions", "cycles", "page-faults". Also calibrates the TSC. Returns 0 or -errno. On an
 * error the clock is tsc, and *WHY is a static one-line reason: what is missing, how to get it. */
int clock_setup(const char *name, const char **why);

/* [any] Are the clock's units ticks of the TSC? Then clock_unit waits until their rate is known. */
bool clock_counts_ticks(void);
/* [init, writer] The ratio for the clock in force: ns = cost * num / den. num = 0: the clock does
 * not count time. The TSC's ratio is measured over the run so far: a later call is more exact. */
void clock_unit(uint64_t *num, uint64_t *den);
/* [init] Every reading is a slow one from now on: scenarios need every cost. */
void clock_slow_only(void);
/* [any] Raw TSC ticks to ns, by the same ratio: ns = ticks * num / den. clock_rate takes some us.
 * Figures that must add up need one ratio, from one call. clock_ns_to_ticks converts back, by the
 * best ratio known so far. */
struct clock_rate { uint64_t num, den; };
struct clock_rate clock_rate(void);
static inline uint64_t clock_ns(struct clock_rate r, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * r.num / r.den);
}
uint64_t clock_ns_to_ticks(uint64_t ns);
/* [any] clock_gettime(CLOCK) in ns, by a direct system call: the program cannot interpose it, and
 * errno stays. 0: the call failed. */
uint64_t clock_read_ns(int clock);
/* [hook] For slow readings: measures the ratio again if that is due at TSC. True: it was. */
bool clock_refine(uint64_t tsc);
/* [any] the name for reports: "tsc", "wall", "virtual", "instructions", ... */
const char *clock_name(void);
/* [any] One line: how the clock detects off-CPU time here, such as "gap rule only". */
const char *clock_detail(void);

/* [hook] The calling thread begins / ends using C. Never called in a signal handler. */
void clock_thread_start(struct clock_thread *c);
void clock_thread_stop(struct clock_thread *c);
/* [hook] In the child of fork, for the calling thread. The kernel's state is gone, so this takes a
 * new anchor. The clock goes on from its last value. */
void clock_thread_forked(struct clock_thread *c);

/* [writer] Reads the clock C of another thread, TID: about the value of clock_now there now. The
 * caller must check that the thread took no reading meanwhile (c->last). False: the thread is gone,
 * or the clock cannot be read from outside. */
bool clock_peek(const struct clock_thread *c, uint32_t tid, uint64_t *value);

uint64_t clock_now_slow(struct clock_thread *c) __attribute__((noinline));

/* The reading T of the TSC as one of the tsc clock, into *NOW. False, without any effect, if a slow
 * reading is due:
 *   - after a switch or a signal (without rseq only the next gap shows a signal);
 *   - after *GAP ticks;
 *   - always, if *GAP is 0: clock_quick_gap is 0 with other clocks.
 * A pointer: the variable is read where it is compared, so it takes no register before. */
static ALWAYS_INLINE bool clock_at_within(struct clock_thread *c, uint64_t t, const uint64_t *gap,
                                          uint64_t *now)
{
    /* T was read before the word: a switch between them clears the word. T was read before `last`:
     * a signal handler between them that re-anchored left last > t, so that the gap test (unsigned)
     * fails. Volatile keeps the order. */
    uint64_t word = *c->armed;
    uint64_t offset = *(volatile uint64_t *)&c->offset;
    uint64_t last = *(volatile uint64_t *)&c->last;
    if (__builtin_expect(word != clock_armed_value || t - last >= *gap, 0))
        return false;
    c->last = t;
    *now = t - offset;
    return true;
}

static ALWAYS_INLINE bool clock_now_within(struct clock_thread *c, const uint64_t *gap,
                                           uint64_t *now)
{
    uint64_t t = clock_ticks();
    if (__builtin_expect(clock_at_within(c, t, gap, now), 1))
        return true;
    c->tried = t;
    return false;
}

static ALWAYS_INLINE bool clock_now_quick(struct clock_thread *c, uint64_t *now)
{
    return clock_now_within(c, &clock_quick_gap, now);
}

/* The same with clock_short_gap. */
static ALWAYS_INLINE bool clock_now_short(struct clock_thread *c, uint64_t *now)
{
    return clock_now_within(c, &clock_short_gap, now);
}

/* Sets *SLOW if there may have been an off-CPU gap or a sample; else leaves *SLOW alone. */
static inline uint64_t clock_now_noting(struct clock_thread *c, bool *slow)
{
    uint64_t now;
    if (__builtin_expect(clock_now_quick(c, &now), 1))
        return now;
    *slow = true;
    return clock_now_slow(c);
}

/* The same, right after clock_now_short was false. If only its gap was too short, that reading
 * serves: what libprof did since then belongs to no strand. */
static inline uint64_t clock_now_again(struct clock_thread *c, bool *slow)
{
    uint64_t now;
    if (__builtin_expect(clock_at_within(c, c->tried, &clock_quick_gap, &now), 1))
        return now;
    *slow = true;
    return clock_now_slow(c);
}

static inline uint64_t clock_now(struct clock_thread *c)
{
    bool slow;
    return clock_now_noting(c, &slow);
}

#pragma GCC visibility pop

#endif
