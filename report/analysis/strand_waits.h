/* strand_waits.h - time of strands that no dag has, by where samples found the strands. Some waited
 * for locks or for other threads: that takes longer the more workers there are. Others slept: more
 * workers overlap that. A lock that spins or yields counts as work in the dag. One that blocks is
 * in the strands' time off the CPU, which the dag does not have. Nothing shows how long a lock is
 * held. */
#ifndef REPORT_ANALYSIS_STRAND_WAITS_H
#define REPORT_ANALYSIS_STRAND_WAITS_H

#include "analysis/paths.h"
#include "analysis/summary.h"

/* A smaller share of the strands' time that samples found is not worth a sentence. */
#define STRAND_WAITS_WORTH 0.05

/* ns of the strands' time, on the CPU and off it: all; what samples found of it; in locks that spin
 * or yield; blocked for locks and other threads; asleep; kept out of critical sections and locks.
 * All 0: no clock of time. */
struct strand_waits {
    double strands, sampled, spun, locked, slept, excluded;
};

/* T: the paths of M's profile, with all frames of the program. */
struct strand_waits strand_waits_of(const struct summary *m, struct paths *t);

#endif
