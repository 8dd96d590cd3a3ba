/* sigstack.h - stacks for signal handlers. Hooks use them, too (base/aside.h).
 *
 * Code may run on a stack on which a handler has no room: goroutines, coroutines in 4 KB, a stack
 * that has overflowed. So our handlers have SA_ONSTACK, and a thread without an alternate stack
 * gets one of ours. The program does not see ours: sigaltstack() returns that there is none. If the
 * program sets a stack, that replaces ours. If the program disables its stack, ours comes back.
 *
 * If the thread has an alternate stack of the program's, our handler starts on it. That stack may
 * be as small as the kernel allows. So our handler uses it for the kernel's frame and one call, and
 * runs the rest on our stack (sigstack_run), which is not the alternate stack then.
 *
 * Each thread has one mapping: a page without access, and SIGSTACK_BYTES. Go uses an alternate
 * stack that it finds as its own, and demands a size of it. SIGSTACK_BYTES is that size, and room
 * for a sample. The kernel allocates the memory at the first use. The mapping stays with the
 * thread's slot, for the slot's next thread. It is no larger, because every thread has one: a
 * program of a thousand threads may be short of address space or of lockable memory.
 *
 * A program may free its alternate stack and leave it registered. Natively that does no harm if no
 * signal comes. A signal of ours would write to memory that is not mapped, or is not a stack any
 * more. So munmap, mremap and mprotect of that stack take it from the kernel, and the destructors
 * at the end of a thread and of the process run without samples (sampler_before_destructors). We do
 * not see other ways to free it. The kernel does not get a stack in which its frame has no room,
 * either.
 *
 * If the program sets a handler of its own with SA_ONSTACK, and a thread has no alternate stack,
 * the handler expects the thread's stack, which is larger than ours. So the thread that sets such
 * a handler gives ours back, and threads that start later get none. The other threads give ours
 * back at their next sample, and at their next call of a hook that calls sigstack_hook. A signal of
 * ours would reach the threads that sleep. But it would also end their system calls with EINTR. So
 * they get one only before a signal of the program's (agents/thread/directed.c).
 *
 * Go's handlers have SA_ONSTACK as well, but Go looks for the alternate stack of each thread by the
 * system call, and takes ours for its own. So our stacks stay where a handler is Go's.
 */
#ifndef PRELOAD_SIGNALS_SIGSTACK_H
#define PRELOAD_SIGNALS_SIGSTACK_H

#include "base/aside.h"
#include "dag/thread.h"

#define SIGSTACK_BYTES ASIDE_BYTES

/* Attributes of our handlers. They align the stack themselves: the kernel aligns it before it calls
 * a handler, but qemu-user 7.2 does not. They have no canary (fsbase.h). */
#define SIGSTACK_ENTRY __attribute__((force_align_arg_pointer, no_stack_protector))

/* The first statement of such a handler. It clears the processor's alignment check (EFLAGS.AC). The
 * program may have set it, and the kernel leaves it on. Then unaligned accesses of ours would raise
 * SIGBUS. The handler's return restores the flag. */
#define SIGSTACK_ALIGNED_CODE()                                                             \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq\n\t"  \
                     "lea 128(%%rsp), %%rsp" ::: "memory", "cc")

/* Why the kernel does not have the program's alternate stack. */
enum hidden { HIDDEN_NOT, HIDDEN_UNMAPPED, HIDDEN_PROTECTED, HIDDEN_SMALL };

/* [init] Looks up the functions behind munmap and the like, before another thread may call them. */
void sigstack_start(void);
/* [init] Threads get stacks: there are handlers of ours. */
void sigstack_setup(void);
/* [hook] The calling thread TH starts, ends. */
void sigstack_thread_start(struct thread *th);
void sigstack_thread_stop(struct thread *th);
/* [hook] The program is about to set HANDLER, which asks for SA_ONSTACK. */
void sigstack_programs(const void *handler);
/* [any] At the end of a handler of ours that blocks all signals, on the calling thread TH: the
 * return from the handler gives our stack back if the program's handlers use alternate stacks. */
void sigstack_sampled(struct thread *th, void *context);
/* [hook] On the calling thread TH: gives our stack back if the program's handlers use alternate
 * stacks. */
extern bool sigstack_are_programs;
void sigstack_give_back(struct thread *th);
static inline void sigstack_hook(struct thread *th)
{
    if (__builtin_expect(__atomic_load_n(&sigstack_are_programs, __ATOMIC_RELAXED), 0) &&
        th->lent_stack)
        sigstack_give_back(th);
}
/* [hook] Would a signal of ours run on an alternate stack of the program's, on the calling thread
 * TH? */
bool sigstack_is_programs(const struct thread *th);

/* [any] In a handler of TH's that blocks all signals. Calls F(ARGUMENT) on our stack. If the
 * handler already runs there, or there is none, calls it on the current stack. */
static inline void sigstack_run(const struct thread *th, void (*f)(void *), void *argument)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (th->signal_stack && here - (uintptr_t)th->signal_stack >= SIGSTACK_BYTES)
        aside_call(th->signal_stack + SIGSTACK_BYTES, f, argument);
    else
        f(argument);
}

#endif
