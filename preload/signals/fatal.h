/* fatal.h - the profile of a process that a signal's default action ends: Ctrl-C, kill, timeout, a
 * fault.
 *
 * libprof sets a handler for each such signal that the program leaves at its default. The handler
 * writes the profile, restores the default, sends the same signal to its thread again and returns.
 * So the process dies of the signal where it was interrupted: its parent gets the same status, and
 * a core dump shows the same place. libprof leaves signals alone that the program ignores or
 * handles.
 *
 * The handler takes ten seconds at most. If the writer hangs, a timer then sends the signal again,
 * which ends the process. A second signal from outside also ends the process, if it comes half a
 * second after the first one or later (timeout(1) sends two at once).
 */
#ifndef PRELOAD_SIGNALS_FATAL_H
#define PRELOAD_SIGNALS_FATAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* [init] WRITE writes the profile of a process that ends by signal NUMBER. Recording may go on
 * after the write. */
void fatal_setup(void (*write)(uint32_t number));
/* [hook] Takes the signals that are at their default, because something happened that is worth a
 * profile. A later call takes signals that were set to their default since, unseen by us. */
void fatal_arm(void);
/* [init] The kernel sends NUMBER by itself where libprof's own signal finds no room in the queue.
 * So such a signal does not end the process. */
void fatal_spare(int number);
/* [hook] In the child of fork. */
void fatal_forked(void);

/* signals.c and waiting.c call these for the program's calls.
 * [any] The program has set NUMBER to its default. */
void fatal_defaulted(int number);
/* [any] Is HANDLER ours? */
bool fatal_is_ours(const void *handler);
/* [any] If *ACTION has our handler, makes it what the program would see without us. */
void fatal_hide(int number, struct sigaction *action);
/* [any] In a handler that blocks all signals. The default of NUMBER, which the program wants, ends
 * the process: writes the profile and lets the process die. */
void fatal_programs(int number, siginfo_t *info, void *context);
/* [any] In a handler that blocks all signals, where the kernel finds no room for the frame of a
 * handler of the program's, nor for one of SIGSEGV's: the process ends by SIGSEGV, as by its
 * default. */
void fatal_forced(void *context);
/* [any] The program is about to wait for the signals of SET (a kernel's set), or to get a
 * descriptor for them. */
void fatal_waited(uint64_t set);
/* [any] If another thread has taken a signal of which the process dies, returns only after that
 * (LIMIT_NS at most): the caller is about to exit, exec, fork or change a disposition. */
void fatal_hold(void);
/* [any] siginterrupt(NUMBER, ON) of the program. */
void fatal_interrupts(int number, bool on);

#endif
