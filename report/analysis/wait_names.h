/* wait_names.h - functions that wait for a lock, on the CPU or off it, by their names: nothing else
 * in a profile shows that a thread on the CPU waits, or what a thread off it waits for. A name is
 * one of name_plain. */
#ifndef REPORT_ANALYSIS_WAIT_NAMES_H
#define REPORT_ANALYSIS_WAIT_NAMES_H

#include <stdbool.h>

/* Does FUNCTION yield the CPU, or wait for a lock in a loop on the CPU? */
bool path_name_spins(const char *function);
/* Does FUNCTION wait for a lock, off the CPU as far as it has to wait? */
bool path_name_locks(const char *function);
/* Does FUNCTION yield the CPU? */
bool path_name_yields(const char *function);

#endif
