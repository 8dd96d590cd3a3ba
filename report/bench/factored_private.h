/* factored_private.h - what follows from trials, from the inside: values.c, points.c, causes.c,
 * warnings.c, factored.c. */
#ifndef REPORT_BENCH_FACTORED_PRIVATE_H
#define REPORT_BENCH_FACTORED_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>
#include "bench/bench.h"

/* Below this share of P x T_P a loss is not worth a sentence. */
#define WORTH 0.05
/* The estimate of the runtime's overhead with one worker is a share of samples: fewer say
 * nothing. */
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
/* Some have a profile, and the costs in all profiles are times. */
bool values_all_timed(const struct factored *f);
double value_wall(const struct trial *t);
double value_cores(const struct trial *t);
double value_taken(const struct trial *t);      /* by others */
/* Sets which exit status a trial of each kind has that counts. */
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
