/* directed.c - signals that the program sends to one of its threads.
 *
 * If the program has set a handler with SA_ONSTACK, a thread that started before gives libprof's
 * alternate stack back at its next sample (signals/sigstack.h). A thread that sleeps has none. Its
 * handler would run on libprof's stack, which is small. And a handler that takes its own frame for
 * the top of the thread's stack, as a garbage collector's does, would look at the wrong stack.
 *
 * So before a program's signal with such a handler, a signal of libprof's makes the thread give the
 * stack back. Where the thread sleeps in a system call, the program's signal is about to interrupt
 * it anyway. This happens once in a thread's life at most.
 *
 * pthread_kill has two versions. For a thread that has ended, the older one returns ESRCH.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include "base/real.h"
#include "dag/thread.h"
#include "signals/signals.h"
#include "signals/sigstack.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))

enum by { BY_ID, BY_TID };

/* NUMBER is about to be sent to the thread WHO. */
static void before(enum by by, uintptr_t who, int number)
{
    if (__builtin_expect(!__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED), 1))
        return;
    struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    while (th && !(__atomic_load_n(&th->live, __ATOMIC_RELAXED) &&
                   who == (by == BY_ID ? th->fs_base : th->tid)))
        th = th->next;
    if (th && th == thread_self_)
        sigstack_hook(th);
    else if (th && __atomic_load_n(&th->lent_stack, __ATOMIC_RELAXED))
        signals_before(th, number);
}

int pthread_kill_new(pthread_t id, int number);
int pthread_kill_old(pthread_t id, int number);

EXPORT __attribute__((symver("pthread_kill@@GLIBC_2.34"))) int pthread_kill_new(pthread_t id,
                                                                                int number)
{
    before(BY_ID, id, number);
    return real()->pthread_kill(id, number);
}

EXPORT __attribute__((symver("pthread_kill@GLIBC_2.2.5"))) int pthread_kill_old(pthread_t id,
                                                                                int number)
{
    before(BY_ID, id, number);
    return real()->pthread_kill_old(id, number);
}

EXPORT int pthread_sigqueue(pthread_t id, int number, const union sigval value)
{
    before(BY_ID, id, number);
    return real()->pthread_sigqueue(id, number, value);
}

EXPORT int tgkill(pid_t group, pid_t tid, int number)
{
    before(BY_TID, (uint32_t)tid, number);
    return real()->tgkill(group, tid, number);
}

EXPORT int raise(int number)
{
    if (thread_self_)
        sigstack_hook(thread_self_);
    return real()->raise(number);
}
