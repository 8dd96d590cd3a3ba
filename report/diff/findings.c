/* findings.c - the findings of both sides (analysis/causes.h): which appeared, vanished, grew or
 * shrank. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/causes.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "diff/diff.h"
#include "words/cause_words.h"

static double squared(double v)
{
    return v * v;
}

/* The finding that X is: lines and files do not count, as with rows. */
static struct diff_finding *finding_of(struct diff *d, const struct cause_finding *x)
{
    const char *function = x->place.function ? diff_keep_function(d, x->around) : NULL;
    size_t n = d->finding_count;
    for (size_t i = 0; i < n; i++)
        if (d->findings[i].id == x->id && d->findings[i].place.function == function)
            return &d->findings[i];
    d->findings = format_memory(realloc(d->findings, (n + 1) * sizeof *d->findings));
    d->findings[n] = (struct diff_finding){ .id = x->id, .place = { .function = function } };
    d->finding_count++;
    return &d->findings[n];
}

void diff_add_findings(struct diff *d, int side, const struct causes *c)
{
    struct diff_side *s = &d->side[side];
    if (!c->known)
        return;
    s->judged++;
    moments_add(&s->elapsed, c->elapsed);
    for (size_t i = 0; i < c->count; i++) {
        const struct cause_finding *x = &c->found[i];
        struct diff_finding *f = finding_of(d, x);
        f->now += x->gain;
        f->now_variance += squared((x->high - x->low) / 2 / Z95);
        f->place.file = diff_keep(d, x->place.file);
        f->place.line = x->place.line;
        f->touched = true;
    }
    for (size_t i = 0; i < d->finding_count; i++) {
        struct diff_finding *f = &d->findings[i];
        if (!f->touched)
            continue;
        moments_add(&f->gain[side], f->now);
        f->variance[side] += f->now_variance;
        f->seen[side]++;
        f->now = f->now_variance = 0;
        f->touched = false;
    }
}

bool diff_knows_findings(const struct diff *d)
{
    return d->side[0].judged && d->side[1].judged;
}

static int by_change(const void *a, const void *b)
{
    const struct diff_finding *x = a, *y = b;
    double u = fabs(x->change.delta), v = fabs(y->change.delta);
    return u < v ? 1 : u > v ? -1 : x->id != y->id ? (int)x->id - (int)y->id
           : strcmp(x->place.function ? x->place.function : "",
                    y->place.function ? y->place.function : "");
}

/* Compares F's gains. A run without F has a gain of 0 to CAUSE_WORTH: only what is beyond all of
 * that has changed. */
static struct change change_of(const struct diff *d, const struct diff_finding *f)
{
    struct moments shown[2], near[2];
    double variance[2];
    for (int s = 0; s < 2; s++) {
        const struct diff_side *side = &d->side[s];
        double most = CAUSE_WORTH * side->elapsed.mean;
        shown[s] = near[s] = f->gain[s];
        moments_fill(&shown[s], side->judged);
        while (near[s].n < side->judged)
            moments_add(&near[s], f->seen[!s] ? fmin(most, f->gain[!s].mean) : most);
        variance[s] = f->variance[s] / side->judged;
    }
    struct change c = stats_change(&near[0], &near[1], variance[0], variance[1]);
    double delta = shown[1].mean - shown[0].mean;
    c.margin += fabs(delta - c.delta);
    c.a = shown[0].mean;
    c.b = shown[1].mean;
    c.delta = delta;
    return c;
}

void diff_compare_findings(struct diff *d)
{
    if (!diff_knows_findings(d))
        d->finding_count = 0;
    struct change **all = format_memory(calloc(d->finding_count + 1, sizeof *all));
    for (size_t i = 0; i < d->finding_count; i++)
        d->findings[i].change = change_of(d, &d->findings[i]);
    if (d->finding_count)
        qsort(d->findings, d->finding_count, sizeof *d->findings, by_change);
    for (size_t i = 0; i < d->finding_count; i++)
        all[i] = &d->findings[i].change;
    stats_discover(all, d->finding_count);
    free(all);
}

char *diff_finding_place(const struct diff_finding *f)
{
    const struct cause_finding at = { .id = f->id, .place = f->place, .around = f->place.function };
    return f->place.function ? cause_place(&at) : format_text("%s", "");
}

const char *diff_finding_fate(const struct diff_finding *f)
{
    return !f->change.significant ? "same"
           : !f->seen[0]          ? "appeared"
           : !f->seen[1]          ? "vanished"
           : f->change.delta > 0  ? "grew"
                                  : "shrank";
}
