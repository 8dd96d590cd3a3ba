/* predict.h - how long a program takes on P workers, by simulating schedulers on the dag that it
 * recorded (PROF_DAG), beside Cilkview's bounds. docs/PREDICT.md has the model and what it leaves
 * out.
 */
#ifndef REPORT_PREDICT_PREDICT_H
#define REPORT_PREDICT_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "analysis/dag.h"
#include "analysis/model.h"
#include "output/options.h"
#include "profile/profile.h"

#define PREDICTIONS 64          /* numbers of workers in a list */

struct prediction {
    unsigned p;
    double greedy, mean, low, high;     /* T_P; work stealing's over seeds */
    double steals;
    /* Cilkview's, on the speedup; upper_divided: of the dag whose loops are divided */
    double lower, upper, upper_divided;
};

struct predictor {
    unsigned p[PREDICTIONS], p_count, seeds;
    size_t limit;
    struct options options;
    const struct profile *profile;
    struct model model;
    struct recorded recorded;
    double overhead;            /* of a task, in the profile's unit of cost */
    double work, all;           /* of the dag; with overhead */
    size_t tasks;
    bool coarse;
    struct prediction out[PREDICTIONS];
};

/* Fills Q's figures from its profile, which has a dag. False after one line on stderr. */
bool predict(struct predictor *q);
/* A cost of the dag as a time. */
double predict_in_time(const struct predictor *q, double cost);
/* Is SPEEDUP above what the profile allows? */
bool predict_impossible(const struct prediction *o, double speedup);

/* forms.c */
void predict_text(const struct predictor *q, FILE *out);
void predict_json(const struct predictor *q, FILE *out);
void predict_csv(const struct predictor *q, FILE *out);

#endif
