/* signals.c - see signals.h.
 *
 * Signal 60. A signal 60 that is no sample goes where it would go without us: to the program's
 * handler, or to the default, which ends the process. We take signal 60 out of the program's masks,
 * because a thread that blocks all signals would get no sample. We remember the thread's gate as
 * closed. If somebody sends signal 60 to such a thread after all, the thread gives up its samples:
 * we really block the signal, and send it again. The kernel then keeps the signal, or finds another
 * thread for it. sigwait and the like skip our samples (waiting.c).
 *
 * All other signals. The kernel has the dispositions, and we ask it each time. If it returns a
 * handler of ours, the program gets the disposition that it has set itself (fatal_hide). If the
 * program sets a signal to its default, we take the signal again (fatal_defaulted).
 *
 * A vfork child has dispositions of its own, but shares our memory: it changes the dispositions and
 * leaves the memory alone. No function here takes a lock, because the program calls them in
 * handlers. If two threads set the handler of signal 60 at once, one of the two handlers stays.
 *
 * libc's names. signal, bsd_signal and ssignal are one function. sysv_signal and __sysv_signal
 * (signal() of strict C) are another one. None of them calls a name that could be interposed.
 * sigvec exists only for programs of before 2015. sigpause, sigsuspend and sigblock cannot close
 * the gate, or only while the thread sleeps. sigsetmask opens it, because its masks have only 32
 * signals (dash uses it).
 */
#define _GNU_SOURCE
#include "signals/signals.h"
#include "arch/system_call.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "signals/fatal.h"
#include "signals/tls.h"
#include "base/kernel.h"
#include "base/program.h"
#include "base/aside.h"
#include "base/export.h"
#include "base/real.h"
#include "signals/sigstack.h"
#include "signals/waiting.h"
#include "base/forbid.h"

/* libc exports them, but its headers declare them for some programs only. */
int __sigaction(int, const struct sigaction *, struct sigaction *);
sighandler_t bsd_signal(int, sighandler_t);

#define SA_RESTORER 0x04000000   /* the kernel's; libc sets it in each disposition */
#define OURS SIGNALS_OURS_BIT

/* NULL: signal 60 is the program's; written by signals_take. */
static void (*sample_handler)(int, siginfo_t *, void *);
static bool (*is_sample)(const siginfo_t *);
static pid_t pid; /* whose signal 60 is ours; written by signals_take, signals_forked */
static struct sigaction programs; /* what the program set for signal 60; by the thread that sets */
static bool interrupts; /* the program called siginterrupt(60, 1); by the thread that calls */

/* The thread's mask for signal 60, as the program knows it. CLOSED: the program blocks it, the
 * kernel's mask does not. GIVEN_UP: the kernel has the program's masks unchanged. Only the thread
 * itself writes its gate, also in handlers. */
enum gate { OPEN, CLOSED, GIVEN_UP };
static __thread struct {
    enum gate gate : 2;
    /* A child of vfork shares our memory, so the gate is its parent's. If the child changes its
     * mask for signal 60, the kernel has that mask, and this is the child's pid. */
    unsigned child_with_mask : 30;
} own __attribute__((tls_model("initial-exec")));

static bool caught(const struct sigaction *a)
{
    return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/* Our handler blocks all signals. Otherwise a handler of the program could interrupt it and leave
 * by longjmp. Then our sample would be lost, and our signal would stay blocked. If the program's
 * handler for signal 60 runs on the thread's own stack, ours does, too. */
static bool install(void)
{
    bool own_stack = caught(&programs) && !(programs.sa_flags & SA_ONSTACK);
    const int flags = SA_SIGINFO | SA_RESTART | (own_stack ? 0 : sigstack_flag());
    struct sigaction action = { .sa_sigaction = sample_handler, .sa_flags = flags }, before;
    memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
    if (real()->sigaction(SIGNALS_OURS, &action, &before))
        return false;
    if (before.sa_sigaction != sample_handler)
        programs = before;
    return true;
}

bool signals_take(void (*handler)(int, siginfo_t *, void *), bool (*sample)(const siginfo_t *))
{
    sample_handler = handler;
    is_sample = sample;
    pid = process_pid;
    uint64_t inherited = 0;
    syscall(SYS_rt_sigprocmask, (long)SIG_BLOCK, 0L, &inherited, 8L);
    if (!install())
        sample_handler = 0;
    else if (inherited & OURS)
        own.gate = CLOSED;      /* the parent process has blocked the signal */
    waiting_setup(sample_handler ? sample : 0);
    return sample_handler;
}

void signals_forked(void)
{
    pid = getpid();
}

/* Sends signal 60 again, to this thread or to the process, as it was sent first. The kernel lets
 * only the main thread claim that kill(2) sent it. Other threads claim sigqueue(3), with the same
 * sender. */
static void send_again(const siginfo_t *info)
{
    const long number = SIGNALS_OURS, process = getpid();
    if (info->si_code == SI_TKILL) {
        syscall(SYS_rt_tgsigqueueinfo, process, syscall(SYS_gettid), number, info);
    } else if (syscall(SYS_rt_sigqueueinfo, process, number, info)) {
        siginfo_t queued = *info;
        queued.si_code = SI_QUEUE;
        syscall(SYS_rt_sigqueueinfo, process, number, &queued);
    }
}

/* The signal of INFO goes on, and those behind it that are pending, in their order. A sample among
 * them is lost: the program must not get it. So no sample may come after the last look: STOP comes
 * first. */
static void give_up(const siginfo_t *info, ucontext_t *context, void (*stop)(void))
{
    enum { MOST = 8 };
    siginfo_t others[MOST];
    const uint64_t ours = OURS;
    const struct timespec now = { 0, 0 };
    unsigned n = 0;
    int saved = errno;
    own.gate = GIVEN_UP;
    stop();
    waiting_give_up();
    context->uc_sigmask.__val[0] |= OURS;
    while (n < MOST && syscall(SYS_rt_sigtimedwait, &ours, &others[n], &now, 8L) == SIGNALS_OURS)
        n += !is_sample(&others[n]);
    send_again(info);
    for (unsigned i = 0; i < n; i++)
        send_again(&others[i]);
    errno = saved;
}

TLS_AFTER bool signals_kept(siginfo_t *info, void *context, void (*stop)(void))
{
    if (own.gate != CLOSED)
        return false;
    give_up(info, context, stop);
    return true;
}

/* Did a tracer take a sample's signal, and send it later as its own? ltrace does so while it steps
 * over a breakpoint. The kernel then names the tracer as the sender, or itself. It sends no signal
 * 60 unasked. Calls no libc, which may need the thread's own thread pointer. */
TLS_BEFORE static bool sent_by_tracer(const siginfo_t *info)
{
    static const char key[] = "\nTracerPid:\t";
    char text[320];             /* name and ids come first */
    if (info->si_code != SI_USER && info->si_code != SI_KERNEL)
        return false;
    long fd = system_call6(SYS_openat, AT_FDCWD, (long)"/proc/thread-self/status",
                          O_RDONLY | O_CLOEXEC, 0, 0, 0);
    long n = fd < 0 ? 0 : system_call6(SYS_read, fd, (long)text, sizeof text, 0, 0, 0);
    if (fd >= 0)
        system_call6(SYS_close, fd, 0, 0, 0, 0, 0);
    long tracer = 0;
    unsigned met = 0;           /* bytes of the key */
    for (long i = 0; i < n; i++) {
        if (met < sizeof key - 1)
            met = text[i] == key[met] ? met + 1 : text[i] == key[0];
        else if (text[i] >= '0' && text[i] <= '9')
            tracer = tracer * 10 + text[i] - '0';
        else
            break;
    }
    return tracer && (info->si_code == SI_KERNEL || info->si_pid == tracer);
}

/* Our handler blocks all signals. The program's handler runs with the mask that it would have
 * without us. */
TLS_BEFORE void signals_programs(int number, siginfo_t *info, void *context)
{
    const struct sigaction p = programs;
    if (!caught(&p)) {
        if (p.sa_handler == SIG_DFL && !sent_by_tracer(info))
            fatal_programs(number, info, context);
        return;
    }
    if (p.sa_flags & SA_RESETHAND)
        programs = (struct sigaction){ .sa_handler = SIG_DFL };
    uint64_t mask = ((const ucontext_t *)context)->uc_sigmask.__val[0] | p.sa_mask.__val[0];
    if (!(p.sa_flags & SA_NODEFER))
        mask |= OURS;
    system_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
    if (p.sa_flags & SA_ONSTACK &&
        sigstack_move((const void *)p.sa_sigaction, number, info, context))
        return;
    if (p.sa_flags & SA_SIGINFO)
        p.sa_sigaction(number, info, context);
    else
        p.sa_handler(number);
}

static bool is_ours(int number)
{
    return number == SIGNALS_OURS && sample_handler && getpid() == pid;
}

/* ---- dispositions ---- */

/* Turns *A, from the kernel, into what the program has set. */
static void hide_ours(int number, struct sigaction *a)
{
    if (sample_handler && a->sa_sigaction == sample_handler)
        *a = programs;
    else
        fatal_hide(number, a);
    a->sa_sigaction = (void (*)(int, siginfo_t *, void *))sigstack_relayed((void *)a->sa_sigaction);
}

static sighandler_t programs_handler(sighandler_t handler)
{
    if (sample_handler && (void *)handler == (void *)sample_handler)
        return programs.sa_handler;
    if (fatal_is_ours((const void *)handler))
        return SIG_DFL;
    return (sighandler_t)sigstack_relayed((const void *)handler);
}

/* libc adds a function that returns from handlers, and sigaction shows it to programs. So the
 * program gets this field of our own disposition. */
static void set_programs(struct sigaction new)
{
    int saved = errno;
    struct sigaction ours;
    if (!real()->sigaction(SIGNALS_OURS, 0, &ours)) {
        new.sa_flags |= ours.sa_flags & SA_RESTORER;
        new.sa_restorer = ours.sa_restorer;
    }
    programs = new;
    install();
    errno = saved;
}

static int set_action(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction before, new = { .sa_handler = SIG_DFL };
    if (action) {
        new = *action;
        fatal_hold();
    }
    if (is_ours(number)) {
        before = programs;
        if (action)
            set_programs(new);
    } else {
        struct sigaction given = new;
        sigstack_relay(number, &given);
        if (real()->sigaction(number, action ? &given : 0, old ? &before : 0))
            return -1;
        if (old)
            hide_ours(number, &before);
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
    fatal_hold();
    sighandler_t before = original(number, new);
    if (before == SIG_ERR)
        return before;
    if (new == SIG_DFL)
        fatal_defaulted(number);
    return programs_handler(before);
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

static int hold(int number)
{
    if (!is_ours(number) || own.gate == GIVEN_UP)
        return real()->sighold(number);
    own.gate = CLOSED;
    return 0;
}

/* Does the program block signal 60 in this thread? */
static bool held(void)
{
    uint64_t mask = 0;
    if (own.gate == GIVEN_UP)
        syscall(SYS_rt_sigprocmask, (long)SIG_BLOCK, 0L, &mask, 8L);
    return own.gate == CLOSED || mask & OURS;
}

static int release(int number)
{
    if (is_ours(number) && own.gate == CLOSED)
        own.gate = OPEN;
    return real()->sigrelse(number);
}

EXPORT sighandler_t sigset(int number, sighandler_t new)
{
    if (!is_ours(number))
        return set_handler(real()->sigset, number, new, 0);
    bool was_held = held();
    sighandler_t before = programs.sa_handler;
    if (new == SIG_HOLD) {
        if (hold(number))
            return SIG_ERR;
    } else {
        before = set_handler(real()->sigset, number, new, 0);
        release(number);
    }
    return was_held ? SIG_HOLD : before;
}

EXPORT int sigignore(int number)
{
    if (!is_ours(number))
        return real()->sigignore(number);
    set_programs((struct sigaction){ .sa_handler = SIG_IGN });
    return 0;
}

/* libc's siginterrupt gets the handler from the kernel and sets it again with other flags. On our
 * handler that would let samples interrupt system calls. */
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

/* The gate after the program changes its mask by SET. */
static enum gate gate_after(int how, const sigset_t *set)
{
    bool named = set && set->__val[0] & OURS;
    if (!set || own.gate == GIVEN_UP || (how != SIG_SETMASK && !named))
        return own.gate;
    return named && how != SIG_UNBLOCK ? CLOSED : OPEN;
}

static bool is_vfork_child(void)
{
    return sample_handler && getpid() != pid;
}

/* The body of a function that sets the mask. CALL sets SET, without our signal, and returns the
 * mask before in OLD. libunwind's call (base/aside.h) goes straight to libc: signal 60 may be
 * blocked by libprof, and the mask that libunwind sets again does not show what the program
 * wishes. */
#define MASK(call)                                                          \
    if (aside_here.in_library)                                              \
        return call;                                                        \
    sigset_t changed;                                                       \
    const sigset_t *asked = set;                                            \
    bool masked = sample_handler && own.gate != GIVEN_UP;                   \
    if (masked && set && how != SIG_UNBLOCK && set->__val[0] & OURS) {      \
        changed = *set;                                                     \
        changed.__val[0] &= ~OURS;                                          \
        set = &changed;                                                     \
    }                                                                       \
    enum gate after = gate_after(how, asked), before = own.gate;            \
    if (after != before && is_vfork_child()) {                              \
        set = asked;                                                        \
        masked = false;                                                     \
        own.child_with_mask = getpid();                                     \
    }                                                                       \
    int result = call;                                                      \
    if (masked && !result) {                                                \
        if (old && before == CLOSED)                                        \
            old->__val[0] |= OURS;                                          \
        own.gate = own.gate == GIVEN_UP ? GIVEN_UP : after;                 \
    }                                                                       \
    return result;

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    MASK(real()->pthread_sigmask(how, set, old))
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    MASK(real()->sigprocmask(how, set, old))
}

EXPORT int sighold(int number)
{
    return hold(number);
}

EXPORT int sigrelse(int number)
{
    return release(number);
}

EXPORT int sigsetmask(int mask)
{
    if (own.gate == CLOSED)
        own.gate = OPEN;
    return real()->sigsetmask(mask);
}

bool signals_closed(void)
{
    return own.gate != OPEN;
}

void signals_inherit(bool closed)
{
    if (closed && sample_handler)
        own.gate = CLOSED;
}

void signals_open(void)
{
    const uint64_t ours = OURS;
    if (own.gate != GIVEN_UP)
        syscall(SYS_rt_sigprocmask, (long)SIG_UNBLOCK, &ours, 0L, 8L);
}

static void set_in_truth(int how)
{
    const uint64_t ours = OURS;
    bool is_truth = own.child_with_mask && own.child_with_mask == (unsigned)getpid();
    if (sample_handler && own.gate == CLOSED && !is_truth)
        kernel_call(SYS_rt_sigprocmask, (long)how, &ours, 0L, 8L);
}

static bool ignored(const struct sigaction *a)
{
    return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == SIG_IGN;
}

/* Of two threads that start programs at once, the first to be ready takes our handler back for
 * both. Then the other's program may not ignore the signal. */
void signals_hand_on(bool program)
{
    struct sigaction now;
    fatal_hold();
    set_in_truth(SIG_BLOCK);
    if (!program || !sample_handler || kernel_closed || !ignored(&programs))
        return;
    int saved = errno;
    if (!real()->sigaction(SIGNALS_OURS, 0, &now) && now.sa_sigaction == sample_handler)
        real()->sigaction(SIGNALS_OURS, &programs, 0);
    errno = saved;
}

void signals_take_back(bool program)
{
    if (program && sample_handler && !kernel_closed && ignored(&programs)) {
        int saved = errno;
        install();
        errno = saved;
    }
    set_in_truth(SIG_UNBLOCK);
}
