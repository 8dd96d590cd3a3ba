/* sigstack.h - stacks for signal handlers. Hooks use them, too (base/aside.h).
 *
 * Code may run on a stack on which a handler has no room: goroutines, coroutines in 4 KB, a stack
 * that has overflown. So our handlers have SA_ONSTACK, and a thread without an alternate stack gets
 * one of ours. The program does not see it: sigaltstack() returns that there is none. If the
 * program sets a stack, it replaces ours; if the program disables its stack, ours comes back.
 *
 * If the thread has an alternate stack of the program's, our handler starts on it. That stack may
 * be as small as the kernel allows. So our handler uses it for the kernel's frame and one call, and
 * runs the rest on our stack (sigstack_run), which is not the alternate stack then.
 *
 * Each thread has one mapping: a page without access, and SIGSTACK_BYTES. That is as much as Go
 * demands of an alternate stack that it finds and uses as its own, and room for a sample on top.
 * The kernel gives it memory at its first use. The mapping stays with the thread's slot, for the
 * next thread in it. It is no larger because every thread has one: a program of a thousand threads
 * may be short of address space or of lockable memory.
 *
 * If the program sets a handler of its own with SA_ONSTACK, and a thread has no alternate stack,
 * the handler expects the thread's stack, which is larger than ours. So threads that start after
 * the program has set such a handler get none of ours.
 */
#ifndef PRELOAD_SIGSTACK_H
#define PRELOAD_SIGSTACK_H

#include "base/aside.h"
#include "dag/thread.h"

#define SIGSTACK_BYTES ASIDE_BYTES

/* A handler of ours: it aligns the stack by itself. The kernel does before it calls a handler;
 * qemu-user 7.2 does not. It has no canary (fsbase.h). */
#define SIGSTACK_ENTRY __attribute__((force_align_arg_pointer, no_stack_protector))

/* First in such a handler. The program may have set the processor's alignment check (EFLAGS.AC),
 * and the kernel leaves it on: then unaligned accesses of ours are SIGBUS. The handler's return
 * brings it back. */
#define SIGSTACK_ALIGNED_CODE()                                                             \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq\n\t"  \
                     "lea 128(%%rsp), %%rsp" ::: "memory", "cc")

/* [init] Threads get stacks: there are handlers of ours. */
void sigstack_setup(void);
/* [hook] The calling thread TH starts, ends. */
void sigstack_thread_start(struct thread *th);
void sigstack_thread_stop(struct thread *th);
/* [hook] The program has set a handler that asks for SA_ONSTACK. */
void sigstack_programs(void);

/* [any] In a handler of TH's that blocks all signals: F(ARGUMENT) on our stack, if that is not
 * where the handler stands already. */
static inline void sigstack_run(const struct thread *th, void (*f)(void *), void *argument)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (th->signal_stack && here - (uintptr_t)th->signal_stack >= SIGSTACK_BYTES)
        aside_call(th->signal_stack + SIGSTACK_BYTES, f, argument);
    else
        f(argument);
}

#endif
