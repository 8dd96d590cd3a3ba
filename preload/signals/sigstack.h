/* sigstack.h - stacks for signal handlers. Hooks use them, too (base/aside.h).
 *
 * Code may run on a stack on which a handler has no room: goroutines, coroutines in 4 KB, a stack
 * that has overflowed. So our handlers have SA_ONSTACK, and a thread without an alternate stack
 * gets one of ours. The program does not see ours: sigaltstack() returns that there is none. To the
 * program, its own stack replaces ours when it sets one: sigaltstack() then returns the program's.
 * When the program disables its stack, sigaltstack() again returns that there is none.
 *
 * The kernel keeps ours, even if the program sets one. The program may free its stack and leave it
 * registered. Natively that does no harm if no signal comes, and a signal of ours never starts
 * there. So it does no harm with us.
 *
 * The program's handlers with SA_ONSTACK run where they would without us: on the program's
 * alternate stack, or on the interrupted one if there is none. In the kernel, a RELAY of ours
 * stands for such a handler, with the program's flags and mask. It starts on our stack. It copies
 * the kernel's frame to the program's stack, changes the original so that it leads to the program's
 * handler, with the copy as its frame, and returns. So the kernel itself enters the handler, and
 * nothing of ours is on its stack. Nothing may stay on our stack, either: the next signal starts at
 * its top. So if several signals come at once, the last relay does this for all. Only uc_stack
 * names our stack: the return from the handler restores the alternate stack that uc_stack names.
 *
 * There are stacks and handlers that libprof does not see, because they are set by the system call
 * itself. A sanitizer, a crash reporter and Go do that. A stack that was set by the system call
 * stays in the kernel, and samples start on it: they use it for the kernel's frame and one call,
 * and run the rest on our stack (sigstack_run). So does a stack that was set with SS_AUTODISARM:
 * the kernel disables it while a handler runs, and nobody else sees where the handler ends. A
 * handler that was set by the system call runs on our stack, unless its thread has set a stack by
 * the system call, too.
 *
 * Each thread has one mapping: a page without access, the stack, and a head above it that
 * names the thread, because a relay may have no thread-local storage (tls.h). If Go finds an
 * alternate stack, it uses the stack as its own, but only from a minimal size on. SIGSTACK_BYTES is
 * that size, and room for a sample. The kernel allocates the memory at the first use. The mapping
 * stays with the thread's slot, for the slot's next thread. It is no larger, because every thread
 * has one: a program of a thousand threads may be short of address space or of lockable memory.
 * But if many signals come to a thread at once, the kernel puts a frame for each on the stack
 * before the first relay begins. They come to the main thread, mostly, because they are sent to the
 * process. So the main thread's stack has room for all that there are.
 *
 * Go's handlers have no relay. Go looks for the alternate stack of each thread by the system call,
 * and takes ours for its own. Where Go is, other handlers stay on ours as well, if the program has
 * registered none: they may have interrupted a goroutine, on a stack without room.
 */
#ifndef PRELOAD_SIGNALS_SIGSTACK_H
#define PRELOAD_SIGNALS_SIGSTACK_H

#include <signal.h>
#include "base/aside.h"
#include "dag/thread.h"

#define SIGSTACK_BYTES ASIDE_BYTES
#define SIGSTACK_MAIN_BYTES (((size_t)256 << 10) - ASIDE_ABOVE) /* the main thread's */

/* [init] Threads get stacks, handlers get relays: there are handlers of ours. */
void sigstack_setup(void);
/* [hook] The calling thread TH starts, ends. After its end the kernel has the program's stack. */
void sigstack_thread_start(struct thread *th);
void sigstack_thread_stop(struct thread *th);

/* [any] *A is what the program sets for signal NUMBER. Turns it into what the kernel gets. */
void sigstack_relay(int number, struct sigaction *a);
/* [any] The program's handler, if HANDLER is the relay of one. Else HANDLER. */
const void *sigstack_relayed(const void *handler);
/* [any] In a handler of ours, which the kernel gave NUMBER, INFO and CONTEXT. True: the return from
 * it will enter the program's HANDLER, with the mask of now, on the stack where the kernel would
 * have started it without us. False: that is the current stack, or the other one has no room. */
bool sigstack_move(const void *handler, int number, siginfo_t *info, void *context);

/* [any] SA_ONSTACK, of a handler of ours. Not under valgrind: there threads have no alternate stack
 * of ours, and valgrind (3.19) does not grow a thread's stack for the frame of such a handler. The
 * program dies if the frame is the first that needs the next page. */
static inline int sigstack_flag(void)
{
    return in_valgrind ? 0 : SA_ONSTACK;
}

/* [any] In a handler of TH's that blocks all signals. Calls F(ARGUMENT) on our stack. If the
 * handler already runs there, or there is none, calls it on the current stack. */
static inline void sigstack_run(const struct thread *th, void (*f)(void *), void *argument)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (th->signal_stack && here - (uintptr_t)th->signal_stack >= th->signal_stack_bytes)
        aside_call(th->signal_stack + th->signal_stack_bytes, f, argument);
    else
        f(argument);
}

#endif
