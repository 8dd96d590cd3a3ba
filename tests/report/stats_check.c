/* stats_check.c - report/analysis/stats.c against what is known: prints a line for each difference,
 * and the number of checks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "../../report/analysis/stats.h"

void *format_memory(void *p);
void *format_memory(void *p)
{
    if (!p)
        exit(3);
    return p;
}

static unsigned checks;

static void near(const char *what, double expected, double got, double tolerance)
{
    checks++;
    if (!(fabs(got - expected) <= tolerance * fmax(1e-300, fabs(expected))))
        printf("%s: expected %.12g, got %.12g; ", what, expected, got);
}

/* The density of Student's t, integrated by Simpson's rule: slow, and without a beta function. */
static double tails(double t, double df)
{
    double c = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * M_PI), sum = 0;
    enum { N = 20000 };
    for (int i = 0; i <= N; i++) {
        double x = t * i / N, y = c * pow(1 + x * x / df, -(df + 1) / 2);
        sum += y * (i == 0 || i == N ? 1 : i % 2 ? 4 : 2);
    }
    return 1 - 2 * sum * t / N / 3;
}

static double uniform(void)
{
    static unsigned long long state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

int main(void)
{
    static const double table[][2] = { { 1, 12.7062 },        { 2, 4.302653 }, { 3, 3.182446 },
                                       { 4, 2.776445 },       { 9, 2.262157 }, { 30, 2.042272 },
                                       { INFINITY, 1.959964 } };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        near("quantile", table[i][1], stats_student_95(table[i][0]), 1e-5);
    for (double df = 1; df < 60; df *= 1.7)
        for (double t = 0.1; t < 6; t *= 1.5)
            near("p", tails(t, df), stats_student(t, df), 1e-7);
    /* zeros that were not seen are as zeros that were */
    struct moments a = { 0 }, b = { 0 };
    for (int i = 0; i < 7; i++)
        moments_add(&a, i < 4 ? 10 + i : 0);
    for (int i = 0; i < 4; i++)
        moments_add(&b, 10 + i);
    moments_fill(&b, 7);
    near("mean", a.mean, b.mean, 1e-12);
    near("deviation", moments_deviation(&a), moments_deviation(&b), 1e-12);
    /* the interval holds the true difference 95 times of 100, and p is below 0.05 five times of 100
     * where there is none */
    enum { TRIES = 20000 };
    unsigned inside = 0, chance = 0;
    for (int i = 0; i < TRIES; i++) {
        struct moments x = { 0 }, y = { 0 };
        for (int k = 0; k < 5; k++) {
            moments_add(&x, 100 + 3 * normal());
            moments_add(&y, 100 + 3 * normal());
        }
        struct change c = stats_change(&x, &y, NAN, NAN);
        inside += fabs(c.delta) <= c.margin;
        chance += c.p < 0.05;
    }
    near("coverage", 0.95, inside / (double)TRIES, 0.01);
    near("false alarms", 0.05, chance / (double)TRIES, 0.2);
    /* Benjamini and Hochberg, 1995, section 3.2: of these fifteen the first four */
    static const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1 };
    struct change list[16], *pointers[16];
    for (int i = 0; i < 15; i++) {
        list[14 - i] = (struct change){ .delta = 1, .p = p[i] };
        pointers[i] = &list[i];
    }
    list[15] = (struct change){ .delta = 1, .p = NAN };
    pointers[15] = &list[15];
    stats_discover(pointers, 16);
    for (int i = 0; i < 16; i++)
        near("discovery", i >= 11 && i < 15, list[i].significant, 0);
    /* one run a side borrows; none known */
    struct moments one = { 0 }, two = { 0 };
    moments_add(&one, 1);
    moments_add(&two, 2);
    checks += 2;
    if (!isnan(stats_change(&one, &two, NAN, NAN).p) ||
        stats_change(&one, &two, NAN, NAN).significant)
        printf("one run a side: known; ");
    near("sampling", 1.959964 * 5, stats_change(&one, &two, 9, 16).margin, 1e-5);
    near("floor", 1.959964 * 5, stats_change(&one, &two, 9, 16).margin, 1e-5);
    struct change borrowed = stats_change(&one, &a, NAN, NAN);
    near("borrowed", stats_student_95(6) * moments_deviation(&a) * sqrt(1 + 1 / 7.0),
         borrowed.margin, 1e-9);
    printf("%u checks\n", checks);
    return 0;
}
