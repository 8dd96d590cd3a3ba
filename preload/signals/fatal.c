/* fatal.c - see fatal.h.
 *
 * A signal is ours if the kernel has our handler for it. We only remember the flags and the mask of
 * the program's default, because sigaction() must return them.
 *
 * One thread at a time writes, on a stack of its own. It disables the alternate stack, so that a
 * signal that interrupts the writer runs below it on this stack. The handler blocks the signals
 * that the program handles. Our own signals stay open, for three reasons:
 * - a fault in the writer ends the process by the first signal;
 * - so does the timer;
 * - a second Ctrl-C ends the process at once, if it comes GRACE_NS after the first or later.
 *
 * Other threads run on meanwhile. Natively none would. So a thread that is about to exit, exec,
 * fork or change a disposition waits for the end.
 *
 * Natively, such a signal ends the process, and no thread can receive it. With our handler, a
 * thread in sigwait can take it while it is pending. So we install no handler for a signal that the
 * program has ever waited for.
 *
 * This file also interposes kill, because kill does not return if its signal ends the process.
 *
 * If another process runs the handler (a vfork child shares our memory), that process only dies.
 *
 * The kernel protects process 1 from signals at their default, except faults. So in process 1 only
 * faults are ours.
 */
#define _GNU_SOURCE
#include "signals/fatal.h"
#include "arch/signal_frame.h"
#include "arch/system_call.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "clock/clock.h"
#include "base/export.h"
#include "base/kernel.h"
#include "base/program.h"
#include "base/memory.h"
#include "base/real.h"
#include "signals/tls.h"
#include "signals/signals.h"
#include "signals/sigstack.h"
#include "base/forbid.h"

#define LIMIT_NS 10000000000ull /* the writer takes no longer */
#define GRACE_NS 500000000ull   /* signals within this time count as one */
#define RETURN_MS 10            /* what a handler needs to return, on a busy machine */
#define PENDING_MS 100          /* the same for a thread to take a signal that it has not blocked */
#define STACK_BYTES (32 << 10)
#define BIT(number) (1ull << ((number) - 1))
#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGSYS))
#define SIGNALS                                                                                    \
    (FAULTS | BIT(SIGHUP) | BIT(SIGINT) | BIT(SIGQUIT) | BIT(SIGABRT) | BIT(SIGUSR1) |             \
     BIT(SIGUSR2) | BIT(SIGPIPE) | BIT(SIGALRM) | BIT(SIGTERM) | BIT(SIGSTKFLT) | BIT(SIGXCPU) |   \
     BIT(SIGXFSZ) | BIT(SIGVTALRM) | BIT(SIGPROF) | BIT(SIGIO) | BIT(SIGPWR))

static void (*write_profile)(uint32_t number); /* NULL: nothing is ours; written by fatal_setup */
static int spared;                             /* written at the start; 0: no signal is */
static bool armed;                             /* fatal_arm was called; never taken back */
static pid_t pid; /* of the process that is recorded; written by fatal_setup, fatal_forked */
/* sigaction() returns these to the program for signals that are ours. Written by the thread that
 * takes the signal. */
static SELDOM struct sigaction defaults[32];

/* The thread that writes the profile. */
static uint64_t waited;      /* the program has waited for these; any thread adds */
static uint32_t dying;       /* its number; 0: none */
static int dying_of;         /* the dying thread writes it */
static uint64_t dying_since; /* CLOCK_MONOTONIC; 0: just now; the dying thread writes it */
static SELDOM char stack[STACK_BYTES]; /* the dying thread's */

HANDLER_ENTRY static void handler(int number, siginfo_t *info, void *context);

bool fatal_is_ours(const void *p)
{
    return p == (const void *)handler;
}

void fatal_hide(int number, struct sigaction *action)
{
    if (fatal_is_ours(action->sa_sigaction) && number < 32)
        *action = defaults[number];
}

/* ---- taking signals ---- */

static uint64_t mine(void)
{
    uint64_t others = ~__atomic_load_n(&waited, __ATOMIC_SEQ_CST);
    return getpid() == 1 ? FAULTS : FAULTS | (SIGNALS & others);
}

static void take(int number)
{
    const int flags = SA_SIGINFO | sigstack_flag() | SA_RESTART;
    struct sigaction ours = { .sa_sigaction = handler, .sa_flags = flags }, before;
    memset(&ours.sa_mask, 0xff, sizeof ours.sa_mask);
    if (real()->sigaction(number, 0, &before) || before.sa_flags & SA_SIGINFO ||
        before.sa_handler != SIG_DFL)
        return;
    defaults[number] = before;
    if (!real()->sigaction(number, &ours, &before) && before.sa_handler != SIG_DFL)
        real()->sigaction(number, &before, 0); /* another thread has set a handler meanwhile */
}

static bool is_taken(int number)
{
    struct sigaction now;
    return !real()->sigaction(number, 0, &now) && fatal_is_ours(now.sa_sigaction);
}

/* Gives NUMBER back to the kernel. */
static void leave(int number)
{
    const struct sigaction none = { .sa_handler = SIG_DFL };
    if (is_taken(number))
        real()->sigaction(number, &none, 0);
}

void fatal_setup(void (*write)(uint32_t number))
{
    pid = process_pid;
    write_profile = write;
}

void fatal_arm(void)
{
    if (!write_profile || getpid() != pid)
        return;
    int saved = errno;
    __atomic_store_n(&armed, true, __ATOMIC_RELAXED);
    for (int n = 1; n < 32; n++)
        if (mine() & BIT(n))
            take(n);
    errno = saved;
}

void fatal_forked(void)
{
    if (!write_profile)
        return;
    pid_t parent = pid;
    pid = getpid();
    __atomic_store_n(&dying, 0, __ATOMIC_RELAXED);
    if (!armed)
        return;
    for (int n = 1; n < 32 && pid == 1; n++)
        if (SIGNALS & ~FAULTS & BIT(n))
            leave(n);
    if (parent == 1)
        fatal_arm();
}

void fatal_defaulted(int number)
{
    if (number > 0 && number < 32 && __atomic_load_n(&armed, __ATOMIC_RELAXED) && getpid() == pid &&
        mine() & BIT(number)) {
        int saved = errno;
        take(number);
        errno = saved;
    }
}

void fatal_interrupts(int number, bool on)
{
    if (number > 0 && number < 32)
        defaults[number].sa_flags = on ? defaults[number].sa_flags & ~SA_RESTART
                                       : defaults[number].sa_flags | SA_RESTART;
}

/* ---- the other threads ---- */

static uint32_t thread_id(void)
{
    return syscall(SYS_gettid);
}

static void nap(void)
{
    const struct timespec pause = { 0, 1000000 };
    syscall(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, &pause, 0L);
}

/* Waits for the thread OTHER, which writes the profile. This thread cannot go on. */
static void wait_for(uint32_t other)
{
    uint64_t start = clock_read_ns(CLOCK_MONOTONIC);
    while (__atomic_load_n(&dying, __ATOMIC_ACQUIRE) == other &&
           clock_read_ns(CLOCK_MONOTONIC) - start < LIMIT_NS)
        nap();
}

static bool is_dying(void)
{
    uint32_t writer = __atomic_load_n(&dying, __ATOMIC_ACQUIRE);
    return writer && !kernel_closed && getpid() == pid && writer != thread_id();
}

void fatal_hold(void)
{
    if (__builtin_expect(!is_dying(), 1))
        return;
    int saved = errno;
    wait_for(__atomic_load_n(&dying, __ATOMIC_ACQUIRE));
    for (int i = 0; i < RETURN_MS; i++)
        nap();                  /* the handler returns, and its thread gets the signal again */
    errno = saved;
}

/* NUMBER may be pending for the process. If any thread has it unblocked, that thread is about to
 * take it, and to die of it. */
static void let_others_die(int number)
{
    uint64_t pending;
    int gone = 0;
    for (int i = 0; i < PENDING_MS && gone < RETURN_MS; i++) {
        if (is_dying())
            fatal_hold();
        if (syscall(SYS_rt_sigpending, &pending, 8L))
            return;
        gone = pending & BIT(number) ? 0 : gone + 1;
        nap();
    }
}

/* The program has sent NUMBER to its own process. If another thread has it unblocked, and the
 * process dies of it, does not return. */
static void sent(int number)
{
    if (number <= 0 || number >= 32 || !__atomic_load_n(&armed, __ATOMIC_RELAXED) ||
        getpid() != pid || !is_taken(number))
        return;
    int saved = errno;
    let_others_die(number);
    errno = saved;
}

EXPORT int kill(pid_t to, int number)
{
    int result = real()->kill(to, number);
    if (!result && !kernel_closed && (!to || to == getpid() || (to < -1 && -to == getpgrp())))
        sent(number);
    return result;
}

void fatal_waited(uint64_t set)
{
    set &= SIGNALS & ~FAULTS;
    if (!(set & ~__atomic_load_n(&waited, __ATOMIC_RELAXED)))
        return;
    if (write_profile && getpid() != pid)
        return;                 /* a child of vfork, which has the parent's memory */
    int saved = errno;
    uint64_t more = set & ~__atomic_fetch_or(&waited, set, __ATOMIC_SEQ_CST), pending;
    bool some = __atomic_load_n(&armed, __ATOMIC_RELAXED) &&
                !syscall(SYS_rt_sigpending, &pending, 8L);
    for (int n = 1; some && n < 32; n++)
        if (more & BIT(n)) {
            if (pending & BIT(n) && is_taken(n))
                let_others_die(n);
            leave(n);
        }
    errno = saved;
}

/* ---- the handler ---- */

/* Sends the signal again. Our handler blocks all signals, so it comes when the handler returns, at
 * the point where the thread was interrupted. */
static void again(int number, const siginfo_t *info)
{
    if (syscall(SYS_rt_tgsigqueueinfo, (long)getpid(), (long)thread_id(), (long)number, info) < 0)
        syscall(SYS_tgkill, (long)getpid(), (long)thread_id(), (long)number);
}

static void end(int number, const siginfo_t *info, ucontext_t *context)
{
    const struct sigaction none = { .sa_handler = SIG_DFL };
    real()->sigaction(number, &none, 0);
    /* sigsuspend and the like would restore a mask that blocks the signal */
    context->uc_sigmask.__val[0] &= ~BIT(number);
    again(number, info);
}

/* The same on a thread that has no storage of libprof's. Only the last checkpoint stays. */
TLS_BEFORE static void end_bare(int number, const siginfo_t *info, ucontext_t *context)
{
    const uint64_t none[4] = { 0 }; /* the kernel's struct sigaction */
    long process = system_call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long tid = system_call6(SYS_gettid, 0, 0, 0, 0, 0, 0);
    if (process == 1 && info->si_code <= 0)
        return;
    system_call6(SYS_rt_sigaction, number, (long)none, 0, 8, 0, 0);
    context->uc_sigmask.__val[0] &= ~BIT(number);
    if (system_call6(SYS_rt_tgsigqueueinfo, process, tid, number, (long)info, 0, 0) < 0)
        system_call6(SYS_tgkill, process, tid, number, 0, 0, 0);
}

/* Ends the process on the spot. This code must not return to what the signal interrupted. */
static void end_here(int number)
{
    const struct sigaction none = { .sa_handler = SIG_DFL };
    uint64_t only = ~BIT(number);
    real()->sigaction(number, &none, 0);
    syscall(SYS_tgkill, (long)getpid(), (long)thread_id(), (long)number);
    syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &only, 0L, 8L);
}

/* Starts a timer that sends NUMBER to this thread LIMIT_NS from now. */
static bool limit_on(int number, int *timer)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event._sigev_un._tid = thread_id();
    if (syscall(SYS_timer_create, (long)CLOCK_MONOTONIC, &event, timer))
        return false;
    const struct itimerspec once = { .it_value = { LIMIT_NS / 1000000000, 0 } };
    syscall(SYS_timer_settime, (long)*timer, 0L, &once, 0L);
    return true;
}

static uint64_t ours(void)
{
    uint64_t set = 0;
    for (int n = 1; n < 32; n++)
        if (SIGNALS & BIT(n) && is_taken(n))
            set |= BIT(n);
    return set;
}

struct write {
    int number;
    const ucontext_t *context;
};

/* Runs on `stack`. The handler's return restores the alternate stack. */
static void write_on_stack(void *p)
{
    const struct write *w = p;
    const stack_t none = { .ss_flags = SS_DISABLE };
    uint64_t blocked = w->context->uc_sigmask.__val[0] & ~FAULTS & ~BIT(w->number);
    uint64_t mask = ~ours() | blocked, all = ~0ull;
    int timer;
    if (!limit_on(w->number, &timer))
        return; /* without a bound, write nothing: the last checkpoint stays */
    real()->sigaltstack(&none, 0);
    syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &mask, 0L, 8L);
    write_profile(w->number);
    syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &all, 0L, 8L);
    syscall(SYS_timer_delete, (long)timer);
}

static void first(int number, siginfo_t *info, ucontext_t *context)
{
    struct write w = { number, context };
    dying_of = number;
    __atomic_store_n(&dying_since, clock_read_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
    aside_call(stack + sizeof stack, write_on_stack, &w);
    end(number, info, context);
    __atomic_store_n(&dying_since, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&dying, 0, __ATOMIC_RELEASE); /* a debugger may keep the process from dying */
}

static void another(uint32_t writer, int number, siginfo_t *info, ucontext_t *context)
{
    bool fault = FAULTS & BIT(number) && info->si_code > 0;
    uint64_t since = __atomic_load_n(&dying_since, __ATOMIC_RELAXED);
    bool late = since && clock_read_ns(CLOCK_MONOTONIC) - since > GRACE_NS;
    if (writer == thread_id()) {
        if (fault || late)
            end_here(dying_of);
    } else if (fault) {
        wait_for(writer);
        end(number, info, context);
    } else if (late) {
        end(number, info, context);
    }
}

void fatal_spare(int number)
{
    spared = number;
}

/* The default of NUMBER ends the process. */
static void deadly(int number, siginfo_t *info, void *context)
{
    uint32_t writer = 0;
    if (number == spared && info->si_code == SI_KERNEL)
        return;
    if (getpid() != pid || !__atomic_load_n(&armed, __ATOMIC_RELAXED))
        end(number, info, context);
    else if (pid == 1 && info->si_code <= 0)
        ; /* a process sent it to process 1: without us, the kernel would drop it */
    else if (__atomic_compare_exchange_n(&dying, &writer, thread_id(), false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
        first(number, info, context);
    else
        another(writer, number, info, context);
}

TLS_AFTER static void handle(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (number != SIGNALS_OURS && !is_taken(number))
        again(number, info); /* the program has set something else since */
    else
        deadly(number, info, context);
    errno = saved;
}

TLS_BEFORE void fatal_programs(int number, siginfo_t *info, void *context)
{
    uintptr_t before;
    if (tls_enter(&before)) {
        handle(number, info, context);
        tls_leave(before);
    } else {
        end_bare(number, info, context);
    }
}

TLS_AFTER static void force(siginfo_t *info, void *context)
{
    const struct sigaction none = { .sa_handler = SIG_DFL };
    int saved = errno;
    real()->sigaction(SIGSEGV, &none, 0);
    fatal_defaulted(SIGSEGV);
    deadly(SIGSEGV, info, context);
    errno = saved;
}

TLS_BEFORE void fatal_forced(void *context)
{
    uintptr_t before;
    siginfo_t info = { .si_signo = SIGSEGV, .si_code = SI_KERNEL };
    if (tls_enter(&before)) {
        force(&info, context);
        tls_leave(before);
    } else {
        end_bare(SIGSEGV, &info, context);
    }
}

HANDLER_ENTRY static void handler(int number, siginfo_t *info, void *context)
{
    HANDLER_BEGIN();
    fatal_programs(number, info, context);
}
