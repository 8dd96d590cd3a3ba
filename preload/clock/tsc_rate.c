/* tsc_rate.c - how fast the time-stamp counter runs: its ticks per ns.
 *
 * The first measurement takes some us, in which start-up does other work, and is exact to 2 %. Most
 * processes end before a better rate matters. At the first event libprof asks CPUID, which takes
 * some 10 us a question on a virtual machine. If CPUID states the rate, and the measurement agrees,
 * libprof uses the stated rate for the first second. Otherwise it uses the measured rate. Each
 * later measurement is more exact, because the error of its two readings (some 50 ns) is spread
 * over the time since the start. It is 1e-3 after the 0.1 ms that a profile takes at least, and
 * 1e-7 after a second. Slow readings measure again each time the run has become four times as long.
 * clock_rate also measures again.
 *
 * The kernel's own object in each process, the vDSO, reads the clock without a system call. Where
 * there is none (valgrind), libprof makes the call.
 *
 * The mmap page of a perf event would state the rate, too. But some sandboxes kill a process that
 * calls perf_event_open (seccomp, systemd's SystemCallFilter), so libprof does not call it unasked.
 */
#define _GNU_SOURCE
#include "clock/source.h"
#include "arch/cpu.h"
#include <time.h>
#include "base/kernel.h"
#include "base/lookup.h"
#include "base/forbid.h"

#define LEAST_NS 100000         /* for a profile */
#define ROUGH 64                /* the first measurement may be wrong by this part of the rate */
/* CPUID's rate is rounded to kHz. A measurement over a longer time is better. */
#define EXACT_UNTIL_NS 1000000000u

struct pair { uint64_t tsc, ns, width; };       /* CLOCK_MONOTONIC_RAW was ns at tsc +- width / 2 */

static struct pair start;       /* written by tsc_start */
static bool started;            /* tsc_start was called, and tsc_measure_rate was not, since */
static int (*kernels)(clockid_t, struct timespec *);    /* the vDSO's; NULL: none. By tsc_start */
/* 32.32 fixed point. Written by tsc_measure_rate, then by improve and clock_settle. Relaxed:
 * any of its values is good, and each is better than the one before. */
static uint64_t ticks_per_ns;
static uint64_t refine_at;      /* TSC of the next measurement; the thread that measures moves it */
static bool rough;              /* ticks_per_ns has its first value; relaxed */
static bool exact;              /* ticks_per_ns is CPUID's, and the run is young */

static uint64_t raw_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC_RAW);
}

bool tsc_kernels_clock(int clock, struct timespec *t)
{
    return kernels && !kernels(clock, t);
}

static struct pair read_pair(void)
{
    struct pair best = { .width = UINT64_MAX };
    for (int i = 0; i < (kernels ? 12 : 4); i++) {
        uint64_t a = clock_ticks(), ns = raw_ns(), b = clock_ticks();
        if (b - a < best.width)
            best = (struct pair){ a + (b - a) / 2, ns, b - a };
    }
    return best;
}

/* The rate from START to P. 0: it is not credible, because the counter was reset or the machine
 * slept. */
static uint64_t rate_to(const struct pair *p)
{
    if (p->ns <= start.ns || p->tsc <= start.tsc)
        return 0;
    uint64_t rate = (uint64_t)(((__uint128_t)(p->tsc - start.tsc) << 32) / (p->ns - start.ns));
    uint64_t known = __atomic_load_n(&ticks_per_ns, __ATOMIC_RELAXED);
    uint64_t off = rate > known ? rate - known : known - rate;
    unsigned part = __atomic_load_n(&rough, __ATOMIC_RELAXED) ? ROUGH / 2 : 512;
    return known && off > known / part ? 0 : rate;
}

/* The same, and it becomes the rate if it is credible. */
static uint64_t improve(const struct pair *p)
{
    uint64_t rate = rate_to(p);
    if (rate) {
        __atomic_store_n(&ticks_per_ns, rate, __ATOMIC_RELAXED);
        __atomic_store_n(&rough, false, __ATOMIC_RELAXED);
    }
    return rate;
}

bool clock_refine(uint64_t tsc)
{
    uint64_t due = __atomic_load_n(&refine_at, __ATOMIC_RELAXED);
    if ((int64_t)(tsc - due) < 0 ||
        !__atomic_compare_exchange_n(&refine_at, &due, start.tsc + (tsc - start.tsc) * 4, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    struct pair p = read_pair();
    improve(&p);
    return true;
}

struct clock_rate clock_rate(void)
{
    struct pair p = read_pair();
    bool stated = __atomic_load_n(&exact, __ATOMIC_ACQUIRE);
    while (!stated && p.ns - start.ns < LEAST_NS)
        p = read_pair();
    if ((stated && p.ns - start.ns < EXACT_UNTIL_NS) || !improve(&p))
        return (struct clock_rate){ 1ull << 32, __atomic_load_n(&ticks_per_ns, __ATOMIC_RELAXED) };
    return (struct clock_rate){ p.ns - start.ns, p.tsc - start.tsc };
}

uint64_t clock_ns_to_ticks(uint64_t ns)
{
    return (uint64_t)((__uint128_t)ns * __atomic_load_n(&ticks_per_ns, __ATOMIC_RELAXED) >> 32);
}

void tsc_start(void)
{
    *(const void **)&kernels = lookup_first(CPU_KERNELS_CLOCK);
    start = read_pair();
    started = true;
}

void tsc_measure_rate(void)
{
    if (!started)
        tsc_start();
    started = false;
    ticks_per_ns = 0;
    struct pair p;
    /* An emulated or stolen CPU gives wide pairs. Wait until the width does not matter, nor a tick
     * at each end, but no longer than LEAST_NS. */
    do
        p = read_pair();
    while ((start.width + p.width + 2) * ROUGH > p.tsc - start.tsc &&
           p.ns - start.ns < LEAST_NS);
    ticks_per_ns = rate_to(&p);
    rough = true;
    exact = false;
    refine_at = start.tsc + clock_ns_to_ticks(LEAST_NS);
}

void clock_settle(void)
{
    uint64_t known = __atomic_load_n(&ticks_per_ns, __ATOMIC_RELAXED);
    uint64_t stated = (uint64_t)(((__uint128_t)cpu_counter_khz() << 32) / 1000000);
    uint64_t off = stated > known ? stated - known : known - stated;
    struct pair p = read_pair();
    /* a migrated machine may state an old rate; later, measurements are better */
    if (!stated || off >= known / ROUGH || p.ns - start.ns >= EXACT_UNTIL_NS)
        return;
    __atomic_store_n(&ticks_per_ns, stated, __ATOMIC_RELAXED);
    __atomic_store_n(&refine_at, start.tsc + clock_ns_to_ticks(EXACT_UNTIL_NS), __ATOMIC_RELAXED);
    __atomic_store_n(&exact, true, __ATOMIC_RELEASE);
}
