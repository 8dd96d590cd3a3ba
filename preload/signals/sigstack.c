/* sigstack.c - see sigstack.h. Which alternate stack is in force, the kernel knows, and we ask it.
 * So it does no harm if a program sets one by the system call itself, as Go does. What a thread
 * remembers of its program's stack (program_stack) only tells which calls of munmap concern it, and
 * what sigaltstack() returns of a stack that was unmapped.
 */
#define _GNU_SOURCE
#include "signals/sigstack.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/aside.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/real.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))
#define GUARD ((size_t)4096)
#define BYTES (GUARD + SIGSTACK_BYTES)

static bool wanted; /* written by sigstack_setup */
static int (*unmap)(void *, size_t); /* the next munmap; written by sigstack_start */
/* The program's handlers use alternate stacks; set once, by whoever sets the first such handler. */
bool sigstack_are_programs;

/* A malloc of the program's may call munmap while libprof looks up a name. So munmap itself must
 * not look up anything. */
void sigstack_start(void)
{
    *(void **)&unmap = lookup(RTLD_NEXT, "munmap");
}

void sigstack_setup(void)
{
    wanted = true;
}

/* Makes TH's stack, which lies above the guard, the alternate stack. */
static void give(struct thread *th)
{
    const stack_t ours = { .ss_sp = th->signal_stack, .ss_size = SIGSTACK_BYTES };
    th->lent_stack = !real()->sigaltstack(&ours, 0);
}

/* If TH's stack is the alternate stack, disables it. False: a handler runs on it. */
static bool take_back(struct thread *th)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    stack_t now;
    bool gone = real()->sigaltstack(0, &now) || now.ss_sp != th->signal_stack ||
                !real()->sigaltstack(&none, 0);
    if (gone)
        th->lent_stack = false;
    return gone;
}

void sigstack_give_back(struct thread *th)
{
    int saved = errno;
    if (th->signal_stack && !kernel_closed)
        take_back(th);
    errno = saved;
}

void sigstack_programs(void)
{
    struct thread *th = thread_self_;
    if (!__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
        __atomic_store_n(&sigstack_are_programs, true, __ATOMIC_RELAXED);
    if (th)
        sigstack_give_back(th);
}

/* Disables the alternate stack, on which this function runs. The kernel refuses that to code whose
 * stack pointer is there. So the stack pointer is SP meanwhile. Nothing uses that stack: the system
 * call does not, and all signals are blocked. */
static bool disable_from(uintptr_t sp)
{
    const stack_t none = { .ss_flags = SS_DISABLE };
    long result = SYS_sigaltstack;
    register uintptr_t other __asm__("r12") = sp;
    __asm__ volatile("xchg %%rsp, %%r12\n\t"
                     "syscall\n\t"
                     "xchg %%rsp, %%r12"
                     : "+a"(result), "+r"(other)
                     : "D"(&none), "S"(0l)
                     : "rcx", "r11", "memory");
    return !result;
}

/* The return from a handler sets the alternate stack of its context, so that must change, too.
 * Linux 6.12 refuses this to a handler on the alternate stack, so it does not suffice. If the
 * sample has interrupted code on the stack, a later one tries again. */
void sigstack_sampled(struct thread *th, void *context)
{
    ucontext_t *u = context;
    stack_t now;
    uintptr_t sp = u->uc_mcontext.gregs[REG_RSP];
    if (!th->lent_stack || in_valgrind || kernel_closed ||
        sp - (uintptr_t)th->signal_stack <= SIGSTACK_BYTES)
        return;
    int saved = errno;
    if (real()->sigaltstack(0, &now))
        now.ss_sp = 0;
    errno = saved;
    if (now.ss_sp == th->signal_stack && !disable_from(sp))
        return;
    if (u->uc_stack.ss_sp == th->signal_stack)
        u->uc_stack = (stack_t){ .ss_flags = SS_DISABLE };
    /* pairs with signals_before */
    __atomic_store_n(&th->lent_stack, false, __ATOMIC_RELEASE);
}

/* Not inline, because its stack_t would lie on the thread's stack at its deepest place
 * (policy/depth-begin). */
__attribute__((noinline)) void sigstack_thread_start(struct thread *th)
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
    th->lent_stack = th->asked_stack = false;
    th->program_stack = (stack_t){ 0 };
    th->unmapped_stack = false;
    if (wanted && th->signal_stack && !kernel_closed && !real()->sigaltstack(0, &now)) {
        if (!(now.ss_flags & SS_DISABLE))
            th->program_stack = now;
        else if (!__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
            give(th);
    }
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

bool sigstack_is_programs(const struct thread *th)
{
    int saved = errno;
    stack_t now;
    bool is = wanted && !kernel_closed && !real()->sigaltstack(0, &now) &&
              !(now.ss_flags & SS_DISABLE) && now.ss_sp != th->signal_stack;
    errno = saved;
    return is;
}

/* The program unmaps BYTES at P. If its alternate stack has some of them, no signal can run there
 * any more, and the kernel must not try. Ours replaces it, as if the program had disabled it. */
static void leave_unmapped(struct thread *th, const char *p, size_t bytes)
{
    const char *stack = th->program_stack.ss_sp;
    if ((uintptr_t)p & 4095 || stack + th->program_stack.ss_size <= p || p + bytes <= stack)
        return;
    int saved = errno;
    const stack_t none = { .ss_flags = SS_DISABLE };
    stack_t now;
    if (!kernel_closed && !real()->sigaltstack(0, &now) && now.ss_sp == stack &&
        !(now.ss_flags & (SS_DISABLE | SS_ONSTACK))) {
        th->unmapped_stack = true;
        if (__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
            real()->sigaltstack(&none, 0);
        else
            give(th);
    }
    errno = saved;
}

EXPORT int munmap(void *p, size_t bytes)
{
    struct thread *th = thread_self_;
    if (__builtin_expect(th && th->program_stack.ss_size, 0))
        leave_unmapped(th, p, bytes);
    return unmap ? unmap(p, bytes) : (int)syscall(SYS_munmap, p, bytes);
}

/* The program does not see our stack. Where ours is in force, the program sees none, or the one
 * that it has unmapped. When it disables its own, ours comes back. The kernel reads *NEW and writes
 * *OLD first: it reports an address that is wrong. */
EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
    struct thread *th = thread_self_;
    if (!wanted || !th || !th->signal_stack)
        return real()->sigaltstack(new, old);
    stack_t before;
    if (real()->sigaltstack(new, &before))
        return -1;
    const stack_t none = { .ss_flags = SS_DISABLE };
    bool disable = new && new->ss_flags & SS_DISABLE;
    if (old && real()->sigaltstack(0, old))
        return -1;
    int saved = errno;
    bool was_ours = before.ss_sp == th->signal_stack && !(before.ss_flags & SS_DISABLE);
    if (new)
        th->lent_stack = false;
    if (disable && !__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED))
        give(th);
    if (old && (was_ours || before.ss_flags & SS_DISABLE))
        *old = th->unmapped_stack ? th->program_stack : none;
    else if (old)
        *old = before;
    if (new) {
        th->program_stack = disable ? (stack_t){ 0 } : *new;
        th->unmapped_stack = false;
    }
    errno = saved;
    return 0;
}
