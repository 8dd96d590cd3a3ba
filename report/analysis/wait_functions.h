/* wait_functions.h - what a function waits for, by its name: nothing else in a profile shows
 * that a thread on the CPU waits, or what a thread off it waits for. */
#ifndef REPORT_ANALYSIS_WAIT_FUNCTIONS_H
#define REPORT_ANALYSIS_WAIT_FUNCTIONS_H

#include <stdbool.h>

/* Of several functions of a stack, the greatest holds: any may end in a futex or a sleep. */
enum wait {
    WAIT_NONE,
    WAIT_SLEEP,
    WAIT_OTHERS,                /* for a lock or other threads, off the CPU as far as it has to */
    WAIT_SPIN                   /* on the CPU: yields it, or pauses; for a lock or anything else */
};

/* FUNCTION is one of name_plain, of the system, of a runtime or of its headers. */
enum wait wait_of_name(const char *function);

#endif
