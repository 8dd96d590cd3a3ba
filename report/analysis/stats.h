/* stats.h - by how much chance alone may put a figure off: the difference of two means, and a
 * share of samples. docs/DIFF.md states the reasons for the statistics of differences.
 */
#ifndef REPORT_ANALYSIS_STATS_H
#define REPORT_ANALYSIS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* The values of the runs of one side (Welford). */
struct moments {
    unsigned n;
    double mean, m2;            /* m2: the sum of the squared deviations from the mean */
};

void moments_add(struct moments *m, double value);
/* Adds values of 0 until there are N: for runs that lack the row. */
void moments_fill(struct moments *m, unsigned n);
/* The standard deviation of one run; 0 if there are fewer than two. */
double moments_deviation(const struct moments *m);

struct change {
    double a, b, delta;         /* means; b - a */
    double margin;              /* half the 95 % interval of DELTA; NAN: unknown */
    double p;                   /* the probability of such a DELTA by chance, two-sided; NAN:
                                 * unknown */
    bool significant;           /* p < 0.05; or, if many are compared, by stats_discover */
};

/* Compares the runs of two sides. A side of one run borrows the other side's deviation. SAMPLING_A,
 * SAMPLING_B: the variance that sampling alone gives to one run's value, a lower bound of the runs'
 * variance; NAN: it is not known. */
struct change stats_change(const struct moments *a, const struct moments *b, double sampling_a,
                           double sampling_b);

/* Half the 95 % interval of the mean of one side's runs; NAN: it is not known. SAMPLING is as
 * above. */
double stats_margin(const struct moments *m, double sampling);

/* Sets `significant` of N changes. At most a twentieth of those that it marks is expected to be
 * chance (Benjamini and Hochberg). */
void stats_discover(struct change *const *changes, size_t n);

/* By how much a part's share of all samples may be off (95 %). HITS is the weight of the part's
 * samples, SQUARES the sum of the squares of their weights. ALL and ALL_SQUARES are the same for
 * all samples. A late sample stands for several, but is no more certain than one. So the interval
 * is that of the number of samples of equal weight that would err as far. NAN: there are no
 * samples. */
double stats_share(double hits, double squares, double all, double all_squares);
/* The same, if more samples than EXPECTED are among ALL because they are samples, and it is not
 * known which part has those more. */
double stats_share_favoured(double hits, double squares, double all, double all_squares,
                            double expected);
/* The standard deviation of that share from the middle of its interval: of few samples it is far
 * from both 0 and 1, whatever they hit. NAN: there are no samples. */
double stats_share_deviation(double hits, double squares, double all, double all_squares);
/* So many deviations are a margin of 95 %. */
#define Z95 1.959964

/* By how much a share of 1/2 may be off. */
double stats_half(double all, double all_squares);
/* The number of samples of equal weight that would err as far as all samples (Kish, Survey
 * Sampling, 1965, 11.7). */
double stats_equal(double all, double all_squares);

/* The two-sided probability of |T| or more with DF degrees of freedom; INFINITY: normal. */
double stats_student(double t, double df);
/* The t that has probability 0.05. */
double stats_student_95(double df);

#endif
