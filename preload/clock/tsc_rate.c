/* tsc_rate.c - how fast the time-stamp counter runs: its ticks per ns.
 *
 * If CPUID states the rate exactly, that is the rate. Otherwise a spin of a quarter of a
 * millisecond measures it to 1e-4 or better. Every later measurement is more exact, because the
 * error of its two readings (some 50 ns) is spread over all the time since the start: 1e-7 after a
 * second. Slow readings measure again each time the run has become four times as long; so does
 * clock_unit.
 *
 * The mmap page of a perf event would state the rate, too. But some sandboxes kill a process that
 * calls perf_event_open (seccomp, systemd's SystemCallFilter), so libprof does not call it unasked.
 */
#define _GNU_SOURCE
#include "clock/source.h"
#include <cpuid.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/forbid.h"

#define SPIN_NS 250000          /* the first measurement */
/* CPUID's rate is rounded to kHz: a measurement over a longer time is better */
#define EXACT_UNTIL_NS 1000000000u

struct pair { uint64_t tsc, ns, width; };       /* CLOCK_MONOTONIC_RAW was ns at tsc +- width / 2 */

static struct pair start;       /* written by tsc_calibrate */
/* 32.32 fixed point; tsc_calibrate, then clock_refine; relaxed: any of its values is good, each is
 * better than the one before */
static uint64_t ticks_per_ns;
static uint64_t refine_at;      /* TSC of the next measurement; moved by the thread that makes it */
static bool exact;              /* ticks_per_ns is CPUID's, and the run is young */

static struct pair read_pair(void)
{
    struct pair best = { .width = UINT64_MAX };
    for (int i = 0; i < 12; i++) {
        uint64_t a = __rdtsc(), ns = clock_read_ns(CLOCK_MONOTONIC_RAW), b = __rdtsc();
        if (b - a < best.width)
            best = (struct pair){ a + (b - a) / 2, ns, b - a };
    }
    return best;
}

/* The rate from START to P; 0 when it is not credible: the counter was reset, or the machine slept.
 */
static uint64_t rate_to(const struct pair *p)
{
    if (p->ns <= start.ns || p->tsc <= start.tsc)
        return 0;
    uint64_t rate = (uint64_t)(((__uint128_t)(p->tsc - start.tsc) << 32) / (p->ns - start.ns));
    uint64_t known = __atomic_load_n(&ticks_per_ns, __ATOMIC_RELAXED);
    uint64_t off = rate > known ? rate - known : known - rate;
    return known && off > known / 512 ? 0 : rate;
}

bool clock_refine(uint64_t tsc)
{
    uint64_t due = __atomic_load_n(&refine_at, __ATOMIC_RELAXED);
    if ((int64_t)(tsc - due) < 0 ||
        !__atomic_compare_exchange_n(&refine_at, &due, start.tsc + (tsc - start.tsc) * 4, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    struct pair p = read_pair();
    uint64_t rate = rate_to(&p);
    if (rate)
        __atomic_store_n(&ticks_per_ns, rate, __ATOMIC_RELAXED);
    return true;
}

struct clock_rate clock_rate(void)
{
    struct pair p = read_pair();
    if ((exact && p.ns - start.ns < EXACT_UNTIL_NS) || p.ns - start.ns < SPIN_NS || !rate_to(&p))
        return (struct clock_rate){ 1ull << 32, __atomic_load_n(&ticks_per_ns, __ATOMIC_RELAXED) };
    return (struct clock_rate){ p.ns - start.ns, p.tsc - start.tsc };
}

uint64_t clock_ns_to_ticks(uint64_t ns)
{
    return (uint64_t)((__uint128_t)ns * __atomic_load_n(&ticks_per_ns, __ATOMIC_RELAXED) >> 32);
}

/* kHz that the processor (leaf 0x15) or the hypervisor (0x40000010) states; 0: neither does. */
static uint64_t stated_khz(void)
{
    unsigned a, b, c, d;
    __cpuid(0, a, b, c, d);
    if (a >= 0x15) {
        __cpuid_count(0x15, 0, a, b, c, d);
        if (a && b && c)
            return (uint64_t)c * b / a / 1000;
    }
    __cpuid(1, a, b, c, d);
    if (c >> 31 & 1) {                          /* under a hypervisor */
        __cpuid(0x40000000, a, b, c, d);
        if (a >= 0x40000010) {
            __cpuid(0x40000010, a, b, c, d);
            return a;
        }
    }
    return 0;
}

/* Runs at one rate, always, on all CPUs: says the processor; or the kernel, by keeping time with
 * it (hypervisors often hide the processor's flag so that machines can migrate). */
bool tsc_invariant(void)
{
    unsigned a, b, c, d;
    __cpuid(0x80000000, a, b, c, d);
    if (a >= 0x80000007) {
        __cpuid(0x80000007, a, b, c, d);
        if (d >> 8 & 1)
            return true;
    }
    char name[32] = "";
    int fd = syscall(SYS_openat, AT_FDCWD,
                     "/sys/devices/system/clocksource/clocksource0/current_clocksource",
                     O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    long n = syscall(SYS_read, fd, name, sizeof name - 1);
    syscall(SYS_close, fd);
    if (n > 0 && name[n - 1] == '\n')
        name[n - 1] = 0;
    return !strcmp(name, "tsc") || !strcmp(name, "kvm-clock") ||
           !strcmp(name, "hyperv_clocksource_tsc_page");
}

void tsc_calibrate(void)
{
    ticks_per_ns = 0;
    exact = false;
    start = read_pair();
    struct pair p;
    do
        p = read_pair();
    /* An emulated or stolen CPU gives wide pairs: wait until they do not matter, but not for ever.
     */
    while (p.ns - start.ns < SPIN_NS ||
           ((start.width + p.width) * 1000 > p.tsc - start.tsc && p.ns - start.ns < 20 * SPIN_NS));
    ticks_per_ns = rate_to(&p);
    uint64_t khz = stated_khz();
    uint64_t stated = (uint64_t)(((__uint128_t)khz << 32) / 1000000);
    uint64_t off = stated > ticks_per_ns ? stated - ticks_per_ns : ticks_per_ns - stated;
    if (khz && off < ticks_per_ns / 512) {      /* a migrated machine may state another's */
        ticks_per_ns = stated;
        exact = true;
    }
    /* next measurement: at 1 ms, or when it can beat the stated rate */
    refine_at = start.tsc + clock_ns_to_ticks(exact ? EXACT_UNTIL_NS : 4 * SPIN_NS);
}
