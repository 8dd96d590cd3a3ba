/* wait_functions.h - what a function waits for, by its name: nothing else in a profile shows
 * that a thread on the CPU waits, or what a thread off it waits for. */
#ifndef REPORT_ANALYSIS_WAIT_FUNCTIONS_H
#define REPORT_ANALYSIS_WAIT_FUNCTIONS_H

#include <stdbool.h>

/* Of several functions of a stack, the greatest holds: a wait for a condition variable takes a lock
 * again, and any of these may end in a futex. */
enum wait {
    WAIT_NONE,
    WAIT_SLEEP,
    WAIT_UNKNOWN,               /* for other threads: a futex, or what a runtime's lock ends in */
    WAIT_LOCK,                  /* for a lock, off the CPU as far as it has to wait */
    WAIT_THREADS,               /* for a condition variable */
    WAIT_SPIN,                  /* on the CPU: yields it, or pauses; for a lock or anything else */
    WAIT_SPIN_LOCK              /* the same, in a function of a lock */
};

/* FUNCTION is one of name_plain, of the system, of a runtime or of its headers. */
enum wait wait_of_name(const char *function);

#endif
