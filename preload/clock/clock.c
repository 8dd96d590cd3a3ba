/* clock.c - choosing a clock, its unit, the rate of the time-stamp counter; see clock.h.
 *
 * The tsc clock lives in tsc.c, counters in counter.c.
 *
 * The rate. What CPUID states exactly is taken from there. Otherwise a spin of a quarter of a
 * millisecond gives it to 1e-4 or better, and every later look improves on that, because the error
 * of two readings (some 50 ns) is spread over all the time between them: 1e-7 after a second. Looks
 * are taken by slow readings, each time the run has become four times as long, and by clock_unit.
 * The mmap page of a perf event would state the rate too, but perf_event_open is forbidden on pain
 * of death in some sandboxes (seccomp, systemd's SystemCallFilter), so it is not called unasked.
 */
#define _GNU_SOURCE
#include "clock/clock.h"
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "clock/source.h"
#include "base/memory.h"
#include "base/forbid.h"

#define GAP_NS 50000
#define SPIN_NS 250000          /* the first calibration */
#define EXACT_UNTIL_NS 1000000000u      /* what CPUID states is rounded to kHz: a longer look is better */

READ_MOSTLY enum clock_kind clock_kind;
READ_MOSTLY uint64_t clock_quick_gap;
READ_MOSTLY uint64_t clock_gap;

static char counter_name[64];

uint64_t clock_now_slow(struct clock_thread *c)
{
    uint64_t now;
    if (__builtin_expect(clock_kind == CLOCK_TSC, 1))
        return clock_now_within(c, clock_gap, &now) ? now : tsc_now_slow(c, __rdtsc());
    uint64_t t = c->last = __rdtsc();
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
    case CLOCK_WALL: *value = __rdtsc(); return true;
    case CLOCK_VIRTUAL: *value = c->virtual_now; return true;
    case CLOCK_COUNTER: return counter_peek(c, value);
    }
    return false;
}

/* ---- the rate ---- */

struct pair { uint64_t tsc, ns, width; };       /* CLOCK_MONOTONIC_RAW was ns at tsc +- width / 2 */

static struct pair start;       /* written by clock_setup */
static uint64_t ticks_per_ns; /* 32.32 fixed point; clock_setup, then clock_refine; relaxed: any of
                                   its values is good, each is better than the one before */
static uint64_t refine_at;      /* TSC of the next look; moved by the thread that takes it */
static bool exact;              /* ticks_per_ns is CPUID's, and the run is young */

uint64_t clock_read_ns(int clock)
{
    struct timespec t;
    long r;
    __asm__ volatile("syscall"
                     : "=a"(r), "=m"(t)
                     : "0"(SYS_clock_gettime), "D"((long)clock), "S"(&t)
                     : "rcx", "r11", "memory");
    return r ? 0 : (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

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
static bool tsc_invariant(void)
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

static void calibrate(void)
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
    /* next look: at 1 ms, or when it can beat what is stated */
    refine_at = start.tsc + clock_ns_to_ticks(exact ? EXACT_UNTIL_NS : 4 * SPIN_NS);
}

/* ---- the contract ---- */

int clock_setup(const char *name, const char **why)
{
    clock_kind = CLOCK_TSC;
    calibrate();
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
    clock_quick_gap = clock_kind == CLOCK_TSC ? clock_gap : 0;
    return 0;
}

void clock_tell_all(void)
{
    clock_quick_gap = 0;
}

void clock_unit(uint64_t *num, uint64_t *den)
{
    struct clock_rate r = { 1, 1 };
    if (clock_kind == CLOCK_WALL || (clock_kind == CLOCK_TSC && clock_gap))
        r = clock_rate();
    else if (clock_kind == CLOCK_COUNTER && !counter_is_time())
        r.num = 0;
    *num = r.num;
    *den = r.den;
    /* virtual: the program's unit is taken for ns; tsc with clock_gap == 0 counts in ns */
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
