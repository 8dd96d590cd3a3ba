/* signals.c - see signals.h.
 *
 * Signal 60. If the program sets a handler for it, we call that handler for signals that are not
 * ours. We take signal 60 out of the program's masks, because a thread that blocks all signals
 * would get no sample. We also take it out of the sets of signals that the program waits for.
 *
 * All other signals. The kernel has the dispositions, and we ask it each time. If it returns a
 * handler of ours, the program gets the disposition that it has set itself (fatal_tell). If the
 * program sets a signal to its default, we take the signal again (fatal_defaulted).
 *
 * A vfork child has dispositions of its own, but shares our memory: it changes the dispositions and
 * leaves the memory alone. No function here takes a lock, because the program calls them in
 * handlers. If two threads set the handler of signal 60 at once, one of the two handlers stays.
 *
 * Of libc's names, signal, bsd_signal and ssignal are one function, sysv_signal and __sysv_signal
 * (signal() of strict C) another; none of them calls a name that could be interposed. sigvec is
 * there for programs of before 2015 alone. sigpause, sigsuspend, sigblock and sigsetmask cannot
 * close signal 60, or only while the thread sleeps.
 */
#define _GNU_SOURCE
#include "signals/signals.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "signals/fatal.h"
#include "base/real.h"
#include "signals/sigstack.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))
/* libc exports them, and its headers have no prototype for every program. */
int __sigaction(int, const struct sigaction *, struct sigaction *);
sighandler_t bsd_signal(int, sighandler_t);

#define OURS (1ul << (SIGNALS_OURS - 1))

/* NULL: signal 60 is the program's; written by signals_take. */
static void (*sample_handler)(int, siginfo_t *, void *);
static pid_t pid; /* whose signal 60 is ours; written by signals_take, signals_forked */
static struct sigaction programs; /* the program's own for signal 60; by the thread that sets it */
static bool interrupts; /* siginterrupt(60, 1); the same */

static bool caught(const struct sigaction *a)
{
    return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/* Our handler blocks all signals. A handler of the program that interrupted it could leave by
 * longjmp: then our sample would be lost, and our signal would stay blocked. If the program's
 * handler for signal 60 runs on the thread's own stack, ours does, too. */
static bool install(void)
{
    bool own_stack = caught(&programs) && !(programs.sa_flags & SA_ONSTACK);
    const int flags = SA_SIGINFO | SA_RESTART | (own_stack ? 0 : SA_ONSTACK);
    struct sigaction action = { .sa_sigaction = sample_handler, .sa_flags = flags }, before;
    memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
    if (real()->sigaction(SIGNALS_OURS, &action, &before))
        return false;
    if (before.sa_sigaction != sample_handler)
        programs = before;
    return true;
}

bool signals_take(void (*handler)(int, siginfo_t *, void *))
{
    sample_handler = handler;
    pid = getpid();
    if (!install())
        sample_handler = 0;
    return sample_handler;
}

void signals_forked(void)
{
    pid = getpid();
}

/* Ours blocks all signals; the program's runs with those that it would block. */
void signals_programs(int number, siginfo_t *info, void *context)
{
    const struct sigaction p = programs;
    if (!caught(&p))
        return;
    if (p.sa_flags & SA_RESETHAND)
        programs = (struct sigaction){ .sa_handler = SIG_DFL };
    uint64_t mask = ((const ucontext_t *)context)->uc_sigmask.__val[0] | p.sa_mask.__val[0];
    if (!(p.sa_flags & SA_NODEFER))
        mask |= OURS;
    syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &mask, 0L, 8L);
    if (p.sa_flags & SA_SIGINFO)
        p.sa_sigaction(number, info, context);
    else
        p.sa_handler(number);
}

/* ---- dispositions ---- */

static bool is_ours(int number)
{
    return number == SIGNALS_OURS && sample_handler && getpid() == pid;
}

/* What the program sees of *A, which the kernel told. */
static void tell(int number, struct sigaction *a)
{
    if (sample_handler && a->sa_sigaction == sample_handler)
        *a = programs;
    else
        fatal_tell(number, a);
}

static sighandler_t tell_handler(sighandler_t handler)
{
    if (sample_handler && (void *)handler == (void *)sample_handler)
        return programs.sa_handler;
    return fatal_is_ours((const void *)handler) ? SIG_DFL : handler;
}

static void set_programs(struct sigaction new)
{
    int saved = errno;
    programs = new;
    install();
    errno = saved;
}

static int set_action(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction before, new = { .sa_handler = SIG_DFL };
    if (action)
        new = *action;
    if (action && caught(&new) && new.sa_flags & SA_ONSTACK)
        sigstack_programs();
    if (is_ours(number)) {
        before = programs;
        if (action)
            set_programs(new);
    } else {
        if (real()->sigaction(number, action, old ? &before : 0))
            return -1;
        if (old)
            tell(number, &before);
        if (action && !(new.sa_flags & SA_SIGINFO) && new.sa_handler == SIG_DFL)
            fatal_defaulted(number);
    }
    if (old)
        *old = before;
    return 0;
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    return set_action(number, action, old);
}

EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    return set_action(number, action, old);
}

/* FLAGS: what ORIGINAL would set for signal 60. sigset alone takes SIG_ERR for a handler. */
static sighandler_t set_handler(sighandler_t (*original)(int, sighandler_t), int number,
                                sighandler_t new, int flags)
{
    if (is_ours(number)) {
        if (new == SIG_ERR && original != real()->sigset) {
            errno = EINVAL;
            return SIG_ERR;
        }
        struct sigaction action = { .sa_handler = new, .sa_flags = flags };
        if (flags == SA_RESTART && interrupts)
            action.sa_flags = 0;
        sighandler_t before = programs.sa_handler;
        set_programs(action);
        return before;
    }
    sighandler_t before = original(number, new);
    if (before == SIG_ERR)
        return before;
    if (new == SIG_DFL)
        fatal_defaulted(number);
    return tell_handler(before);
}

EXPORT sighandler_t signal(int number, sighandler_t new)
{
    return set_handler(real()->signal, number, new, SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t new)
{
    return set_handler(real()->signal, number, new, SA_RESTART);
}

EXPORT sighandler_t ssignal(int number, sighandler_t new)
{
    return set_handler(real()->signal, number, new, SA_RESTART);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t new)
{
    return set_handler(real()->__sysv_signal, number, new, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t new)
{
    return set_handler(real()->__sysv_signal, number, new, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t sigset(int number, sighandler_t new)
{
    if (new == SIG_HOLD && is_ours(number))
        return programs.sa_handler; /* masks leave it open */
    return set_handler(real()->sigset, number, new, 0);
}

EXPORT int sigignore(int number)
{
    if (!is_ours(number))
        return real()->sigignore(number);
    set_programs((struct sigaction){ .sa_handler = SIG_IGN });
    return 0;
}

/* libc asks the kernel for the handler and sets it again with other flags; samples would interrupt
 * system calls. */
EXPORT int siginterrupt(int number, int on)
{
    if (is_ours(number)) {
        interrupts = on;
        programs.sa_flags = on ? programs.sa_flags & ~SA_RESTART : programs.sa_flags | SA_RESTART;
        return 0;
    }
    int result = real()->siginterrupt(number, on);
    if (!result)
        fatal_interrupts(number, on);
    return result;
}

/* ---- masks ---- */

EXPORT int sighold(int number)
{
    return is_ours(number) ? 0 : real()->sighold(number);
}

static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *changed)
{
    if (!set || !sample_handler || how == SIG_UNBLOCK || !(set->__val[0] & OURS))
        return set;
    *changed = *set;
    changed->__val[0] &= ~OURS;
    return changed;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t changed;
    return real()->pthread_sigmask(how, without_ours(how, set, &changed), old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t changed;
    return real()->sigprocmask(how, without_ours(how, set, &changed), old);
}

/* A program that waits for all signals gets none of ours: they go to our handler, on a thread whose
 * mask lets them through. */
EXPORT int sigwait(const sigset_t *set, int *number)
{
    sigset_t changed;
    return real()->sigwait(without_ours(SIG_BLOCK, set, &changed), number);
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    sigset_t changed;
    return real()->sigwaitinfo(without_ours(SIG_BLOCK, set, &changed), info);
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    sigset_t changed;
    return real()->sigtimedwait(without_ours(SIG_BLOCK, set, &changed), info, timeout);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    sigset_t changed;
    return real()->signalfd(fd, without_ours(SIG_BLOCK, set, &changed), flags);
}
