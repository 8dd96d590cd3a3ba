/* causes.c - see causes.h. */
#define _GNU_SOURCE
#include "analysis/causes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/awaited.h"
#include "analysis/cause_cells.h"
#include "analysis/processors.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "symbols/construct_names.h"

const char *const cause_names[CAUSES] = {
#define CAUSE(id, name, sentence, remedy, cells, place) [CAUSE_##id] = name,
#include "analysis/causes.def"
#undef CAUSE
};

/* However busy the machine was, some of the time was the program's. */
#define MOST_LOST 0.95

static int by_gain(const void *a, const void *b)
{
    const struct cause_finding *x = a, *y = b;
    return x->gain < y->gain ? 1 : x->gain > y->gain ? -1 : (int)x->id - (int)y->id;
}

/* Sets what F counts, and how long one of it takes. */
static void count(struct cause_finding *f, const struct profile *p)
{
    const struct row *r = f->site;
    if (!r)
        return;
    f->count = f->id == CAUSE_SHORT_REGIONS ? r->invocations : r->parts ? r->parts : r->tasks;
    f->mean = ratio(profile_ns(p, r->local.work), f->count);
}

static int by_cause(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    const char *f = x->place.function, *g = y->place.function;
    int c = f && g ? strcmp(f, g) : (f != 0) - (g != 0);
    return c || !x->place.file || !y->place.file ? c : strcmp(x->place.file, y->place.file);
}

/* Is X, which comes after all cells of C's last finding, a part of it? */
static bool continues(const struct causes *c, const struct cell *x)
{
    const struct cause_finding *last = c->count ? &c->found[c->count - 1] : NULL;
    return last && last->id == x->cause && place_is(&last->place, &x->place);
}

/* A gain may be off by the samples that split its cells, and where these are exact, by the costs
 * that the removal brings with it. */
#define EXACT_MARGIN 0.1

static void find(struct causes *c, struct cells *from)
{
    const struct profile *p = from->m->profile;
    if (from->count)
        qsort(from->cell, from->count, sizeof *from->cell, by_cause);
    c->found = format_memory(calloc(from->count + 1, sizeof *c->found));
    double *samples = format_memory(calloc(from->count + 1, sizeof *samples)),
           *sampled = format_memory(calloc(from->count + 1, sizeof *sampled)),
           *largest = format_memory(calloc(from->count + 1, sizeof *largest));
    for (size_t i = 0; i < from->count; i++) {
        const struct cell *x = &from->cell[i];
        if (!continues(c, x))
            c->found[c->count++] = (struct cause_finding){ .id = x->cause, .place = x->place };
        size_t k = c->count - 1;
        struct cause_finding *f = &c->found[k];
        if (x->ns > largest[k]) {
            largest[k] = x->ns;
            f->site = x->site;
            f->place = x->place;
        }
        f->ns += x->ns;
        f->gain += x->ns / from->slots;
        samples[k] += x->weight > 0 ? stats_equal(x->weight, x->squares) : 0;
        sampled[k] += x->sampled / from->slots;
    }
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct cause_finding *f = &c->found[i];
        double by_samples = samples[i] > 0 ? Z95 / sqrt(samples[i]) : 0;
        double margin = fmax(EXACT_MARGIN * f->gain, by_samples * fmin(sampled[i], f->gain));
        f->gain = fmin(f->gain, c->elapsed);
        f->low = fmax(f->gain - margin, 0);
        f->high = fmin(f->gain + margin, c->elapsed);
        count(f, p);
        f->around = f->site && f->site->origin && name_lacks_origin(f->place.function)
                        ? f->site->origin
                        : f->place.function;
        if (f->gain >= CAUSE_WORTH * c->available && f->low > 0)
            c->found[kept++] = *f;
    }
    free(samples);
    free(sampled);
    free(largest);
    c->count = kept;
    qsort(c->found, c->count, sizeof *c->found, by_gain);
}

/* A rank is named if more than this share of the waits is for it, */
#define AWAITED_MOST 0.5
/* and this much of the time in MPI. */
#define AWAITED_WORTH 0.1

static void name_rank(struct cause_finding *f, const struct summary *m)
{
    struct awaited a;
    awaited_at(&a, m, &f->place);
    double ns = a.count ? profile_ns(m->profile, a.ranks->cost) : 0,
           waits = profile_ns(m->profile, a.waits);
    if (ns > AWAITED_MOST * waits && ns >= AWAITED_WORTH * f->ns) {
        f->awaited_rank = a.ranks->rank;
        f->awaited_ns = ns;
        f->waits_ns = waits;
    }
    awaited_free(&a);
}

/* A function's verdict is its largest cause. */
static void name_verdicts(const struct causes *c, struct paths *t)
{
    for (size_t i = 0; i < t->function_count; i++) {
        struct cost_row *r = &t->functions[i];
        struct place at = { .function = r->function, .file = r->file };
        r->verdict = "";
        for (size_t k = c->count; k-- > 0;)
            if (place_is(&c->found[k].place, &at))
                r->verdict = cause_names[c->found[k].id];
    }
}

void causes_new(struct causes *c, const struct summary *m, struct paths *t)
{
    const struct profile *p = m->profile;
    struct ledger l = ledger_of(m, t);
    *c = (struct causes){ .elapsed = p->totals.elapsed_ns, .available = p->totals.elapsed_ns };
    if (!l.known || !t) {
        for (size_t i = 0; t && i < t->function_count; i++)
            t->functions[i].verdict = "";
        return;
    }
    c->known = true;
    struct cells cells;
    struct lpf_switches switches = { 0 };
    struct processors x;
    cells_new(&cells, m, t, &l);
    profile_switches(p, &switches);
    processors_of(&x, p);
    /* what the program could not use is no part of its time */
    double lost = cells.crowd ? x.others_ns / cells.slots
                              : (double)(switches.preempted_ns + switches.idle_preempted_ns) /
                                    cells.slots;
    c->available -= fmin(fmin(lost, x.others_ns), MOST_LOST * c->available);
    find(c, &cells);
    for (size_t i = 0; i < c->count; i++)
        if (c->found[i].id == CAUSE_MPI)
            name_rank(&c->found[i], m);
    name_verdicts(c, t);
    cells_free(&cells);
}

void causes_free(struct causes *c)
{
    free(c->found);
    *c = (struct causes){ 0 };
}
