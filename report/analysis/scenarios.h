/* scenarios.h - causal profiles (TaskProf, FSE 2017, section 4): the span if some code cost
 * less. */
#ifndef REPORT_ANALYSIS_SCENARIOS_H
#define REPORT_ANALYSIS_SCENARIOS_H

#include "analysis/summary.h"

/* A scenario of a profile. It has two parallelisms. If the code is made PARALLEL, the work stays
 * the same, as TaskProf assumes. If the code is made FASTER, the work shrinks with the span. */
struct scenario {
    char *name;                 /* "partition 4x, leaf 2x"; clean */
    bool limit;                 /* one candidate costs nothing */
    bool estimated;             /* from samples, at least in part */
    double margin;              /* of what it saves: the share that chance may add or take, by the
                                 * candidate with the fewest samples; 0: it is exact */
    double work, span;          /* ns, or the clock's unit */
    double parallel, faster;    /* T1 / span, work / span; 0: no span */
};

/* The scenarios of M's profile; the caller frees them with scenarios_free. */
struct scenario *scenarios_read(const struct summary *m, size_t *count);
/* The margin of an estimate from so many samples: one standard deviation of their number. */
double samples_margin(uint64_t samples);
/* Candidate C of P, and those that were sampled in parts like its own, so that all count by the
 * mean: "late_one and others". NULL: there are none. The caller frees it. */
char *scenarios_mixed(const struct profile *p, size_t c);
/* What that means, as a sentence on NAMES. The caller frees it. */
char *scenarios_mixed_words(const char *names);
void scenarios_free(struct scenario *w, size_t count);

#endif
