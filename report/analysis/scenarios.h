/* scenarios.h - causal profiles (TaskProf, FSE 2017, section 4): what the span would be if some
 * code cost less. */
#ifndef REPORT_ANALYSIS_SCENARIOS_H
#define REPORT_ANALYSIS_SCENARIOS_H

#include "analysis/model.h"

/* A scenario of a profile. Its two parallelisms differ in what became of the work: code that is
 * made PARALLEL does it all the same (TaskProf's reading), code that is made FASTER does not. */
struct scenario {
    char *name;                 /* "partition 4x, leaf 2x"; clean */
    bool limit, joint;
    bool estimated;             /* samples had a say */
    double work, span;          /* ns, or the clock's unit */
    double parallel, faster;    /* T1 / span, work / span; 0: no span */
};

/* The scenarios of M's profile; the caller frees them with scenarios_free. */
struct scenario *scenarios_read(const struct model *m, size_t *count);
void scenarios_free(struct scenario *w, size_t count);

#endif
