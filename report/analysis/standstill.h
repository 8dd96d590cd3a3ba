/* standstill.h - how long strands were off the CPU by themselves: they slept, or waited for each
 * other, input or output. Work and span do not contain this time. Strands that could have run, but
 * had no CPU, are no part of it.
 */
#ifndef REPORT_ANALYSIS_STANDSTILL_H
#define REPORT_ANALYSIS_STANDSTILL_H

#include <stdbool.h>
#include "profile/profile.h"

/* A larger share of the worker time than this, slept or waited, makes bounds of elapsed time
 * meaningless. */
#define STANDSTILL_MUCH 0.1
/* A smaller share than this is within the error of the kernel's count and of the samples. */
#define STANDSTILL_KNOWN 0.02

/* In ns. The kernel's count of waits for a CPU (run delay) does not contain the waits of short
 * strands, such as those of the main thread between two regions. So WAITED is all time off the CPU
 * without the run delay only if at least half of it is confirmed: by off-CPU samples or, before the
 * sampling thread started, by the main thread's clocks. Else WAITED is what these confirm. */
struct standstill {
    double waited;      /* all strands, by themselves: an estimate */
    /* WAITED is more than STANDSTILL_MUCH of the worker time, and the workers were not busy for as
     * much meanwhile */
    bool much;
    /* Threads of the program waited, or lacked a CPU for most of the worker time. By condition
     * variables and the like they may have made an order, of which the dag has no edges. */
    bool threads;
    /* Threads of the program lacked a CPU for more than STANDSTILL_MUCH of the worker time, and no
     * more is known: a thread that yields while it waits for another one lacks a CPU, too. */
    bool unseen;
};

struct standstill standstill_of(const struct profile *p);

#endif
