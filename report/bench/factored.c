/* factored.c - the figures derived from trials: expected values, the factored speedups of Acar,
 * Chargueraud and Rainey, the gaps between them, and words.
 *
 * The time of P cores is a sum without a rest (their facts 2.4, 2.5):
 *
 *     P T_P = T_s + (T_1 - T_s) + I_P + F_P
 *
 * Each term's share of P T_P is the part of the machine that this cause takes. The words are ranked
 * by these shares. T_s, T_1 and T_P are means of native trials, I_P is the mean of profiled ones
 * (all figures are ratios of expected values, section 2.7). A profiled run takes longer than a
 * native one, and part of its idle time may have grown with it. So I_P lies between the measured
 * time and that time divided by the perturbation. The width of this interval is part of the error
 * of F_P.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "bench/factored_private.h"

void factored_new(struct factored *f, const struct bench *b)
{
    const struct bench_machine *m = &b->machine;
    memset(f, 0, sizeof *f);
    f->bench = b;
    f->judged = -1;
    values_expect(f);
    double cores = m->quota > 0 && m->quota < m->allowed ? floor(m->quota) : m->allowed;
    f->cores = b->virtual   ? BENCH_MAX_P
               : cores >= 1 ? (cores < BENCH_MAX_P ? cores : BENCH_MAX_P)
                            : 1;
    f->machine_slowdown = points_loop_slowdown(m);
    f->count = b->p_count;
    for (unsigned i = 0; i < f->count; i++) {
        struct point *x = &f->points[i];
        x->p = b->p[i];
        x->over = x->p > f->cores;
        x->native = values_over(f, TRIAL_NATIVE, x->p, value_wall);
        x->profiled = values_over(f, TRIAL_PROFILED, x->p, value_wall);
        x->one = values_over(f, TRIAL_ONE, x->p, value_wall);
        if (!x->one.n)
            x->one = f->points[0].native;
    }
    points_baseline(f);
    for (unsigned i = 0; i < f->count; i++) {
        points_set(f, &f->points[i]);
        if (i && !f->points[i].over && f->points[i].native.n && f->points[0].native.n)
            f->judged = i;
    }
    points_bounds(f);
    struct stat_of copies = values_over(f, TRIAL_COPIES, 0, value_wall);
    f->copies = copies.n ? copies.mean / f->points[0].native.mean : NAN;
    causes_say(f);
    warnings_of_trials(f);
    if (!b->virtual)
        warnings_of_machine(f);
}

void factored_free(struct factored *f)
{
    for (size_t i = 0; i < f->word_count; i++)
        free(f->words[i].text);
    free(f->words);
}
