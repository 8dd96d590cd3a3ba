/* values.c - statistics over the trials of a bench, and the list of words. */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/format.h"
#include "bench/bench.h"
#include "bench/factored_private.h"

/* The 97.5 % quantile of Student's t with N degrees of freedom. */
static double student(unsigned n)
{
    static const double t[] = { 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                2.131, 2.120, 2.110, 2.101, 2.093, 2.086 };
    return n <= sizeof t / sizeof t[0] ? t[n - 1] : 1.96 + 2.4 / n;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct stat_of values_statistics(double *v, unsigned n)
{
    struct stat_of s = { .n = n, .mean = NAN, .median = NAN, .min = NAN, .max = NAN, .half = -1 };
    double sum = 0, squares = 0;
    if (!n)
        return s;
    qsort(v, n, sizeof *v, compare_doubles);
    for (unsigned i = 0; i < n; i++)
        sum += v[i];
    s.mean = sum / n;
    s.median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
    s.min = v[0];
    s.max = v[n - 1];
    for (unsigned i = 0; i < n; i++)
        squares += (v[i] - s.mean) * (v[i] - s.mean);
    if (n > 1)
        s.half = student(n - 1) * sqrt(squares / (n - 1) / n);
    return s;
}

double value_wall(const struct trial *t) { return t->wall; }

double value_cores(const struct trial *t) { return t->wall > 0 ? t->cpu / t->wall : 0; }

double value_cpu(const struct trial *t) { return t->cpu; }

/* The time of T, with one worker, in which it could have run but had no CPU. */
static double delay_of(const struct trial *t) { return t->delay; }

bool factored_counts(const struct factored *f, const struct trial *t)
{
    return !t->signaled && t->code == f->expected[t->kind];
}

/* The expected status is 0 if a trial ends with it, else that of the first trial. */
void values_expect(struct factored *f)
{
    static const enum trial_kind groups[TRIAL_KINDS] = { TRIAL_NATIVE,   TRIAL_NATIVE,
                                                         TRIAL_BASELINE, TRIAL_ELISION,
                                                         TRIAL_NATIVE,   TRIAL_NATIVE };
    bool known[TRIAL_KINDS] = { false };
    for (size_t i = 0; i < f->bench->trial_count; i++) {
        const struct trial *t = &f->bench->trials[i];
        enum trial_kind g = groups[t->kind];
        if (t->signaled || (known[g] && t->code))
            continue;
        f->expected[g] = t->code;
        known[g] = true;
    }
    for (unsigned k = 0; k < TRIAL_KINDS; k++)
        f->expected[k] = f->expected[groups[k]];
}

struct stat_of values_over(const struct factored *f, enum trial_kind kind, unsigned p,
                           double (*value)(const struct trial *))
{
    const struct bench *b = f->bench;
    double *v = format_memory(malloc((b->trial_count + 1) * sizeof *v));
    unsigned n = 0;
    for (size_t i = 0; i < b->trial_count; i++) {
        const struct trial *t = &b->trials[i];
        bool native = value == value_wall || value == value_cores || value == value_cpu ||
                      value == delay_of;
        if (t->kind == kind && (!p || t->p == p) && (native || t->has_profile) &&
            factored_counts(f, t))
            v[n++] = value(t);
    }
    struct stat_of s = values_statistics(v, n);
    free(v);
    return s;
}

double values_mean(const struct factored *f, unsigned p, double (*value)(const struct trial *))
{
    return values_over(f, TRIAL_PROFILED, p, value).mean;
}

bool values_all_timed(const struct factored *f)
{
    bool any = false;
    for (size_t i = 0; i < f->bench->trial_count; i++)
        if (f->bench->trials[i].has_profile) {
            any = true;
            if (!f->bench->trials[i].profile.timed)
                return false;
        }
    return any;
}

/* The part of the time of KIND's trials with one worker that VALUE is, as a ratio of means, as all
 * figures are. NAN: there are no such trials, or they have no time. */
static double part_of_time(const struct factored *f, enum trial_kind kind,
                           double (*value)(const struct trial *))
{
    unsigned p = kind == TRIAL_NATIVE;
    return f->bench->virtual ? NAN
                             : values_over(f, kind, p, value).mean /
                                   values_over(f, kind, p, value_wall).mean;
}

double factored_on_cpu(const struct factored *f, enum trial_kind kind)
{
    double cores = part_of_time(f, kind, value_cpu);
    return cores > 0 && cores < 1 ? cores : 1;
}

double factored_ready(const struct factored *f, enum trial_kind kind)
{
    double delayed = part_of_time(f, kind, delay_of), on = factored_on_cpu(f, kind);
    return delayed > 0 ? fmin(1, on + delayed) : on;
}

void factored_say(struct factored *f, enum mark mark, const char *cause, const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    f->words = format_memory(realloc(f->words, (f->word_count + 1) * sizeof *f->words));
    f->words[f->word_count++] = (struct words){ mark, cause,
                                                format_memory(n < 0 ? NULL : text) };
}
