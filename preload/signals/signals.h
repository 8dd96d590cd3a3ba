/* signals.h - the signal that samples come by, and what the program does to signals.
 *
 * Every libc function that sets or asks a disposition passes here, and those that would close our
 * signal. The program sees what it set: of our signal, and of those that fatal.c has taken while
 * they are at their default.
 */
#ifndef PRELOAD_SIGNALS_H
#define PRELOAD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define SIGNALS_OURS 60 /* a real-time one that nothing else uses; gdb calls it SIG60 */

/* [init] HANDLER gets it, on the alternate stack, all signals blocked. */
bool signals_take(void (*handler)(int, siginfo_t *, void *));
/* [any] In that handler, at its end: the signal was not for us, and what the program wants of it
 * happens. */
void signals_programs(int number, siginfo_t *info, void *context);
/* [hook] In the child of fork. */
void signals_forked(void);

#endif
