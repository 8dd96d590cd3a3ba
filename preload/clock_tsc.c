/* clock_tsc.c - on-CPU time at the price of rdtsc.
 *
 * The crux: glibc registers a struct rseq per thread; the kernel clears rseq->rseq_cs at every
 * context switch and signal delivery. We store the address of a descriptor there that covers no
 * code; while it stands, the thread has not left the CPU and TSC differences are on-CPU time. When
 * it is gone, CLOCK_THREAD_CPUTIME_ID tells how much was, and a new anchor is taken.
 *
 * Rules: the word may belong to another user of rseq (tcmalloc, librseq): any value but ours means
 * "unknown", and we never write over a live one. No arming in signal handlers. The object must not
 * be unloaded (-z nodelete): the kernel reads the descriptor when it preempts us; a bad abort_ip
 * signature would be a SIGSEGV.
 */
#define _GNU_SOURCE
#include "clock_source.h"
#include <errno.h>
#include <stddef.h>
#include <time.h>

/* As in the kernel's uapi; glibc keeps one a thread at __rseq_offset from the thread pointer. */
struct rseq_descriptor {
    uint32_t version, flags;
    uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

#define RSEQ_CS_OFFSET 8        /* cpu_id_start, cpu_id, then rseq_cs */

/* The word before abort_ip must be glibc's signature for x86. The code is never run. */
__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".long 0x53053053\n"
        ".globl clock_rseq_abort\n.hidden clock_rseq_abort\n.type clock_rseq_abort, @function\n"
        "clock_rseq_abort: ud2\n"
        ".size clock_rseq_abort, 2\n"
        ".popsection\n");
extern void clock_rseq_abort(void);

static struct rseq_descriptor descriptor;
uint64_t clock_armed_value;     /* address of descriptor; 1 without rseq: the gap rule alone decides */
static uint64_t never = 1;      /* what `armed` points to without rseq: equals clock_armed_value then */
static bool use_rseq;

static inline volatile uint64_t *rseq_word(void)
{
    return (volatile uint64_t *)((char *)__builtin_thread_pointer() + __rseq_offset + RSEQ_CS_OFFSET);
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* CPU time in ticks, by the ratio of set-up: only differences over off-CPU gaps use it. */
static double ticks_per_ns;

static bool arm(void)
{
    if (!use_rseq)
        return false;
    volatile uint64_t *w = rseq_word();
    if (*w && *w != clock_armed_value)
        return false;           /* somebody else's critical section */
    *w = clock_armed_value;
    return true;
}

void tsc_setup(void)
{
    ticks_per_ns = (double)clock_gap / 50000;
    clock_armed_value = 1;
    if (&__rseq_size && __rseq_size >= 16) {
        descriptor.abort_ip = (uint64_t)(uintptr_t)clock_rseq_abort;
        clock_armed_value = (uint64_t)(uintptr_t)&descriptor;
        use_rseq = true;
        /* Does this kernel clear the word when a system call blocks? */
        struct timespec nap = { 0, 1000 };
        if (arm())
            nanosleep(&nap, 0);
        if (*rseq_word() == clock_armed_value) {
            *rseq_word() = 0;
            use_rseq = false;
            clock_armed_value = 1;
        }
    }
}

const char *tsc_detail(void)
{
    return use_rseq ? "on-CPU time: rseq and 50 us gap rule" : "on-CPU time: 50 us gap rule only";
}

/* Take an anchor: CPU time `v` belongs to TSC `x`..`y`. Accepted when nothing came between. */
static bool anchor(uint64_t *tsc, uint64_t *cpu)
{
    for (int i = 0; i < 3; i++) {
        bool armed = arm();
        uint64_t x = __rdtsc();
        uint64_t v = cpu_ns();
        uint64_t y = __rdtsc();
        if (y - x < (uint64_t)(3000 * ticks_per_ns) && (!armed || *rseq_word() == clock_armed_value)) {
            *tsc = x + (y - x) / 2;
            *cpu = v;
            return true;
        }
        if (i == 2) {
            *tsc = y;
            *cpu = v;
        }
    }
    return false;
}

/* The invariant of the fast path: on-CPU ticks = tsc - offset while armed. */
uint64_t clock_now_slow(struct clock_thread *c, uint64_t t)
{
    int saved = errno;
    uint64_t before = c->last - c->offset;      /* last value given out */
    uint64_t tsc, cpu;
    anchor(&tsc, &cpu);
    uint64_t now = (uint64_t)(cpu * ticks_per_ns);
    /* CPU time since the last anchor, less the time of this reading itself, which began at t. */
    uint64_t value = c->base_value + (now - c->base_cpu);
    uint64_t own = tsc - t;
    if (value > before + own)
        value -= own;
    if (value < before)
        value = before;         /* two clocks, two roundings: never backwards */
    /* An uninterrupted stretch cannot have cost more than the TSC says. */
    if (value - before > t - c->last)
        value = before + (t - c->last);
    c->base_value = value;
    uint64_t end = __rdtsc();
    c->base_cpu = now + (end - tsc);            /* what comes until the return is ours, too */
    c->offset = end - value;
    c->last = end;
    c->reanchors++;
    errno = saved;
    return value;
}

void tsc_thread_start(struct clock_thread *c)
{
    c->armed = use_rseq ? rseq_word() : &never;
    uint64_t tsc, cpu;
    anchor(&tsc, &cpu);
    c->offset = c->last = tsc;
    c->base_value = 0;
    c->base_cpu = (uint64_t)(cpu * ticks_per_ns);
}

void tsc_thread_stop(struct clock_thread *c)
{
    if (use_rseq && c->armed == rseq_word() && *c->armed == clock_armed_value)
        *c->armed = 0;
    c->armed = &never;
}
