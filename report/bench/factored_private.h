/* factored_private.h - what the files share that derive figures and words from trials: values.c,
 * points.c, causes.c, warnings.c, factored.c. */
#ifndef REPORT_BENCH_FACTORED_PRIVATE_H
#define REPORT_BENCH_FACTORED_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>
#include "bench/bench.h"

/* A loss below this share of P x T_P gets no sentence. */
#define WORTH 0.05
/* The runtime's overhead with one worker is estimated as a share of samples. With fewer samples
 * than that there is no estimate. */
#define MIN_SAMPLES 20

static inline double positive(double v)
{
    return v > 0 ? v : 0;
}

/* values.c: statistics over trials. V is sorted. */
struct stat_of values_statistics(double *v, unsigned n);
/* Of VALUE over the trials of KIND at P (0: any) that count; of profiled ones, those with a
 * profile. */
struct stat_of values_over(const struct factored *f, enum trial_kind kind, unsigned p,
                           double (*value)(const struct trial *));
/* Its mean over profiled trials. */
double values_mean(const struct factored *f, unsigned p, double (*value)(const struct trial *));
/* Do some trials have a profile, and are the costs in all profiles times? */
bool values_all_timed(const struct factored *f);
double value_wall(const struct trial *t);
double value_cores(const struct trial *t);
double value_taken(const struct trial *t);      /* by others */
/* Sets the exit status that a trial of each kind must have to count. */
void values_expect(struct factored *f);
/* Adds words. */
void factored_say(struct factored *f, enum mark mark, const char *cause, double share,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* points.c: the figures; in this order. */
void points_baseline(struct factored *f);
void points_set(struct factored *f, struct point *x);
void points_bounds(struct factored *f);
double points_loop_slowdown(const struct bench_machine *m);

/* causes.c, warnings.c: the words. */
void causes_say(struct factored *f);
void warnings_of_trials(struct factored *f);
void warnings_of_machine(struct factored *f);

#endif
