/* sigstack.c - see sigstack.h. Nothing here remembers a thread's alternate stack: we ask the
 * kernel. So it does no harm if a program sets one by the system call itself, as Go does.
 */
#define _GNU_SOURCE
#include "signals/sigstack.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include "base/kernel.h"
#include "base/aside.h"
#include "base/memory.h"
#include "base/real.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))
#define GUARD ((size_t)4096)
#define BYTES (GUARD + SIGSTACK_BYTES)

static bool wanted; /* written by sigstack_setup */
static bool
    programs; /* the program's handlers use alternate stacks; set once, by whoever sets the first */

void sigstack_setup(void)
{
    wanted = true;
}

/* Makes TH's stack, which lies above the guard, the alternate stack. */
static void give(const struct thread *th)
{
    const stack_t ours = { .ss_sp = th->signal_stack, .ss_size = SIGSTACK_BYTES };
    real()->sigaltstack(&ours, 0);
}

/* If TH's stack is the alternate stack, disables it. False: a handler runs on it. */
static bool take_back(const struct thread *th)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    stack_t now;
    return real()->sigaltstack(0, &now) || now.ss_sp != th->signal_stack ||
           !real()->sigaltstack(&none, 0);
}

void sigstack_programs(void)
{
    const struct thread *th = thread_self_;
    int saved = errno;
    if (!__atomic_load_n(&programs, __ATOMIC_RELAXED))
        __atomic_store_n(&programs, true, __ATOMIC_RELAXED);
    if (th && th->signal_stack && !kernel_closed)
        take_back(th);
    errno = saved;
}

void sigstack_thread_start(struct thread *th)
{
    int saved = errno;
    if (!th->signal_stack) {
        char *p = memory_map(BYTES);
        if (p)
            mprotect(p, GUARD, PROT_NONE);
        th->signal_stack = p ? p + GUARD : 0;
    }
    aside_stack(th->signal_stack);
    stack_t now;
    if (wanted && th->signal_stack && !kernel_closed &&
        !__atomic_load_n(&programs, __ATOMIC_RELAXED) && !real()->sigaltstack(0, &now) &&
        now.ss_flags & SS_DISABLE)
        give(th);
    errno = saved;
}

/* The slot's next thread gets the stack. If a thread ends while it runs on the stack (pthread_exit
 * in a handler), the stack is leaked. */
void sigstack_thread_stop(struct thread *th)
{
    aside_stack(0);
    if (!th->signal_stack || kernel_closed)
        return;
    int saved = errno;
    if (!take_back(th))
        th->signal_stack = 0;
    errno = saved;
}

/* The program does not see our stack. Where ours is in force, the program sees none. When it
 * disables its own, ours comes back. The kernel reads *NEW and writes *OLD first: it reports an
 * address that is wrong. */
EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
    const struct thread *th = thread_self_;
    if (!wanted || !th || !th->signal_stack)
        return real()->sigaltstack(new, old);
    stack_t before;
    if (real()->sigaltstack(new, &before))
        return -1;
    bool disable = new && new->ss_flags & SS_DISABLE;
    if (old && real()->sigaltstack(0, old))
        return -1;
    int saved = errno;
    bool was_ours = before.ss_sp == th->signal_stack && !(before.ss_flags & SS_DISABLE);
    if (disable && (was_ours || !__atomic_load_n(&programs, __ATOMIC_RELAXED)))
        give(th);
    if (old)
        *old = was_ours ? (stack_t){ .ss_flags = SS_DISABLE } : before;
    errno = saved;
    return 0;
}
