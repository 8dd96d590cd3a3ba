/* predict.h - predicts the time of a program on P workers: simulates schedulers on the dag that it
 * recorded (PROF_DAG), beside Cilkview's bounds. docs/PREDICT.md describes the model and its
 * limits.
 */
#ifndef REPORT_PREDICT_PREDICT_H
#define REPORT_PREDICT_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "analysis/paths.h"
#include "analysis/strand_waits.h"
#include "analysis/summary.h"
#include "layout/options.h"
#include "profile/profile.h"
#include "simulation/dag.h"

#define PREDICTIONS 64          /* the most numbers of workers */

struct prediction {
    unsigned p;
    /* T_P by the greedy scheduler; by work stealing, over the seeds */
    double greedy, mean, low, high;
    double steals;              /* the mean over the seeds */
    /* Cilkview's bounds on the speedup; upper_divided: that of the divided dag */
    double lower, upper, upper_divided;
};

struct predictor {
    unsigned p[PREDICTIONS], p_count, seeds;
    size_t limit;
    struct options options;
    const struct profile *profile;
    struct summary summary;
    struct recorded recorded;
    double overhead;            /* the runtime's cost of a task, in the profile's unit */
    double work, all;           /* the work of the dag; with the overhead */
    /* a greedy schedule's time with a worker for each task, with the overhead: T_inf of what is
     * simulated. (All dependences count, which recorded.span has as times.) */
    double longest;
    struct own_share own;       /* of the samples in strands, libprof's */
    struct strand_waits waits;
    size_t tasks;
    bool coarse;
    struct prediction out[PREDICTIONS];
};

/* Sets Q's figures from its profile, which must have a dag. False after one line on stderr. */
bool predict(struct predictor *q);
/* waits.c: sets what no simulation has. */
void predict_waits(struct predictor *q);
/* A cost of the dag as a time in ns. */
double predict_in_time(const struct predictor *q, double cost);
/* Is SPEEDUP above the upper bound of O? */
bool predict_impossible(const struct prediction *o, double speedup);

/* forms.c */
void predict_text(const struct predictor *q, FILE *out);
void predict_json(const struct predictor *q, FILE *out);
void predict_csv(const struct predictor *q, FILE *out);

#endif
