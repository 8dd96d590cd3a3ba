/* stats.c - see stats.h. */
#include "analysis/stats.h"
#include <math.h>
#include <stdlib.h>
#include "base/format.h"

void moments_add(struct moments *m, double value)
{
    double d = value - m->mean;
    m->mean += d / ++m->n;
    m->m2 += d * (value - m->mean);
}

void moments_fill(struct moments *m, unsigned n)
{
    if (m->n >= n)
        return;
    double zeros = n - m->n;
    m->m2 += m->mean * m->mean * m->n * zeros / n;
    m->mean *= m->n / (double)n;
    m->n = n;
}

double moments_deviation(const struct moments *m)
{
    return m->n > 1 ? sqrt(m->m2 / (m->n - 1)) : 0;
}

/* The regularised incomplete beta function by its continued fraction, with Lentz's algorithm. */
static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x >= 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - incomplete_beta(b, a, 1 - x);
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), f;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    f = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step = 1;
        for (int k = 0; k < 2; k++) {
            double v = k ? odd : even;
            d = 1 + v * d;
            c = 1 + v / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            step = c * d;
            f *= step;
        }
        if (fabs(step - 1) < 1e-14)
            break;
    }
    return f * exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
}

/* Half the width of Wilson's interval for a share P of N samples of equal weight. The interval's
 * middle is nearer to 1/2 than P, by *SHIFT. */
static double wilson(double p, double n, double *shift)
{
    const double z2 = Z95 * Z95;
    *shift = fabs((p + z2 / (2 * n)) / (1 + z2 / n) - p);
    return sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n);
}

/* The bounds are for a damaged file, whose squares fit no weights. */
double stats_equal(double all, double all_squares)
{
    return all > 0 ? fmax(1e-9, all / fmax(1, all_squares / all)) : 0;
}

/* The number of samples of equal weight that would err as far about this share as all samples
 * do. */
static double equal_for(double p, double squares, double all, double all_squares)
{
    double n = stats_equal(all, all_squares), others = fmax(0, all_squares - squares);
    /* the variance of a quotient of two sums: the part's samples may have other weights */
    double variance = ((1 - p) * (1 - p) * squares + p * p * others) / (all * all);
    return variance * n > p * (1 - p) ? fmax(1e-9, p * (1 - p) / variance) : n;
}

double stats_share(double hits, double squares, double all, double all_squares)
{
    if (!(all > 0))
        return NAN;
    double p = fmin(1, hits / all), shift;
    double half = wilson(p, equal_for(p, squares, all, all_squares), &shift);
    return half + shift;
}

double stats_share_favoured(double hits, double squares, double all, double all_squares,
                            double expected)
{
    if (!(all > 0))
        return NAN;
    double share = fmin(1, hits / all), more = fmax(0, all - expected);
    double chance = stats_share(hits, squares, all, all_squares) * all / (all - more);
    /* none of the part's samples is one of those more, or as many as can be */
    double most = fmin(1, hits / (all - more) + chance);
    double least = fmax(0, (hits - more) / (all - more) - chance);
    return expected > 0 ? fmax(most - share, share - least) : fmax(share, 1 - share);
}

double stats_share_deviation(double hits, double squares, double all, double all_squares)
{
    if (!(all > 0))
        return NAN;
    double p = fmin(1, hits / all), shift;
    double deviation = wilson(p, equal_for(p, squares, all, all_squares), &shift) / Z95;
    return hypot(deviation, shift);
}

double stats_half(double all, double all_squares)
{
    return stats_share(all / 2, all_squares / 2, all, all_squares);
}

double stats_student(double t, double df)
{
    if (isinf(df))
        return erfc(fabs(t) / sqrt(2));
    return incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

double stats_student_95(double df)
{
    /* a cache: a comparison of 100,000 rows asks for the same DF each time */
    static double last_df, last;
    double low = 0, high = 1e4;
    if (df == last_df)
        return last;
    for (double t; t = (low + high) / 2, t > low && t < high;)
        if (stats_student(t, df) > 0.05)
            low = t;
        else
            high = t;
    last_df = df;
    return last = high;
}

static double at_least(double variance, double sampling)
{
    return sampling > variance ? sampling : variance;
}

struct change stats_change(const struct moments *a, const struct moments *b, double sampling_a,
                           double sampling_b)
{
    struct change c = {
        .a = a->mean, .b = b->mean, .delta = b->mean - a->mean, .margin = NAN, .p = NAN
    };
    double va = a->n > 1 ? a->m2 / (a->n - 1) : NAN, vb = b->n > 1 ? b->m2 / (b->n - 1) : NAN, df;
    if (!a->n || !b->n)
        return c;
    if (isnan(va) && isnan(vb)) {               /* only the variance of sampling is known */
        va = sampling_a;
        vb = sampling_b;
        df = INFINITY;
        if (isnan(va) || isnan(vb))
            return c;
    } else if (isnan(va) || isnan(vb)) {
        df = (isnan(va) ? b->n : a->n) - 1;
        va = at_least(isnan(va) ? vb : va, sampling_a);
        vb = at_least(isnan(vb) ? va : vb, sampling_b);
    } else {
        va = at_least(va, sampling_a);
        vb = at_least(vb, sampling_b);
        double u = va / a->n, v = vb / b->n;    /* Welch and Satterthwaite */
        df = u + v > 0 ? (u + v) * (u + v) / (u * u / (a->n - 1) + v * v / (b->n - 1)) : INFINITY;
    }
    double error = sqrt(va / a->n + vb / b->n);
    c.margin = error > 0 ? error * stats_student_95(df) : 0;
    c.p = error > 0 ? stats_student(c.delta / error, df) : c.delta == 0;
    c.significant = c.p < 0.05;
    return c;
}

double stats_margin(const struct moments *m, double sampling)
{
    double variance = m->n > 1 ? at_least(m->m2 / (m->n - 1), sampling) : sampling;
    if (!m->n || isnan(variance))
        return NAN;
    return variance > 0 ? sqrt(variance / m->n) * stats_student_95(m->n > 1 ? m->n - 1 : INFINITY)
                        : 0;
}

static int compare_p(const void *a, const void *b)
{
    double x = (*(struct change *const *)a)->p, y = (*(struct change *const *)b)->p;
    return (x > y) - (x < y);
}

void stats_discover(struct change *const *changes, size_t n)
{
    struct change **known = format_memory(malloc((n + 1) * sizeof *known));
    size_t count = 0, last = 0;
    for (size_t i = 0; i < n; i++) {
        changes[i]->significant = false;
        if (!isnan(changes[i]->p))
            known[count++] = changes[i];
    }
    if (count)
        qsort(known, count, sizeof *known, compare_p);
    for (size_t i = 0; i < count; i++)
        if (known[i]->p <= 0.05 * (i + 1) / count)
            last = i + 1;
    for (size_t i = 0; i < last; i++)
        known[i]->significant = known[i]->delta != 0;
    free(known);
}
