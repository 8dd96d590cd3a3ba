/* stats_check.c - report/analysis/stats.c against what is known: prints a line for each difference,
 * and the number of checks. */
#include <math.h>
#include <stdbool.h>
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

/* ---- shares of samples ---- */

/* Streams of samples of a program whose parts take known times. A timer of CPU time expires every 4
 * ms, and goes off when the kernel checks it. A sample weighs as many expirations as it stands for.
 * Programs whose rounds are in step with the timer (2 ms, 12 ms) are none of these: their samples
 * hit one part again and again, and nothing in the samples says so. */
enum { PARTS = 3 };
enum looks { ON_TIME, LATE, VERY_LATE, LOOKS };
struct stream {
    double truth[PARTS], hits[PARTS], squares[PARTS];
};

static double gap(enum looks looks)
{
    double ms = looks == ON_TIME ? 4 + 0.5 * normal()
                : looks == LATE  ? 1 - 4 * log(1 - uniform())
                                 : 1 + 4 * exp(0.9 * normal());
    return fmax(ms, 0.1);
}

/* The strand that follows, in MS: rounds of 60/30/10 %, or a strand of one part, which has that
 * probability. */
static void strands(int program, double total, double ms[PARTS])
{
    static const double share[PARTS] = { 0.6, 0.3, 0.1 };
    double mean = program == 3 ? 1 : program == 4 ? 3 : 20, random = uniform();
    double round = program == 0 ? 20 * uniform() : program == 1 ? 7 : total;
    for (int i = 0; i < PARTS; i++)
        ms[i] = program < 3 ? round * share[i] : 0;
    if (program >= 3)
        ms[random < 0.6 ? 0 : random < 0.9 ? 1 : 2] = -mean * log(1 - uniform());
}
enum { PROGRAMS = 6 };  /* 2: each part in one piece */

static void run(struct stream *s, int program, enum looks looks, double total)
{
    double at = 0, shift = 4 * uniform(), look = gap(looks) * uniform(), ms[PARTS];
    long expired = 0;
    *s = (struct stream){ 0 };
    while (at < total) {
        strands(program, total, ms);
        for (int i = 0; i < PARTS; i++) {
            at += ms[i];
            s->truth[i] += ms[i];
            for (; look < at; look += gap(looks)) {
                long weight = (long)((look + shift) / 4) - expired;
                expired += weight;
                s->hits[i] += weight;
                s->squares[i] += (double)weight * weight;
            }
        }
    }
}

/* N samples of parts at random. Those of the last part come late. */
static void draw(struct stream *s, int n)
{
    static const double probability[PARTS] = { 0.65, 0.3, 0.05 };
    *s = (struct stream){ .truth = { 0.65, 0.3, 0.05 * 5.5 } };
    for (int k = 0; k < n; k++) {
        double random = uniform();
        int i = random < probability[0] ? 0 : random < probability[0] + probability[1] ? 1 : 2;
        double weight = i == 2 ? 1 + floor(10 * uniform()) : 1;
        s->hits[i] += weight;
        s->squares[i] += weight * weight;
    }
}

struct covered {
    unsigned cases, all, alike;         /* alike: had each sample weighed one */
};

static void cover(struct covered *c, const struct stream *s)
{
    double truth = 0, hits = 0, squares = 0;
    for (int i = 0; i < PARTS; i++) {
        truth += s->truth[i];
        hits += s->hits[i];
        squares += s->squares[i];
    }
    for (int i = 0; i < PARTS; i++) {
        if (!s->hits[i])
            continue;           /* no share is shown */
        double error = fabs(s->hits[i] / hits - s->truth[i] / truth);
        c->cases++;
        c->all += error <= stats_share(s->hits[i], s->squares[i], hits, squares);
        c->alike += error <= stats_share(s->hits[i], s->hits[i], hits, hits);
    }
}

static void shares(void)
{
    enum { SEEDS = 600 };
    static const double totals[] = { 60, 200, 500, 2000 };
    static const char *const looks_names[] = { "on time", "late", "very late" };
    struct covered late = { 0 }, drawn = { 0 };
    struct stream s;
    for (int program = 0; program < PROGRAMS; program++)
        for (int looks = 0; looks < LOOKS; looks++)
            for (int k = 0; k < 4; k++) {
                struct covered c = { 0 };
                for (int seed = 0; seed < SEEDS; seed++) {
                    run(&s, program, looks, totals[k]);
                    cover(&c, &s);
                    if (looks == VERY_LATE && program == 0)
                        cover(&late, &s);
                }
                checks++;
                if (c.all < 0.93 * c.cases)
                    printf("program %d, %s, %g ms: %u of %u shares covered; ", program,
                           looks_names[looks], totals[k], c.all, c.cases);
            }
    for (int n = 40; n <= 1000; n *= 5)
        for (int seed = 0; seed < 2 * SEEDS; seed++) {
            draw(&s, n);
            cover(&drawn, &s);
        }
    checks += 2;
    if (drawn.all < 0.93 * drawn.cases)
        printf("one part's late: %u of %u shares covered; ", drawn.all, drawn.cases);
    /* what this is for: else these streams prove nothing */
    if (late.alike > 0.8 * late.cases)
        printf("late samples that count as others: %u of %u covered; ", late.alike, late.cases);
    /* samples of weight 1: Wilson's interval, from the share; 1.959964^2 = 3.841459 */
    near("half", 1.959964 * sqrt(0.25 / 100 + 3.841459 / 40000) / 1.03841459,
         stats_share(50, 50, 100, 100), 1e-5);
    near("half, said alone", stats_share(50, 50, 100, 100), stats_half(100, 100), 1e-12);
    near("all of one", 3.841459 / 4.841459, stats_share(1, 1, 1, 1), 1e-5);
    near("weights of 4", stats_share(25, 25, 50, 50), stats_share(100, 400, 200, 800), 1e-12);
    near("as many", 25, stats_equal(100, 400), 1e-12);
    /* nothing, and a damaged file's squares */
    checks += 3;
    /* none of two samples, then two of three, may be chance; none of 40, then 40 of 60, is not */
    for (double n = 1; n <= 20; n += 19) {
        double apart = 2 / 3.0 / hypot(stats_share_deviation(0, 0, 2 * n, 2 * n),
                                       stats_share_deviation(2 * n, 2 * n, 3 * n, 3 * n));
        if ((apart > 1.96) != (n > 1))
            printf("%g samples are %g deviations apart; ", 5 * n, apart);
    }
    if (!isnan(stats_share(0, 0, 0, 0)) || !isnan(stats_half(0, 0)) || stats_equal(0, 0) != 0)
        printf("a share of no samples; ");
    if (stats_equal(100, 1) != 100 || !(stats_share(200, 1, 100, 1) <= 1))
        printf("squares below the weights; ");
    if (!(stats_share(1, 1e300, 100, 1e300) <= 1))
        printf("squares beyond all; ");
}

/* A program whose path is a serial part, which takes SERIAL of it, and steps in which the longest
 * of RANKS equal strands is on it: one that a sample struck, if there is one. MEAN: samples in all.
 */
static bool favoured(unsigned ranks, double serial, double mean, double *margin)
{
    enum { STEPS = 400 };
    double work = serial + (1 - serial) * ranks, all = 0, hits = 0, path = 0;
    double each = mean / work * (1 - serial) / STEPS;   /* samples of a strand */
    for (int i = 0; i < STEPS; i++) {
        double now = uniform() < mean / work * serial / STEPS;
        bool struck = false;
        all += now;
        path += now;
        for (unsigned k = 0; k < ranks; k++) {
            bool hit = uniform() < each;
            all += hit;
            struck |= hit;
        }
        /* where none was struck, the longest has no sample, either */
        hits += struck;
    }
    path += hits;
    double expected = all / work;
    if (!hits)
        return true;
    *margin = stats_share_favoured(hits, hits, path, path, expected);
    return fabs(hits / path - (1 - serial)) <= *margin;
}

static void favoured_shares(void)
{
    for (unsigned ranks = 2; ranks <= 32; ranks *= 2)
        for (double serial = 0.1; serial < 1; serial += 0.2) {
            unsigned inside = 0, tries = 2000;
            double margin = 0, sum = 0;
            for (unsigned i = 0; i < tries; i++) {
                inside += favoured(ranks, serial, 300, &margin);
                sum += margin;
            }
            checks++;
            if (inside < 0.93 * tries)
                printf("%u ranks, %g serial: %u of %u covered; ", ranks, serial, inside, tries);
        }
    /* of 100 samples 80 were expected: between 40 / 80 and 60 / 80 without chance */
    near("favoured", 0.75 - 0.6 + stats_share(60, 60, 100, 100) * 100 / 80,
         stats_share_favoured(60, 60, 100, 100, 80), 1e-12);
    near("favoured, all", 0.6, stats_share_favoured(60, 60, 100, 100, 5), 1e-12);
    near("favoured, as expected", stats_share(60, 60, 100, 100),
         stats_share_favoured(60, 60, 100, 100, 100), 1e-12);
}

static void quantiles(void)
{
    static const double table[][2] = { { 1, 12.7062 },        { 2, 4.302653 }, { 3, 3.182446 },
                                       { 4, 2.776445 },       { 9, 2.262157 }, { 30, 2.042272 },
                                       { INFINITY, 1.959964 } };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        near("quantile", table[i][1], stats_student_95(table[i][0]), 1e-5);
    for (double df = 1; df < 60; df *= 1.7)
        for (double t = 0.1; t < 6; t *= 1.5)
            near("p", tails(t, df), stats_student(t, df), 1e-7);
}

/* Zeros that were not seen are as zeros that were. */
static void zeros(void)
{
    struct moments a = { 0 }, b = { 0 };
    for (int i = 0; i < 7; i++)
        moments_add(&a, i < 4 ? 10 + i : 0);
    for (int i = 0; i < 4; i++)
        moments_add(&b, 10 + i);
    moments_fill(&b, 7);
    near("mean", a.mean, b.mean, 1e-12);
    near("deviation", moments_deviation(&a), moments_deviation(&b), 1e-12);
}

/* The interval holds the true difference 95 times of 100, and p is below 0.05 five times of 100
 * where there is none. */
static void chances(void)
{
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
}

/* Benjamini and Hochberg, 1995, section 3.2: of these fifteen the first four. */
static void discoveries(void)
{
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
}

/* One run a side borrows; none known. */
static void one_run(void)
{
    struct moments a = { 0 };
    for (int i = 0; i < 7; i++)
        moments_add(&a, i < 4 ? 10 + i : 0);
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
    /* of one side alone: as with another side whose mean is known */
    near("margin", stats_student_95(6) * moments_deviation(&a) / sqrt(7.0), stats_margin(&a, NAN),
         1e-9);
    near("margin's floor", stats_student_95(6) * 100 / sqrt(7.0), stats_margin(&a, 1e4), 1e-9);
    near("margin of sampling", 1.959964 * 3, stats_margin(&one, 9), 1e-5);
    near("margin of no noise", 0, stats_margin(&one, 0), 0);
    checks++;
    if (!isnan(stats_margin(&one, NAN)) || !isnan(stats_margin(&(struct moments){ 0 }, 9)))
        printf("margin of one run: known; ");
    near("borrowed", stats_student_95(6) * moments_deviation(&a) * sqrt(1 + 1 / 7.0),
         borrowed.margin, 1e-9);
}

int main(void)
{
    quantiles();
    zeros();
    chances();
    discoveries();
    one_run();
    shares();
    favoured_shares();
    printf("%u checks\n", checks);
    return 0;
}
