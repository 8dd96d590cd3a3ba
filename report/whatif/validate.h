/* validate.h - does what-if tell the truth about this program? A slow-down experiment. */
#ifndef REPORT_WHATIF_VALIDATE_H
#define REPORT_WHATIF_VALIDATE_H

#include "analysis/propose.h"

/* A candidate that was made slower, and what a scenario had said of it. Medians over the pairs; ns,
 * or the clock's unit. */
struct validation {
    const struct candidate *candidate;
    double span_before, span_predicted, span_measured;
    double work_before, work_predicted, work_measured;
    double elapsed_before, elapsed_measured;
    double elapsed_usual;       /* W/P + S, unchanged */
    /* of a greedy schedule: max(W/P, S), W/P + S (Graham, Brent) of what was predicted */
    double elapsed_least, elapsed_most;
};

struct experiment {
    char *const *command;
    const struct candidate *candidates;
    size_t count;
    double slower;
    unsigned pairs;
    const char *directory;      /* for profiles */
};

/* Runs the command in PAIRS rounds: unchanged, with the scenario that a candidate costs SLOWER
 * times as much for each of the COUNT candidates; then once for each, which does cost that much
 * more (PROF_DELAY). OUT has COUNT entries. Their number; -1: a run failed. */
int validate(const struct experiment *e, struct validation *out);

#endif
