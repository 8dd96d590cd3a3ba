/* sigstack.h - stacks for signal handlers.
 *
 * Code may run on a stack on which a handler has no room: goroutines, coroutines in 4 KB, a stack
 * that has overflown. So our handlers have SA_ONSTACK, and a thread that has no alternate stack of
 * the program's gets one of ours, which the program does not see: sigaltstack() tells it that there
 * is none, what it sets replaces ours, what it disables brings ours back.
 *
 * SA_ONSTACK leads onto the program's alternate stack where it has one. That may be as small as the
 * kernel lets it be, so nothing of ours but the kernel's frame and a call stands on it: the rest
 * runs on ours (sigstack_run), which is not the alternate one then.
 *
 * One mapping a thread, never touched before it is used: a page without access and SIGSTACK_BYTES:
 * what Go wants of an alternate stack that it finds and uses as its own, and a sample on top of
 * that. It stays with the thread's slot, for the next thread in it. Every thread has it, so it is
 * no larger: a thousand threads may be short of address space or of memory that may be locked.
 *
 * A program with handlers of its own that ask for SA_ONSTACK knows where they are to run: on the
 * thread's stack, where a thread has no other, which is larger than ours. Threads that start after
 * such a handler was set get none.
 */
#ifndef PRELOAD_SIGSTACK_H
#define PRELOAD_SIGSTACK_H

#include "dag/thread.h"

#define SIGSTACK_BYTES ((size_t)40 << 10)

/* A handler of ours: it aligns the stack by itself. The kernel does before it calls a handler;
 * qemu-user 7.2 does not. */
#define SIGSTACK_ENTRY __attribute__((force_align_arg_pointer))

/* [init] Threads get stacks: there are handlers of ours. */
void sigstack_setup(void);
/* [hook] The calling thread TH starts, ends. */
void sigstack_thread_start(struct thread *th);
void sigstack_thread_stop(struct thread *th);
/* [hook] The program has set a handler that asks for SA_ONSTACK. */
void sigstack_programs(void);

/* [any] Calls F(ARGUMENT) on the stack that ends at TOP, 16-byte aligned. */
void sigstack_call(void *top, void (*f)(void *), void *argument);
/* [any] In a handler of TH's that blocks all signals: F(ARGUMENT) on our stack, if that is not
 * where the handler stands already. */
static inline void sigstack_run(const struct thread *th, void (*f)(void *), void *argument)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (th->signal_stack && here - (uintptr_t)th->signal_stack >= SIGSTACK_BYTES)
        sigstack_call(th->signal_stack + SIGSTACK_BYTES, f, argument);
    else
        f(argument);
}

#endif
