/* stats.h - how far a difference of two means stands out of its noise. docs/DIFF.md says why these
 * statistics.
 */
#ifndef REPORT_ANALYSIS_STATS_H
#define REPORT_ANALYSIS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Runs of one side: mean and squared deviations (Welford). */
struct moments {
    unsigned n;
    double mean, m2;
};

void moments_add(struct moments *m, double value);
/* As if values of 0 had been added until there are N: where something was not seen. */
void moments_fill(struct moments *m, unsigned n);
double moments_deviation(const struct moments *m);      /* of one run; 0 for fewer than two */

struct change {
    double a, b, delta;         /* means; b - a */
    double margin;              /* half the 95 % interval of DELTA; NAN: unknown */
    double p;                   /* two-sided, of DELTA by chance alone; NAN: unknown */
    bool significant;           /* p < 0.05, or where many are compared what stats_discover says */
};

/* From runs; a side of one run borrows the other's deviation. SAMPLING_A, _B: variance of one run's
 * value that is known besides (of sampling), which no deviation is below; NAN: it is not known. */
struct change stats_change(const struct moments *a, const struct moments *b, double sampling_a,
                           double sampling_b);

/* Marks the significant ones of N changes such that at most a twentieth of them is expected to be
 * chance (Benjamini and Hochberg). */
void stats_discover(struct change *const *changes, size_t n);

/* How far a share of all samples may be off (95 %). Those of the part weigh HITS, the squares of
 * their weights sum up to SQUARES; ALL and ALL_SQUARES are the same of all samples. A late sample
 * stands for several and says no more than one. So the interval is that of as many samples of equal
 * weight as would err as far. NAN without samples: there is no share. */
double stats_share(double hits, double squares, double all, double all_squares);
/* The standard deviation of that share; NAN without samples. */
double stats_share_deviation(double hits, double squares, double all, double all_squares);
/* How far a half may be off. */
double stats_half(double all, double all_squares);
/* Samples of equal weight that say as much as all (Kish, Survey Sampling, 1965, 11.7). */
double stats_equal(double all, double all_squares);

/* Two-sided probability of |t| or more with DF degrees of freedom (INFINITY: normal); and the t
 * that has probability 0.05. */
double stats_student(double t, double df);
double stats_student_95(double df);

#endif
