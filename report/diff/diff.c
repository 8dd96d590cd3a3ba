/* diff.c - reads the runs of two sides, one at a time, and sums them in rows that both share. See
 * diff.h. */
#define _GNU_SOURCE
#include "diff/diff.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/certainty.h"
#include "analysis/ledger.h"
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "analysis/summaries.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "base/progress.h"
#include "layout/options.h"
#include "profile/profile.h"
#include "symbols/names.h"

const char *const diff_metrics[DIFF_METRICS] = { "span",     "work",    "idleness",
                                                 "overhead", "blocked", "tasks" };

const struct diff_kind diff_kinds[DIFF_TOTALS] = {
    [DIFF_ELAPSED] = { "elapsed_ns", "Elapsed", DIFF_NS },
    [DIFF_T1] = { "work_ns", "Work", DIFF_COST },
    [DIFF_TINF] = { "span_ns", "Span", DIFF_COST },
    [DIFF_BURDENED] = { "burdened_span_ns", "Burdened span", DIFF_COST },
    [DIFF_PARALLELISM] = { "parallelism", "Parallelism", DIFF_RATIO },
    [DIFF_DIVISIBLE] = { "parallelism_divisible", "Parallelism, loops divided", DIFF_RATIO },
    [DIFF_TYPICAL] = { "parallelism_typical", "Parallelism, no outliers", DIFF_RATIO },
    [DIFF_BURDENED_PARALLELISM] = { "burdened_parallelism", "Burdened parallelism", DIFF_RATIO },
    [DIFF_IDLE] = { "idleness_ns", "Idle worker time", DIFF_NS },
    [DIFF_SHARE_IDLE] = { "idle_share", "Idle, of worker time", DIFF_PERCENT },
    [DIFF_MPI] = { "mpi_ns", "Time in MPI", DIFF_NS },
    [DIFF_OVERHEAD_IN] = { "overhead_in_strands_ns", "Overhead inside strands", DIFF_COST },
    [DIFF_OVERHEAD_BETWEEN] = { "overhead_between_strands_ns", "Overhead between strands",
                                DIFF_NS },
    [DIFF_BLOCKED_ALL] = { "blocked_ns", "Blocked inside strands", DIFF_NS },
    [DIFF_OWN] = { "own_ns", "libprof itself", DIFF_NS },
    [DIFF_TASKS_ALL] = { "tasks", "Tasks", DIFF_COUNT },
    [DIFF_SPAWNS] = { "spawns", "Spawns", DIFF_COUNT },
    [DIFF_STEALS] = { "steals", "Steals", DIFF_COUNT },
};

static struct diff_row *row_at(struct diff *d, struct diff_table *t, uint32_t parent,
                               const char *function, const char *module, const char *construct)
{
    struct diff_row *r, like;
    memset(&like.key, 0, sizeof like.key);
    like.key.function = diff_keep_function(d, function);
    like.key.module = module;
    like.key.construct = construct;
    like.key.parent = parent;
    HASH_FIND(hh, t->by_key, &like.key, sizeof like.key, r);
    if (r)
        return r;
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 256;
        t->rows = format_memory(realloc(t->rows, t->capacity * sizeof *t->rows));
    }
    r = format_memory(calloc(1, sizeof *r));
    memcpy(&r->key, &like.key, sizeof r->key);
    r->index = t->count;
    HASH_ADD(hh, t->by_key, key, sizeof r->key, r);
    return t->rows[t->count++] = r;
}

static struct diff_row *row_of(struct diff *d, struct diff_table *t, uint32_t parent,
                               const char *function, const char *module)
{
    return row_at(d, t, parent, function, module, 0);
}

/* ---- one run ---- */

static void add_now(double *to, const struct path_cost *c)
{
    to[DIFF_SPAN] += c->span;
    to[DIFF_WORK] += c->work;
    to[DIFF_IDLENESS] += c->idleness;
    to[DIFF_OVERHEAD] += c->overhead;
    to[DIFF_BLOCKED] += c->blocked;
    to[DIFF_TASKS] += c->tasks;
}

static void add_hits(struct diff_hits *to, const struct path_cost *c)
{
    to->samples += c->samples;
    to->on_span += c->on_span;
    to->squares += c->squares;
    to->on_span_squares += c->on_span_squares;
}

static void add_run(struct diff *d, struct diff_row *r, int side, const struct path_cost *self,
                    const struct path_cost *all, const char *file, int line)
{
    add_now(r->self_now, self);
    add_now(r->all_now, all);
    add_hits(&r->self_hits[side], self);
    add_hits(&r->all_hits[side], all);
    if (file) {
        r->file = diff_keep(d, file);
        r->line = line;
    }
    r->touched = true;
}

/* Ends the reading of a run. Two paths or functions of a run may share a row here, so a row's
 * values are known only once all have been added. */
static void end_run(struct diff_table *t, int side)
{
    for (size_t i = 0; i < t->count; i++) {
        struct diff_row *r = t->rows[i];
        if (!r->touched)
            continue;
        for (unsigned k = 0; k < DIFF_METRICS; k++) {
            moments_add(&r->self_of[side][k], r->self_now[k]);
            moments_add(&r->all_of[side][k], r->all_now[k]);
            r->self_now[k] = r->all_now[k] = 0;
        }
        r->touched = false;
    }
}

/* The row of node I's function. */
static struct diff_row *function_of(struct diff *d, const struct paths *t, uint32_t i)
{
    return row_of(d, &d->functions, LPF_NONE, t->nodes[i].function,
                  i ? diff_keep_module(d, t->summary->profile, t->nodes[i].module)
                    : diff_keep(d, ""));
}

/* FOLD: see options.fold_waits. */
static void add_rows(struct diff *d, const struct paths *t, int side, bool fold)
{
    const struct profile *p = t->summary->profile;
    uint32_t *map = format_memory(calloc(t->node_count + 1, sizeof *map));
    uint64_t *blocked = 0;
    uint32_t *home = fold ? diff_fold(t, &blocked) : 0;
    for (size_t i = 0; i < t->node_count; i++) {
        const struct path_node *n = &t->nodes[i];
        struct diff_row *r = row_of(d, &d->paths, i ? map[n->parent] : LPF_NONE, n->function,
                                    i ? diff_keep_module(d, p, n->module) : diff_keep(d, ""));
        struct path_cost self = n->self, all = n->all;
        map[i] = r->index;
        if (fold) {
            self.blocked = blocked[i];
            all.blocked = blocked[t->node_count + 1 + i];
        }
        add_run(d, r, side, &self, &all, n->file, n->line);
    }
    for (size_t i = 0; i < t->function_count; i++) {
        const struct cost_row *f = &t->functions[i];
        const char *module = diff_keep_module(d, p, f->module);
        add_run(d, row_of(d, &d->functions, LPF_NONE, f->function, module), side, &f->self,
                &f->all, f->file, 0);
    }
    for (size_t i = 0; fold && i < t->node_count; i++)
        if (home[i] != i) {
            function_of(d, t, i)->self_now[DIFF_BLOCKED] -= t->nodes[i].self.blocked;
            function_of(d, t, home[i])->self_now[DIFF_BLOCKED] += t->nodes[i].self.blocked;
        }
    free(home);
    free(blocked);
    free(map);
    end_run(&d->paths, side);
    end_run(&d->functions, side);
}

static void add_waits(struct diff *d, const struct summary *m, int side)
{
    static const struct path_cost none;
    for (size_t i = 0; i < m->wait_count; i++) {
        const struct row *w = &m->waits[i];
        char *name = name_plain(w->function);
        struct path_cost c = { .idleness = profile_ns(m->profile, w->top.work),
                               .tasks = w->top.count };
        add_run(d,
                row_at(d, &d->waits, LPF_NONE, name, diff_keep_module(d, m->profile, w->module),
                       diff_keep(d, w->construct)),
                side, &c, &none, w->file, w->line);
        free(name);
    }
    end_run(&d->waits, side);
}

static void widen(unsigned *least, unsigned *most, unsigned v, bool first)
{
    *least = first || v < *least ? v : *least;
    *most = first || v > *most ? v : *most;
}

static void add_totals(struct diff *d, struct diff_side *s, const struct summary *m,
                       const struct paths *t)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    unsigned threads = 0;
    bool first = !s->runs;
    for (size_t i = 0; i < p->thread_count; i++)
        threads += p->threads[i].work_cost != 0;
    widen(&s->workers_min, &s->workers_max, k->workers, first);
    widen(&s->threads_min, &s->threads_max, threads, first);
    const char *cmdline = profile_string(p, k->cmdline);
    if (first) {
        s->exe = diff_keep(d, profile_string(p, k->exe));
        s->cmdline = diff_keep(d, *cmdline ? cmdline : s->exe);
        s->clock = diff_keep(d, profile_string(p, k->clock));
        s->unit = diff_keep(d, profile_unit(p));
        s->exact = s->complete = s->same_command = true;
    }
    s->same_command &= s->cmdline == diff_keep(d, *cmdline ? cmdline : s->exe);
    s->exact &= k->exact != 0;
    if (!s->caveat || certainty_span(m) == CERTAIN_NOT)
        s->caveat = certainty_caveat(m, true);
    s->merged |= p->input_count > 1;
    s->loops_divide |= summary_loops_divide(m);
    if (summary_loops_divide(m) && !summary_cut_by_program(m))
        *(summary_cut_by_either(m) ? &s->cut_by_either : &s->cut_by_workers) = true;
    s->outliers |= summary_has_outliers(m);
    s->complete &= !(p->flags & (LPF_F_CHECKPOINT | LPF_F_CRASHED));
    struct ledger l = ledger_of(m, t);
    bool mpi = ledger_has_mpi(&l, p);
    double idle = mpi ? l.idle : t->idle_ns;
    const double v[DIFF_TOTALS] = {
        [DIFF_ELAPSED] = k->elapsed_ns,
        [DIFF_T1] = m->work,
        [DIFF_TINF] = m->span,
        [DIFF_BURDENED] = m->burdened_span,
        [DIFF_PARALLELISM] = m->parallelism,
        [DIFF_DIVISIBLE] = m->divisible_parallelism,
        [DIFF_TYPICAL] = m->typical_parallelism,
        [DIFF_BURDENED_PARALLELISM] = m->burdened_parallelism,
        [DIFF_IDLE] = idle,
        [DIFF_SHARE_IDLE] = 100 * ratio(idle, profile_slots_ns(p)),
        [DIFF_MPI] = mpi ? l.mpi_waits + l.mpi_transfer : 0,
        [DIFF_OVERHEAD_IN] = t->total.overhead,
        [DIFF_OVERHEAD_BETWEEN] = mpi ? l.between : k->dispatch_ns,
        [DIFF_BLOCKED_ALL] = k->blocked_ns,
        [DIFF_OWN] = k->own_ns,
        [DIFF_TASKS_ALL] = k->tasks,
        [DIFF_SPAWNS] = k->spawns,
        [DIFF_STEALS] = k->steals,
    };
    for (unsigned i = 0; i < DIFF_TOTALS; i++) {
        s->values[i] = format_memory(realloc(s->values[i], (s->runs + 1) * sizeof(double)));
        s->values[i][s->runs] = v[i];
        moments_add(&s->totals[i], v[i]);
    }
    double sums[DIFF_METRICS] = { 0 };
    add_now(sums, &t->total);
    for (unsigned i = 0; i < DIFF_METRICS; i++)
        moments_add(&s->row_totals[i], sums[i]);
    add_hits(&s->hits, &t->total);
    s->runs++;
}

static int add_file(struct diff *d, int side, const char *file, const struct options *o,
                    struct summaries *names)
{
    struct summary m;
    struct paths t;
    if (!summaries_open(names, file, false, &m))
        return 2;
    if (o->in_program)
        paths_new_program(&t, &m, o->overhead);
    else
        paths_new(&t, &m, o->physical, !o->unfolded, o->overhead);
    add_totals(d, &d->side[side], &m, &t);
    add_rows(d, &t, side, o->fold_waits);
    add_waits(d, &m, side);
    diff_add_findings(d, side, t.causes);
    paths_free(&t);
    summaries_close(names, &m);
    return 0;
}

/* ---- both sides ---- */

/* The weights of samples over all runs of a side, and the squares of these weights. */
struct weights {
    double sum, squares;
};

/* The variance that sampling gives to a row's metric in one run. The row has HITS of ALL samples,
 * and all rows together have TOTAL of the metric. */
static double sampling_variance(double total, struct weights hits, struct weights all,
                                unsigned runs)
{
    double deviation = total * stats_share_deviation(hits.sum / runs, hits.squares / runs,
                                                     all.sum / runs, all.squares / runs);
    return deviation * deviation;
}

/* The variance by sampling of metric K of a row. NAN: sampling does not show it. */
static double row_variance(const struct diff *d, const struct diff_side *s, unsigned k,
                           const struct moments *of, const struct diff_hits *hits)
{
    double work = s->row_totals[DIFF_WORK].mean;
    struct weights all = { s->hits.samples, s->hits.squares }, of_all = { hits->samples,
                                                                          hits->squares };
    if (k == DIFF_BLOCKED || k == DIFF_TASKS || k == DIFF_IDLENESS)
        return NAN;
    if (hits->samples < 0) /* no sample splits a total: it differs as the runs do */
        return d->virtual_clock ? 0 : NAN;
    if (!s->runs || all.sum <= 0 || (s->runs > 1 && of->mean == 0))
        return 0; /* without samples, or 0 in all runs */
    if (k == DIFF_SPAN) {
        all = (struct weights){ s->hits.on_span, s->hits.on_span_squares };
        of_all = (struct weights){ hits->on_span, hits->on_span_squares };
    } else if (k == DIFF_OVERHEAD) {
        double part = ratio(of->mean, work);
        of_all = (struct weights){ part * all.sum, part * all.squares };
    }
    if (of->mean > 0 && of_all.sum <= 0)
        return NAN;             /* it has a cost without a sample */
    return sampling_variance(k == DIFF_SPAN ? s->row_totals[k].mean : work, of_all, all, s->runs);
}

static void compare_costs(const struct diff *d, struct moments of[2][DIFF_METRICS],
                          const struct diff_hits hits[2], struct change *to)
{
    for (unsigned k = 0; k < DIFF_METRICS; k++)
        to[k] = stats_change(&of[0][k], &of[1][k],
                             row_variance(d, &d->side[0], k, &of[0][k], &hits[0]),
                             row_variance(d, &d->side[1], k, &of[1][k], &hits[1]));
}

static void compare_table(struct diff *d, struct diff_table *t)
{
    struct change **list = format_memory(calloc(t->count + 1, sizeof *list));
    for (size_t i = 0; i < t->count; i++) {
        struct diff_row *r = t->rows[i];
        if (r->key.parent == LPF_NONE && t == &d->paths)
            /* row 0 has all costs, which are exact */
            r->all_hits[0] = r->all_hits[1] =
                (struct diff_hits){ .samples = -1, .on_span = -1 };
        for (int s = 0; s < 2; s++)
            for (unsigned k = 0; k < DIFF_METRICS; k++) {
                moments_fill(&r->self_of[s][k], d->side[s].runs);
                moments_fill(&r->all_of[s][k], d->side[s].runs);
            }
        compare_costs(d, r->self_of, r->self_hits, r->self);
        compare_costs(d, r->all_of, r->all_hits, r->all);
    }
    /* of so many comparisons, some would be significant by chance */
    for (unsigned k = 0; k < DIFF_METRICS; k++)
        for (int all = 0; all < 2; all++) {
            size_t n = 0;
            for (size_t i = 0; i < t->count; i++) {
                struct change *c = all ? &t->rows[i]->all[k] : &t->rows[i]->self[k];
                if (c->a != 0 || c->b != 0)
                    list[n++] = c;
            }
            stats_discover(list, n);
        }
    free(list);
}

struct change diff_user_work(const struct diff_row *r)
{
    struct change c = r->self[DIFF_WORK];
    c.a -= r->self[DIFF_OVERHEAD].a;
    c.b -= r->self[DIFF_OVERHEAD].b;
    c.delta = c.b - c.a;
    return c;
}

static void compare_sides(struct diff *d)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    d->counts_time = !strcmp(a->unit, "ns") && strcmp(a->clock, "virtual");
    d->virtual_clock = !strcmp(a->clock, "virtual") && a->clock == b->clock;
    for (unsigned i = 0; i < DIFF_TOTALS; i++) {
        bool exact = d->virtual_clock && (i == DIFF_T1 || i == DIFF_TINF || i == DIFF_PARALLELISM);
        d->totals[i] = stats_change(&a->totals[i], &b->totals[i], exact ? 0 : NAN, exact ? 0 : NAN);
    }
    for (unsigned i = 0; i < DIFF_METRICS; i++) {
        bool exact = d->virtual_clock && (i == DIFF_SPAN || i == DIFF_WORK);
        d->row_totals[i] = stats_change(&a->row_totals[i], &b->row_totals[i], exact ? 0 : NAN,
                                        exact ? 0 : NAN);
    }
    bool one = a->workers_max == 1 || a->threads_max == 1;
    d->inflates = one && b->workers_min > 1 && b->threads_min > 1 && !d->virtual_clock &&
                  a->clock == b->clock;
    compare_table(d, &d->functions);
    compare_table(d, &d->paths);
    compare_table(d, &d->waits);
    diff_compare_findings(d);
}

int diff_new(struct diff *d, char **const files[2], const unsigned counts[2],
             const struct options *o)
{
    memset(d, 0, sizeof *d);
    int status = 0;
    struct summaries names = { 0 };
    for (int s = 0; s < 2 && (!s || d->side[0].runs); s++) {
        d->side[s].files = files[s];
        d->side[s].count = counts[s];
        for (unsigned i = 0; i < counts[s]; i++)
            status |= add_file(d, s, files[s][i], o, &names);
    }
    summaries_free(&names);
    if (!d->side[0].runs || !d->side[1].runs)
        return 2;               /* profile_open has printed why */
    if (strcmp(d->side[0].unit, d->side[1].unit)) {
        char *a = format_clean(d->side[0].unit), *b = format_clean(d->side[1].unit);
        fprintf(stderr, "prof: A counts %s and B %s: their costs cannot be compared\n", a, b);
        free(a);
        free(b);
        return 2;
    }
    progress_done();
    compare_sides(d);
    d->comparable = true;
    return status;
}

bool diff_shows(const struct diff *d, enum diff_total i)
{
    enum diff_unit unit = diff_kinds[i].unit;
    return (d->totals[i].a != 0 || d->totals[i].b != 0) &&
           (i != DIFF_DIVISIBLE || diff_loops_divide(d)) &&
           (i != DIFF_TYPICAL || diff_has_outliers(d)) &&
           (d->counts_time || (unit != DIFF_NS && unit != DIFF_PERCENT));
}

static void free_table(struct diff_table *t)
{
    HASH_CLEAR(hh, t->by_key);
    for (size_t i = 0; i < t->count; i++)
        free(t->rows[i]);
    free(t->rows);
}

void diff_free(struct diff *d)
{
    free_table(&d->functions);
    free_table(&d->paths);
    free_table(&d->waits);
    diff_free_names(d);
    free(d->findings);
    for (int s = 0; s < 2; s++)
        for (unsigned i = 0; i < DIFF_TOTALS; i++)
            free(d->side[s].values[i]);
}

void diff_map(struct diff *d, const struct paths *t, const struct diff_row **rows)
{
    for (size_t i = 0; i < t->node_count; i++) {
        const struct path_node *n = &t->nodes[i];
        rows[i] = row_of(d, &d->paths, i ? rows[n->parent]->index : LPF_NONE, n->function,
                         i ? diff_keep_module(d, t->summary->profile, n->module)
                           : diff_keep(d, ""));
    }
}

void diff_map_functions(struct diff *d, const struct paths *t, const struct diff_row **rows)
{
    for (size_t i = 0; i < t->node_count; i++)
        rows[i] = function_of(d, t, i);
}

/* ---- order ---- */

static double sort_value(const struct change *c, const char *key)
{
    if (!strcmp(key, "relative"))
        return c->a > 0 && c->b > 0 ? fabs(log(c->b / c->a)) : c->a > 0 || c->b > 0 ? INFINITY : 0;
    return !strcmp(key, "a") ? c->a : !strcmp(key, "b") ? c->b : fabs(c->delta);
}

/* Compares two rows by self costs, or by inclusive costs if ALL. */
static int order_of(const struct diff_row *x, const struct diff_row *y, const struct diff_wish *w,
                    bool all)
{
    const struct change *a = all ? &x->all[w->metric] : &x->self[w->metric],
                        *b = all ? &y->all[w->metric] : &y->self[w->metric];
    int c = strcmp(w->sort, "name") ? 0 : strcmp(x->key.function, y->key.function);
    double u = sort_value(a, w->sort), v = sort_value(b, w->sort);
    if (!c)
        c = u < v ? 1 : u > v ? -1 : 0;
    if (!c)
        c = fabs(a->delta) < fabs(b->delta) ? 1 : fabs(a->delta) > fabs(b->delta) ? -1 : 0;
    if (!c)
        c = strcmp(x->key.function, y->key.function);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

struct order {
    const struct diff_wish *w;
    bool all;
};

static int compare_rows(const void *a, const void *b, void *order)
{
    const struct order *o = order;
    return order_of(*(struct diff_row *const *)a, *(struct diff_row *const *)b, o->w, o->all);
}

struct diff_row **diff_sorted(const struct diff_table *t, const struct diff_wish *w, bool all)
{
    struct diff_row **rows = format_memory(calloc(t->count + 1, sizeof *rows));
    if (t->count) {
        memcpy(rows, t->rows, t->count * sizeof *rows);
        qsort_r(rows, t->count, sizeof *rows, compare_rows, &(struct order){ w, all });
    }
    return rows;
}
