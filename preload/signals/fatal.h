/* fatal.h - the profile of a process that a signal's default action ends: Ctrl-C, kill, timeout, a
 * fault.
 *
 * Such signals get a handler of ours, as long as the program leaves them alone. It writes the
 * profile, restores the default, sends the same signal again to its thread and returns, so that the
 * process dies of it where it was interrupted: its parent sees the same status, a core dump the
 * same place. What the program ignores, or handles by itself, is not touched.
 *
 * It lasts ten seconds at most, however the writer may hang: a timer then sends the signal itself.
 * So does whoever sends another, not earlier than half a second after the first (timeout(1) sends
 * two at once).
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
/* [any] siginterrupt(NUMBER, ON) of the program. */
void fatal_interrupts(int number, bool on);

#endif
