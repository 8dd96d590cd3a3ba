/* signals.h - the signal that brings samples, and the program's own use of signals.
 *
 * libprof interposes every libc function that sets or reads a disposition, and every one that
 * could block our signal. So the program sees the dispositions that it has set itself: for our
 * signal, and for the signals that fatal.c has taken because they were at their default.
 */
#ifndef PRELOAD_SIGNALS_SIGNALS_H
#define PRELOAD_SIGNALS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define SIGNALS_OURS 60 /* a real-time one that nothing else uses; gdb calls it SIG60 */
#define SIGNALS_OURS_BIT (1ul << (SIGNALS_OURS - 1))    /* in a set of the kernel's */

/* [init] HANDLER gets the signal, on the alternate stack, with all signals blocked. IS_SAMPLE
 * [any]: is a signal with INFO one of ours? */
bool signals_take(void (*handler)(int, siginfo_t *, void *), bool (*is_sample)(const siginfo_t *));
/* [any] In that handler, if the signal was no sample: does the program block it on this thread?
 * Then this function calls STOP, which ends the thread's samples for good, really blocks the signal
 * and sends it again. It waits until the program unblocks it or another thread takes it. */
bool signals_kept(siginfo_t *info, void *context, void (*stop)(void));
/* [any] At that handler's end, if signals_kept returned false: does what the program wants of the
 * signal. The thread pointer may be the program's (tls.h). */
void signals_programs(int number, siginfo_t *info, void *context);
/* [hook] In the child of fork. */
void signals_forked(void);
/* [any] Does the program block signal 60 on the calling thread? The kernel's mask does not show
 * it. So a new thread learns it by signals_inherit, and signals_hand_on gives a started program the
 * mask that it would have without us. */
bool signals_closed(void);
/* [hook] The calling thread gets samples from now on: unblocks signal 60 in the kernel's mask,
 * whatever the program's mask is. Does nothing if the thread has given up its samples. */
void signals_open(void);
/* [hook] At the start of a thread. CLOSED: signals_closed() of its creator. */
void signals_inherit(bool closed);
/* [hook] Around a call that starts a thread or a program (PROGRAM), which inherits the kernel's
 * mask. signals_hand_on sets the kernel's mask to the program's. If the program ignores signal 60,
 * so does a program that it starts: no thread has samples during the call. signals_take_back undoes
 * this. */
void signals_hand_on(bool program);
void signals_take_back(bool program);

#endif
