/* validate.h - a slow-down experiment: are what-if scenarios right for this program? */
#ifndef REPORT_WHATIF_VALIDATE_H
#define REPORT_WHATIF_VALIDATE_H

#include "analysis/whatif_candidates.h"

/* A candidate that was made slower: the scenario's prediction, and the measurement. Medians over
 * the pairs, in ns or the clock's unit. */
struct validation {
    const struct candidate *candidate;
    double span_before, span_predicted, span_measured;
    double work_before, work_predicted, work_measured;
    double elapsed_before, elapsed_measured;
    double elapsed_usual;       /* W/P + S of the unchanged program */
    /* bounds of a greedy schedule by the prediction: max(W/P, S) and W/P + S (Graham, Brent) */
    double elapsed_least, elapsed_most;
};

struct experiment {
    char *const *command;
    const struct candidate *candidates;
    size_t count;
    double slower;
    unsigned pairs;
    const char *directory;      /* for the profiles */
};

/* Runs the command in PAIRS rounds. A round runs it once unchanged, with a scenario for each of the
 * COUNT candidates in which it costs SLOWER times as much. Then it runs it once for each candidate,
 * which really costs that much (PROF_DELAY). Sets OUT, which has room for COUNT. Returns their
 * number, or -1 if a run failed. */
int validate(const struct experiment *e, struct validation *out);

#endif
