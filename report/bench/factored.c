/* factored.c - derives struct factored from a bench: calls the other files in their order. values.c
 * has the statistics over trials, figures.c the figures at each P and the bounds, warnings.c the
 * words. This file itself sets the number of cores, the times at each P, the point
 * that is judged, and how much slower the copies are.
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
    f->machine_slowdown = figures_loop_slowdown(m);
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
    figures_baseline(f);
    for (unsigned i = 0; i < f->count; i++) {
        figures_set(f, &f->points[i]);
        if (i && !f->points[i].over && f->points[i].native.n && f->points[0].native.n)
            f->judged = i;
    }
    figures_bounds(f);
    struct stat_of copies = values_over(f, TRIAL_COPIES, 0, value_wall);
    f->copies = copies.n ? copies.mean / f->points[0].native.mean : NAN;
    if (f->judged >= 0) {
        const struct trial *t = bench_nearest_to_mean(b, f->points[f->judged].p);
        f->findings = t ? &t->profile.findings : NULL;
        figures_grown(f);
    }
    words_of_speedup(f);
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
