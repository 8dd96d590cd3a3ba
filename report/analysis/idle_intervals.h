/* idle_intervals.h - how long threads were idle at a time, by the spawn site whose tasks they then
 * executed or had waited for, and what of it the runtime took. */
#ifndef REPORT_ANALYSIS_IDLE_INTERVALS_H
#define REPORT_ANALYSIS_IDLE_INTERVALS_H

#include <stdbool.h>
#include "analysis/summary.h"
#include "libprof_format.h"

enum { IDLE_OCTAVES = LPF_IDLE_MOST - LPF_IDLE_LEAST + 1 };

struct idle_of_site {
    double count, ns;           /* all intervals */
    double short_ns;            /* in intervals below a limit; of the limit's octave, estimated */
    double wait_ns;             /* of NS: in strands that waited for others */
    /* By octave: see struct lpf_idle. */
    double octave_count[IDLE_OCTAVES], octave_ns[IDLE_OCTAVES];
    /* Of NS, what the runtime took: see struct lpf_phases. */
    double starts, start_ns, ends, end_ns;
};

struct idle_intervals {
    bool known;                 /* false: the profile has no intervals, and all else is 0 */
    double own_ns;              /* of all of them: libprof's, or in which threads waited for it */
    struct idle_of_site all;
    struct idle_of_site start, end; /* before a thread's first strand; after its last one */
    struct idle_of_site *rows;  /* by row of the summary */
};

/* The intervals of M's profile; intervals below LIMIT_NS are short. The caller frees them. */
struct idle_intervals idle_intervals_of(const struct summary *m, double limit_ns);
void idle_intervals_free(struct idle_intervals *x);

#endif
