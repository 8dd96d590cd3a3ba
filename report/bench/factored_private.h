/* factored_private.h - what values.c, figures.c, warnings.c and factored.c share. These derive
 * figures and words from trials. */
#ifndef REPORT_BENCH_FACTORED_PRIVATE_H
#define REPORT_BENCH_FACTORED_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>
#include "base/format.h"
#include "bench/bench.h"

/* A smaller part of T_1 than this is none of the runtime's that needs a reason. */
#define WORTH 0.05
/* The fewest samples for an estimate: of the runtime's overhead with one worker, and of a
 * function's growth. */
#define MIN_SAMPLES 20

static inline double positive(double v)
{
    return v > 0 ? v : 0;
}

/* values.c: statistics over trials. */
/* The statistics of the N values V. Sorts V. */
struct stat_of values_statistics(double *v, unsigned n);
/* The statistics of VALUE over the trials of KIND at P (0: at any) that count. Profiled trials
 * count only if they have a profile. */
struct stat_of values_over(const struct factored *f, enum trial_kind kind, unsigned p,
                           double (*value)(const struct trial *));
/* The mean of VALUE over profiled trials at P. */
double values_mean(const struct factored *f, unsigned p, double (*value)(const struct trial *));
/* Do some trials have a profile, and are the costs in all profiles times? */
bool values_all_timed(const struct factored *f);
double value_wall(const struct trial *t);
double value_cores(const struct trial *t);
double value_cpu(const struct trial *t);
/* Sets f->expected. */
void values_expect(struct factored *f);
/* The part of the time of trials of KIND with one worker in which a CPU worked for them; 1: as well
 * where the trials do not have it. */
double factored_on_cpu(const struct factored *f, enum trial_kind kind);
/* The part of that time in which a CPU worked for them, or they could have run but had none. */
double factored_ready(const struct factored *f, enum trial_kind kind);
/* Adds the sentence FORMAT to F's words. */
void factored_say(struct factored *f, enum mark mark, const char *cause, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* figures.c: the figures. Call the first three in this order. */
void figures_baseline(struct factored *f);
void figures_set(struct factored *f, struct point *x);
void figures_bounds(struct factored *f);
void figures_grown(struct factored *f);
double figures_loop_slowdown(const struct bench_machine *m);

/* warnings.c: the words. */
void words_of_speedup(struct factored *f);
void warnings_of_trials(struct factored *f);
void warnings_of_machine(struct factored *f);

#endif
