/* path_verdict.c - what is known of each function that a verdict depends on: its share of the span
 * and of the idle time as far as samples show it, and the tasks that execute it. path_advice.c has
 * the verdicts.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include "analysis/limits.h"
#include "analysis/path_judged.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"

/* A function with fewer samples than this has no verdict, unless its costs are exact: chance alone
 * halves or doubles the share of four. */
#define JUDGED_SAMPLES 5
/* A node with at least this share of a function's work stands for all of it. */
#define MOSTLY 0.95

/* The part of the strands' time off the CPU in which they waited for something else than a CPU, 0
 * to 1. 0 as well where it is not known. */
static double waited_part(const struct profile *p, const struct limits *l)
{
    uint64_t delay;
    return profile_run_delay_ns(p, &delay)
               ? fmax(0, 1 - ratio(fmin(delay, l->ledger.blocked), l->ledger.blocked))
               : 0;
}

/* Sets what the samples on the critical path tell of R, as far as they are enough. The span of its
 * tasks is exact, and so is an upper bound of its own, if they execute all of it. */
static void judge_span(const struct paths *t, const struct path_row *r, struct judged *j)
{
    const struct path_cost *c = &r->self, *all = &t->total;
    double on = c->on_span ? stats_equal(c->on_span, c->on_span_squares) : 0, most = all->span;
    bool alone = t->nodes[r->node].self.work >= MOSTLY * c->work;
    j->region = c->span ? c->executed > MOST * c->span : j->g && j->g->executed > MOST * j->g->span;
    j->even = c->span ? c->even > MOST * c->executed : j->g && j->g->even > MOST * j->g->executed;
    /* where all samples hit one function, its costs are those of the tasks: exact */
    bool only = c->samples == t->private->grain[t->nodes[r->node].owner].samples &&
                path_equal_samples(c) >= LEAST_SAMPLES;
    j->chosen = path_chosen(all) > 0;
    if (!c->samples || (on >= LEAST_SAMPLES && !j->chosen) || (only && c->on_span))
        return;
    if (all->on_span)
        most *= fmin(1, ratio(c->on_span, all->on_span) + path_margin(c, all));
    if (alone)
        most = fmin(most, j->span_ns);
    j->few = most >= HIGH_SHARE * all->span && c->work < SCALES * j->workers * most;
    j->span = 0;
}

/* Of R, whose cost no sample split: J's cost becomes that of all its tasks, which is exact. False:
 * R has tasks of several boundaries. */
static bool judge_whole(const struct paths *t, const struct path_row *r, struct judged *j,
                        struct path_cost *whole)
{
    const struct profile *p = t->summary->profile;
    *whole = r->self;
    whole->work = profile_whole_ns(p, j->g->work);
    whole->span = profile_whole_ns(p, j->g->span);
    j->c = whole;
    j->whole = true;
    j->work = ratio(whole->work, t->total.work);
    j->region = j->g->executed > MOST * j->g->span;
    j->even = j->g->even > MOST * j->g->executed;
    return fabs((double)whole->span - r->self.span) <= 1;
}

static struct verdict verdict_of(struct paths *t, const struct path_row *r, struct judged *j)
{
    struct path_cost whole;
    bool unsampled = j->g && path_in_brackets(r->function) && !r->self.samples && r->self.span;
    judge_span(t, r, j);
    if (unsampled && !judge_whole(t, r, j, &whole))
        return (struct verdict){ VERDICT_NONE, "" };
    /* a row in brackets has exact costs; one off the CPU has no samples on it */
    if (!path_in_brackets(r->function) && path_equal_samples(&r->self) < JUDGED_SAMPLES &&
        r->self.blocked < JUDGED_SAMPLES * LPF_OFF_CPU_NS)
        return (struct verdict){ VERDICT_NONE, "" };
    return path_advice(t, r, j);
}

/* What the nodes of R are marked with. Nearly all rows are too small for a verdict, so we look at
 * the nodes of large ones alone. */
static struct mark marks_of(const struct paths *t, const struct path_row *r)
{
    const struct profile *p = t->summary->profile;
    struct mark m = { 0 };
    if (r->self.work < HIGH_SHARE * t->total.work && r->self.span < HIGH_SHARE * t->total.span)
        return m;
    for (uint32_t i = 0; i < t->private->marked; i++)
        if (t->nodes[i].function == r->function && t->nodes[i].file == r->file) {
            path_add_up(&m.spun, t->private->marks[i].spun);
            path_add_up(&m.filtered, t->private->marks[i].filtered);
        }
    m.spun = profile_whole_ns(p, m.spun);
    m.filtered = profile_whole_ns(p, m.filtered);
    return m;
}

static size_t groups_of(const struct paths *t)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        most = t->nodes[i].owner > most ? t->nodes[i].owner : most;
    return (size_t)most + 1;
}

static bool is_of(const struct path_node *n, const struct path_row *r)
{
    return n->function == r->function && n->file == r->file;
}

/* Sets PART to R or, if several groups of tasks execute R, or tasks and the code outside them, to
 * R's part in the group that has most of its span: that is what limits the program. SPAN_OF: by
 * group, all 0 before and after. */
static void main_part(const struct paths *t, const struct path_row *r, uint64_t *span_of,
                      struct path_row *part)
{
    uint32_t owner = t->nodes[r->node].owner;
    *part = *r;
    if (path_in_brackets(r->function) || r->self.span < HIGH_SHARE * t->total.span)
        return;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (is_of(&t->nodes[i], r))
            span_of[t->nodes[i].owner] += t->nodes[i].self.span;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (is_of(&t->nodes[i], r) && span_of[t->nodes[i].owner] > span_of[owner])
            owner = t->nodes[i].owner;
    bool whole = owner == t->nodes[r->node].owner || span_of[owner] <= MOST * r->self.span;
    if (!whole) {
        part->self = (struct path_cost){ 0 };
        part->node = 0;
    }
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct path_node *n = &t->nodes[i];
        if (!is_of(n, r))
            continue;
        span_of[n->owner] = 0;
        if (whole || n->owner != owner)
            continue;
        path_add(&part->self, &n->self);
        if (!part->node || n->self.work > t->nodes[part->node].self.work)
            part->node = i;
    }
}

void paths_make_verdicts(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    struct limits l;
    limits_new(&l, t->summary, t);
    /* idleness matters only if workers idle at all, and for lack of work */
    bool matters = t->idle_scaled && t->idle_ns > LIMIT_WORTH * profile_slots_ns(p) &&
                   !l.busy_machine;
    double waited = l.ledger.blocked > 0 ? waited_part(p, &l) : 0;
    uint64_t *span_of = format_memory(calloc(groups_of(t), sizeof *span_of));
    for (size_t i = 0; i < t->function_count; i++) {
        struct path_row part, *r = &part;
        main_part(t, &t->functions[i], span_of, &part);
        const struct path_node *n = &t->nodes[r->node];
        const struct path_grain *g = n->owner ? &t->private->grain[n->owner] : 0;
        struct judged j = { .c = &r->self,
                            .g = g && g->tasks ? g : 0,
                            .outside = !n->owner,
                            .recursive = r->recursive,
                            .span = ratio(r->self.span, t->total.span),
                            .work = ratio(r->self.work, t->total.work),
                            .idle = t->idle_scaled ? ratio(r->self.idleness, t->idle_ns) : 0,
                            .waits = waited * ratio(r->all.blocked, profile_ns(p, r->all.work)),
                            .marked = marks_of(t, r),
                            .workers = p->totals.workers };
        j.idles = matters && j.idle >= HIGH_SHARE && j.idle * t->idle_samples >= LEAST_SAMPLES;
        j.mean = j.g ? profile_ns(p, g->work) / g->parts : 0;
        j.span_ns = profile_ns(p, g ? g->span : p->totals.root_span_cost);
        struct verdict v = verdict_of(t, r, &j);
        t->functions[i].verdict_kind = v.kind;
        t->functions[i].verdict = v.words;
    }
    free(span_of);
}
