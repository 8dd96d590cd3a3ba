/* fatal.h - the profile of a process that a signal's default action ends: Ctrl-C, kill, timeout, a
 * fault.
 *
 * libprof sets a handler for each such signal that the program leaves at its default. The handler
 * writes the profile, restores the default, sends the same signal to its thread again and returns.
 * So the process dies of the signal where it was interrupted: its parent gets the same status, and
 * a core dump shows the same place. libprof leaves signals alone that the program ignores or
 * handles.
 *
 * The handler takes ten seconds at most, even if the writer hangs: then a timer sends the signal
 * again, which ends the process. A second signal from outside also ends it, if it comes half a
 * second after the first or later (timeout(1) sends two at once).
 */
#ifndef PRELOAD_FATAL_H
#define PRELOAD_FATAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* [init] WRITE writes the profile of a process that ends by signal NUMBER; recording may go on
 * after it. */
void fatal_setup(void (*write)(uint32_t number));
/* [hook] Something happened that is worth a profile: take the signals that are at their default.
 * Again: those that have become so since, unseen. */
void fatal_arm(void);
/* [hook] In the child of fork. */
void fatal_forked(void);

/* For the functions by which the program asks and sets. [any] The program has set NUMBER to its
 * default. */
void fatal_defaulted(int number);
/* [any] Is HANDLER ours? Then *ACTION is made what the program would see without us. */
bool fatal_is_ours(const void *handler);
void fatal_tell(int number, struct sigaction *action);
/* [any] In a handler that blocks all signals: NUMBER, which is not taken here, is at the program's
 * default, and that ends the process. */
void fatal_programs(int number, siginfo_t *info, void *context);
/* [any] siginterrupt(NUMBER, ON) of the program. */
void fatal_interrupts(int number, bool on);

#endif
