/* clock.h - what a strand costs: one reading of the thread's cost clock.
 *
 * The contract of every clock: clock_now(c) never decreases on one thread, advances only while
 * that thread runs (on-CPU, except `wall`), and differences are the cost of what ran in between.
 * Readings of different threads are not comparable; only differences on one thread are used.
 *
 * The default, `tsc`, reads the time-stamp counter and subtracts what the thread spent off the CPU.
 * The kernel clears rseq->rseq_cs at every context switch. So if our descriptor still stands there,
 * the TSC difference since the last reading was on-CPU time. Otherwise one slow reading re-anchors
 * against CLOCK_THREAD_CPUTIME_ID. So does a reading after more than clock_gap ticks, which bounds
 * the time that a hypervisor can steal unseen. docs/CLOCKS.md has the figures.
 *
 * [hook] clock_now: only the thread that owns C calls it; async-signal-safe, preserves errno. A
 * handler may interrupt a reading and read the same clock. Its value may then lag by the
 * interrupted reading, and the interrupted reading may lie above the handler's by the noise of an
 * anchor (some 100 ns).
 */
#ifndef PRELOAD_CLOCK_H
#define PRELOAD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <x86intrin.h>

/* Without this, -fPIC reaches even hidden variables through the GOT: -fvisibility=hidden is about
 * definitions, not about extern declarations. */
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
    volatile uint64_t *armed; /* the word that holds clock_armed_value while the thread has not left
                                 the CPU; without rseq a word that always does, so that the gap rule
                                 alone decides */
    /* Slow readings only. True value at CPU time x: base_value + ticks(x - base_cpu). What is given
     * out differs from it by no more than the noise of an anchor, and never accumulates it. */
    uint64_t base_value;                /* ticks; modulo 2^64 */
    uint64_t base_cpu;                  /* CLOCK_THREAD_CPUTIME_ID, ns */
    uint64_t reanchors;                 /* slow readings, for the report */
    /* ticks off the CPU that slow readings found, and that the engine has not taken yet */
    uint64_t off;
    uint64_t own;                       /* ticks of slow readings: no value contains them */
    /* what a signal handler gets that interrupts a slow reading */
    uint64_t busy_value;
    uint32_t busy;                      /* 1: inside a slow reading */
    uint64_t virtual_now;               /* CLOCK_VIRTUAL: the sum of libprof_cost() */
    /* CLOCK_COUNTER */
    int counter_fd;                     /* perf_event fd, -1 none */
    void *counter_page;                 /* its mmap page (user-space rdpmc), NULL: read() */
    /* the kernel's id of the event: proves that counter_fd is ours */
    uint64_t counter_id;
    /* added to the counter: what earlier ones (fork) had counted */
    uint64_t counter_base;
    uint64_t counter_last;              /* the last value given out */
};

extern enum clock_kind clock_kind;      /* written once by clock_setup, before any hook records */
extern uint64_t clock_gap;              /* ticks after which a tsc reading re-anchors; 0: always */
extern uint64_t clock_quick_gap;        /* the same; 0: no reading is a quick one */
extern uint64_t clock_armed_value;      /* address of the rseq descriptor; written by clock_setup */

/* [init] Choose the clock by NAME ("tsc", "wall", "virtual", or a libpfm4 event name such as
 * "instructions", "cycles", "page-faults"). Returns 0; or -errno with *WHY set to a static one-line
 * reason (what is missing, how to get it); the clock is then tsc. Also calibrates the TSC. */
int clock_setup(const char *name, const char **why);

/* [init, writer] ns = cost * num / den for the clock in force; num = 0 when it does not count time.
 * The ratio of the TSC is measured over the whole run so far: ask late. */
void clock_unit(uint64_t *num, uint64_t *den);
/* [init] Every reading is a slow one from now on: scenarios need every cost. */
void clock_tell_all(void);
/* [any] raw TSC ticks to ns, by the same ratio: ns = ticks * num / den. Asked for once, some us,
 * for all that shall add up. And back, by the best ratio known so far. */
struct clock_rate { uint64_t num, den; };
struct clock_rate clock_rate(void);
static inline uint64_t clock_ns(struct clock_rate r, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * r.num / r.den);
}
uint64_t clock_ns_to_ticks(uint64_t ns);
/* [any] clock_gettime(CLOCK) in ns by a direct system call: not interposable, no errno; 0: failed.
 */
uint64_t clock_read_ns(int clock);
/* [hook] For the slow readings: improve the ratio if TSC says that it is time to. True: it was
 * done. */
bool clock_refine(uint64_t tsc);
/* [any] the name for reports: "tsc", "wall", "virtual", "instructions", ... */
const char *clock_name(void);
/* [any] one line: how off-CPU time is detected here ("rseq + 50 us gap rule", "gap rule only",
 * ...). */
const char *clock_detail(void);

/* [hook] The calling thread begins / ends using C. Never called in a signal handler. */
void clock_thread_start(struct clock_thread *c);
void clock_thread_stop(struct clock_thread *c);
/* [hook] In the child of fork, for the calling thread: kernel state is gone, re-anchor. The clock
 * goes on from the last value that it gave. */
void clock_thread_forked(struct clock_thread *c);

/* [writer] Another thread's clock, read from outside: about what clock_now would say there now. C
 * is read as it is; the caller checks that the thread took no reading meanwhile (c->last). TID: the
 * thread's. False: the thread is gone, or the clock cannot be read from outside. */
bool clock_peek(const struct clock_thread *c, uint32_t tid, uint64_t *value);

uint64_t clock_now_slow(struct clock_thread *c) __attribute__((noinline));

/* A quick reading of the tsc clock into *NOW. False, and nothing has happened, if a slow one is
 * due: after a switch or a signal (without rseq a signal shows at the next gap only), or after GAP
 * ticks; quick: also with any other clock. */
static inline bool clock_now_within(struct clock_thread *c, uint64_t gap, uint64_t *now)
{
    /* The order of these four reads matters, and volatile keeps it. TSC before word: a switch
     * between them clears the word. TSC before `last`: a signal handler between them that
     * re-anchored left last > t, so that the gap test (unsigned) fails. */
    uint64_t t = __rdtsc();
    uint64_t word = *c->armed;
    uint64_t offset = *(volatile uint64_t *)&c->offset;
    uint64_t last = *(volatile uint64_t *)&c->last;
    if (__builtin_expect(word != clock_armed_value || t - last >= gap, 0))
        return false;
    c->last = t;
    *now = t - offset;
    return true;
}

static inline bool clock_now_quick(struct clock_thread *c, uint64_t *now)
{
    return clock_now_within(c, clock_quick_gap, now);
}

/* Sets *SLOW if there may be an off-CPU gap or a sample; else leaves it alone. */
static inline uint64_t clock_now_telling(struct clock_thread *c, bool *slow)
{
    uint64_t now;
    if (__builtin_expect(clock_now_quick(c, &now), 1))
        return now;
    *slow = true;
    return clock_now_slow(c);
}

static inline uint64_t clock_now(struct clock_thread *c)
{
    bool slow;
    return clock_now_telling(c, &slow);
}

#pragma GCC visibility pop

#endif
