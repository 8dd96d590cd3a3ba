/* signals.h - the signal that brings samples, and what the program does to signals.
 *
 * Every libc function that sets or reads a disposition passes here, and so does every one that
 * would block our signal. The program sees the dispositions that it has set itself: of our signal,
 * and of the signals that fatal.c has taken because they were at their default.
 */
#ifndef PRELOAD_SIGNALS_H
#define PRELOAD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define SIGNALS_OURS 60 /* a real-time one that nothing else uses; gdb calls it SIG60 */

/* [init] HANDLER gets the signal, on the alternate stack, with all signals blocked. IS_SAMPLE
 * [any]: is a signal with INFO one of ours? */
bool signals_take(void (*handler)(int, siginfo_t *, void *), bool (*is_sample)(const siginfo_t *));
/* [any] In that handler, if the signal was not for us: does the program block it on this thread?
 * Then it is blocked from now on, waits there or for another thread, and the thread can have no
 * samples any more. */
bool signals_kept(int number, siginfo_t *info, void *context);
/* [any] At that handler's end, if not: what the program wants of it happens. The FS base may be the
 * program's (fsbase.h). */
void signals_programs(int number, siginfo_t *info, void *context);
/* [hook] In the child of fork. */
void signals_forked(void);
/* [any] Does the program block signal 60 on the calling thread? The kernel's mask leaves it open.
 * So a new thread learns of it by signals_inherit, and a program that exec starts gets the mask
 * that it would have without us. */
bool signals_closed(void);
/* [hook] The calling thread is sampled from now on: the kernel's mask leaves signal 60 open,
 * whatever the program's is; but not where the thread has given up its samples already. */
void signals_open(void);
/* [hook] At the start of a thread whose creator was CLOSED. */
void signals_inherit(bool closed);
/* [hook] Around what starts a program or a thread, which inherits the kernel's mask: before it,
 * that mask becomes the program's; and back again. */
void signals_hand_on(void);
void signals_take_back(void);

#endif
