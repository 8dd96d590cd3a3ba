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
/* [any] At the end of that handler: the signal was not for us. Does with it what the program wants.
 * False: the program blocks it on this thread. Then the kernel blocks it from now on, and keeps it
 * for this thread or for another one. This thread can have no samples any more. */
bool signals_programs(int number, siginfo_t *info, void *context);
/* [hook] In the child of fork. */
void signals_forked(void);
/* [any] Does the program block signal 60 on the calling thread? The kernel's mask leaves it open.
 * So a new thread learns of it by signals_inherit, and a program that exec starts gets the mask
 * that it would have without us. */
bool signals_closed(void);
/* [hook] At the start of a thread whose creator was CLOSED. */
void signals_inherit(bool closed);
/* [hook] Around exec: before it, and if it failed. */
void signals_before_exec(void);
void signals_exec_failed(void);

#endif
