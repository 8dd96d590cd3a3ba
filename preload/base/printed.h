/* printed.h - the lines that a family of processes has printed. A family is a process and its
 * descendants by fork, as long as none calls exec. A server of a hundred processes has one wrong
 * setting, and prints one line about it.
 */
#ifndef PRELOAD_BASE_PRINTED_H
#define PRELOAD_BASE_PRINTED_H

#include <stdbool.h>

/* [any] Notes that this process prints LINE, of N bytes. False: a relative has printed it. Lines
 * that differ only in numbers, such as a pid, are the same. */
bool printed_first(const char *line, int n);

/* [hook] Before a fork; no other thread's fork may overlap this call. From then on the family knows
 * each other's lines. Without memory, a process knows only the lines from before its own fork. */
void printed_share(void);

#endif
