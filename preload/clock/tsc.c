/* tsc.c - on-CPU time at the price of rdtsc.
 *
 * The crux: glibc registers a struct rseq for each thread. The kernel clears rseq->rseq_cs at every
 * preemption and signal delivery. Older kernels clear it at every context switch, that is, also
 * when a system call blocks. blocking_clears finds out which kind runs. We store the address of a
 * descriptor there that covers no code. While this address is there, nothing preempted the thread,
 * and TSC differences are on-CPU time. Where the kernel keeps the word over a blocking call, the
 * gap rule (clock_gap) finds that call. When the kernel has cleared the word, or the gap was long,
 * we read the on-CPU time from CLOCK_THREAD_CPUTIME_ID, and take a new anchor.
 *
 * tsc_invariant decides whether the counter is trusted. tsc_rate.c has the rate of the counter.
 *
 * We deliberately do not serialise rdtsc. Interrupts are precise: a switch falls between two
 * instructions. So the program order "TSC, then word" holds, whatever the core reorders.
 * Out-of-order execution shifts a reading by a few tens of cycles. But the same reading ends one
 * strand and begins the next, so the shift cancels in every sum. rdtscp or a fence would cost twice
 * as much as the shift.
 *
 * Rules:
 * - The word may belong to another user of rseq (tcmalloc, librseq). Any value but ours means
 *   "unknown". We never overwrite another user's value.
 * - The object must not be unloaded (-z nodelete). The kernel reads the descriptor when it preempts
 *   us, and raises SIGSEGV if the signature before abort_ip is wrong.
 * - After tsc_setup, nothing here calls a libc function that the program may interpose, that sets
 *   errno, or that is a cancellation point. So clock_read_ns is a direct system call. That costs
 *   nothing, because CLOCK_THREAD_CPUTIME_ID has no vDSO path.
 */
#define _GNU_SOURCE
#include "clock/source.h"
#include "clock/cpu_clock.h"
#include "arch/cpu.h"
#include "arch/rseq.h"
#include "arch/thread_pointer.h"
#include "base/kernel.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/message.h"
#include "base/forbid.h"

/* The layout is the kernel's. glibc keeps a struct rseq for each thread, at __rseq_offset from the
 * thread pointer. The symbols are weak, because glibc before 2.35 lacks them. */
struct rseq_descriptor {
    uint32_t version, flags;
    uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

#define RSEQ_CPU_ID 4           /* int32_t; negative: this thread is not registered */
#define RSEQ_CS 8               /* uint64_t */

static struct rseq_descriptor descriptor;
READ_MOSTLY uint64_t clock_armed_value;
static uint64_t always;         /* == clock_armed_value; without rseq `armed` points here */

/* All written by tsc_setup, then read only. */
static enum { NO_RSEQ, RSEQ } detection;
static bool trusted;            /* the TSC runs at one rate, always, on every CPU */
static uint64_t quick;          /* ticks; a reading of the CPU time that took more was disturbed */
static uint64_t usual;          /* ticks from the start of such a reading to its middle */

static inline uint64_t cpu_ns(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline volatile char *rseq_area(void)
{
    return (volatile char *)thread_pointer() + __rseq_offset;
}

/* The word that the kernel clears; without rseq, one that is always armed. */
static volatile uint64_t *word_of_thread(void)
{
    if (detection != NO_RSEQ && *(volatile int32_t *)(rseq_area() + RSEQ_CPU_ID) >= 0)
        return (volatile uint64_t *)(rseq_area() + RSEQ_CS);
    return &always;
}

/* The kernel keeps the CPU's number next to that word, whatever the clock is. */
int clock_cpu(void)
{
    int32_t id = -1;
    unsigned cpu;
    if (&__rseq_size && &__rseq_offset && __rseq_size >= RSEQ_CS)
        id = *(volatile int32_t *)(rseq_area() + RSEQ_CPU_ID);
    if (id >= 0)
        return id;
    int saved = errno;
    id = kernel_call(SYS_getcpu, &cpu, 0L, 0L) ? -1 : (int32_t)cpu;
    errno = saved;
    return id;
}

/* ---- arming ---- */

enum arming { ARMED, FOREIGN, UNARMED };

static inline enum arming arm(struct clock_thread *c)
{
    if (c->armed == &always)
        return UNARMED;
    uint64_t word = *c->armed;
    if (word && word != clock_armed_value)
        return FOREIGN;
    *c->armed = clock_armed_value;
    return ARMED;
}

/* ---- anchors ---- */

/* An undisturbed reading of the CPU time: `cpu` ns when the TSC was `middle`. */
struct anchor {
    uint64_t cpu, middle, end;  /* end: the TSC after the reading */
    unsigned failed;            /* tries before this one */
};

/* A tracer (strace, proot) stops the thread at each system call. So a reading of the CPU time
 * always clears the word, and then each reading would be a slow one, of four system calls. After so
 * many slow readings in a row without an undisturbed try, the gap rule alone decides. */
#define DISTURBED 2
#define TRIES 4

static void take_anchor(struct clock_thread *c, struct anchor *a)
{
    bool traced = c->disturbed >= DISTURBED;
    for (a->failed = 0;; a->failed++) {
        enum arming how = arm(c);
        uint64_t begin = clock_ticks();
        a->cpu = cpu_ns();
        a->end = clock_ticks();
        a->middle = begin + (a->end - begin) / 2;
        /* If the word is still armed, there was no switch up to here, so the anchor holds at `end`.
         * If the last try fails, the word is clear, and the next reading takes an anchor again. */
        bool whole = how != ARMED || *c->armed == clock_armed_value;
        if (whole && a->end - begin < quick) {
            c->disturbed = 0;
            if (traced)
                c->armed = word_of_thread();    /* the tracer is gone */
            return;
        }
        if (traced || a->failed == TRIES - 1)
            break;
    }
    if (!traced && ++c->disturbed == DISTURBED)
        c->armed = &always;
}

/* The end of a slow reading: C is whole again. A signal handler on this thread sees it in order. */
static inline void not_busy(struct clock_thread *c)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    c->busy = 0;
}

/* From now on the thread's clock gives VALUE at a->end. Its true value there is TRUTH. */
static inline void set_anchor(struct clock_thread *c, const struct anchor *a, uint64_t value,
                              uint64_t truth)
{
    c->base_value = truth - (a->end - a->middle);
    c->base_cpu = a->cpu;
    c->offset = a->end - value;
    c->last = a->end;
}

bool tsc_peek(const struct clock_thread *c, uint32_t tid, uint64_t *value)
{
    uint64_t cpu = clock_read_ns(cpu_clock_of(tid));
    if (!cpu || cpu < c->base_cpu)
        return false;
    uint64_t since = cpu - c->base_cpu;
    *value = c->base_value + (trusted ? clock_ns_to_ticks(since) : since);
    return true;
}

/* The clock where the TSC is not trusted: CLOCK_THREAD_CPUTIME_ID itself, in ns. GIVEN: the last
 * value. */
static uint64_t cpu_clock_now(struct clock_thread *c, uint64_t given)
{
    uint64_t value = c->base_value + (cpu_ns() - c->base_cpu);
    if ((int64_t)(value - given) < 0)
        value = given;
    c->last = clock_ticks();
    c->offset = c->last - value;
    c->reanchors++;
    return value;
}

static void warn_that_refused(void)
{
    static bool said;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        message(MESSAGE_WARNING, "PROF_CLOCK=tsc: the kernel refuses the CPU time of a thread: "
                                 "from now on, preemption counts as work");
}

/* T: the TSC when clock_now was called. The result is the clock's value at T. The time from T on is
 * profiler overhead: the thread's clock stands still until we return. */
uint64_t tsc_now_slow(struct clock_thread *c, uint64_t t)
{
    if (c->busy)                        /* in a handler that interrupted the code below */
        return c->busy_value;
    uint64_t given = c->last - c->offset;
    uint64_t since = t - c->last;       /* huge if this CPU's TSC is behind the last one's */
    if (since < clock_gap) {
        uint64_t word = *c->armed;
        if (word && word != clock_armed_value) {
            /* Another user of rseq has the word. Until it is free again, the gap rule decides. */
            c->last = t;
            return given + since;
        }
    }
    c->busy_value = given;
    c->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!trusted) {
        uint64_t value = cpu_clock_now(c, given);
        not_busy(c);
        return value;
    }
    bool refined = clock_refine(t);
    struct anchor a;
    take_anchor(c, &a);
    if (!a.cpu) {                       /* the program filters system calls */
        warn_that_refused();
        c->last = t;
        not_busy(c);
        return given + since;
    }
    /* Profiler overhead, from T to the reading, is not the strand's cost. If the thread was
     * preempted meanwhile, the CPU time also contains the kernel's work for the preemption. That
     * work stays with the strand, as for any other preemption. The overhead is then what a reading
     * usually takes. */
    uint64_t own = a.middle - t;
    if (a.failed || own > (refined ? 16 * quick : quick))
        own = usual * (2 * a.failed + 1);
    uint64_t truth = c->base_value + clock_ns_to_ticks(a.cpu - c->base_cpu) - own;
    /* Two clocks that are read at different moments differ by some 100 ns. The clock's value must
     * never go back, and never run faster than the TSC. The true value is kept beside it. So the
     * next readings correct the difference, and it does not grow. */
    int64_t step = truth - given;
    if (step < 0)
        step = 0;
    else if ((uint64_t)step > since)
        step = since;
    /* The time off the CPU. Before T: the ticks that the clock does not count. After T: what the
     * reading took beyond its own time, for the kernel often preempts at the end of the reading's
     * system call. */
    uint64_t took = a.middle - t;
    c->off += since - (uint64_t)step + (took > own ? took - own : 0);
    c->own += own + (a.end - a.middle < quick ? a.end - a.middle : usual);
    set_anchor(c, &a, given + step, truth);
    c->reanchors++;
    not_busy(c);
    return given + step;
}

/* Begins at 0 if C is zeroed. In the child of fork, whose CPU time starts anew, C goes on. */
void tsc_thread_start(struct clock_thread *c)
{
    uint64_t value = c->last - c->offset;
    c->armed = word_of_thread();
    struct anchor a;
    take_anchor(c, &a);
    set_anchor(c, &a, value, value);
    if (!trusted)
        c->base_value = value;
    c->busy = 0;
}

void tsc_thread_stop(struct clock_thread *c)
{
    if (c->armed && c->armed != &always && *c->armed == clock_armed_value)
        *c->armed = 0;
    c->armed = &always;
}

/* ---- set-up ---- */

/* The processor may state this by a flag. Hypervisors often hide the flag, so that machines can
 * migrate. Then the kernel shows it: it uses the counter as its clock source. */
bool tsc_invariant(void)
{
    if (cpu_counter_is_stated())
        return true;
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

void tsc_setup(void)
{
    trusted = clock_gap != 0;
    detection = NO_RSEQ;
    clock_armed_value = always = 1;

    quick = UINT64_MAX;                 /* from the fastest of 4 readings */
    for (int i = 0; i < 4; i++) {
        uint64_t begin = clock_ticks();
        cpu_ns();
        uint64_t ticks = clock_ticks() - begin;
        if (ticks < quick)
            quick = ticks;
    }
    usual = quick / 2;
    quick *= 4;
    if (quick < clock_ns_to_ticks(3000))
        quick = clock_ns_to_ticks(3000);

    if (!trusted || !&__rseq_size || !&__rseq_offset || __rseq_size < RSEQ_CS + 8 ||
        *(volatile int32_t *)(rseq_area() + RSEQ_CPU_ID) < 0)
        return;
    descriptor.abort_ip = (uint64_t)(uintptr_t)rseq_abort;
    clock_armed_value = always = (uint64_t)(uintptr_t)&descriptor;
    detection = RSEQ;
}

/* Does this kernel clear the word when a system call blocks? Newer kernels need not. There only
 * preemption clears the word, and the gap rule finds blocking calls. Only the profile's text
 * depends on it, so most processes need not sleep for it. */
static bool blocking_clears(void)
{
    static enum { UNKNOWN, NO, YES } answer;
    struct clock_thread c = { .armed = word_of_thread() };
    const struct timespec nap = { 0, 1000 };
    if (answer == UNKNOWN && arm(&c) == ARMED && !kernel_call(SYS_nanosleep, &nap, 0L)) {
        answer = *c.armed == clock_armed_value ? NO : YES;
        *c.armed = 0;           /* the next reading takes an anchor */
    }
    return answer != NO;
}

/* 50 us: GAP_NS of clock.c. */
static const char *detail_of_detection(void)
{
    if (!trusted)
        return "CLOCK_THREAD_CPUTIME_ID at each reading: this machine's time-stamp counter is not "
               "invariant";
    if (detection == NO_RSEQ)
        return "on-CPU time: 50 us gap rule only (no rseq: glibc before 2.35, or switched off)";
    if (blocking_clears())
        return "on-CPU time: rseq + 50 us gap rule";
    return "on-CPU time: rseq for preemption, 50 us gap rule for blocking calls";
}

/* A counter whose ticks are longer than 2 ns is coarse. */
const char *tsc_detail(void)
{
    static char text[160];
    uint64_t ticks = clock_ns_to_ticks(1000000);
    const char *detail = detail_of_detection();
    if (!trusted || !ticks || ticks >= 500000)
        return detail;
    unsigned tenths = (unsigned)((10000000 + ticks / 2) / ticks);
    message_format(text, sizeof text, "%s; a tick takes %u.%u ns", detail, tenths / 10,
                   tenths % 10);
    return text;
}
