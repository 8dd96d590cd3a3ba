/* said.h - what a family of processes has said: a process and what it forked, and so on, as long as
 * nobody calls exec. A server of a hundred processes has one wrong setting, and one line about it.
 */
#ifndef PRELOAD_SAID_H
#define PRELOAD_SAID_H

#include <stdbool.h>

/* [any] Notes that this process says LINE, of N bytes. False: a relative has. Lines that differ in
 * numbers alone, as in a pid, are the same. */
bool said_first(const char *line, int n);

/* [hook] Before a fork, which no other thread's fork overlaps: what the child says, its relatives
 * will know. Without memory each process knows what was said before it was forked. */
void said_share(void);

#endif
