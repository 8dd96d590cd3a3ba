/* path_judged.c - what is known of each function that a verdict depends on: its share of the span
 * and of the idle time as far as samples show it, and the tasks that execute it. path_verdict.c has
 * the verdicts.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include "analysis/limits.h"
#include "analysis/path_judged.h"
#include "analysis/ranks.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"

/* A function with fewer samples than this has no verdict, unless its costs are exact: chance alone
 * halves or doubles the share of four. */
#define JUDGED_SAMPLES 5
/* A node with at least this share of a function's work stands for all of it. */
#define MOSTLY 0.95

/* Threads are parts of one thing only if one start function has this share of their samples. If one
 * thread has this share of their work, the others may just start tasks, or wait. */
#define ALIKE 0.95

/* What nodes and their callees in the same strands have. */
struct within {
    uint64_t work, waiting;
};

/* How the strands' waits are told from their lack of a CPU. */
struct waits {
    double scale;               /* ns that strands waited, for 1 ns in which samples found waits */
    bool known;                 /* false: the kernel did not count the lack of a CPU */
    struct within *within;      /* by node */
};

static struct waits waits_of(const struct paths *t)
{
    const struct summary *m = t->summary;
    const struct profile *p = m->profile;
    uint64_t delay;
    struct waits w = { .scale = 1, .known = profile_run_delay_ns(p, &delay),
                       .within = format_memory(calloc(t->node_count + 1, sizeof *w.within)) };
    double alone = profile_waited_alone_ns(p);
    if (w.known && t->total.waiting)
        w.scale = fmax(0, m->standstill.waited - alone) / t->total.waiting;
    for (uint32_t i = t->node_count; i-- > 0;) {
        const struct path_node *n = &t->nodes[i];
        path_add_up(&w.within[i].work, n->self.work);
        path_add_up(&w.within[i].waiting, n->self.waiting);
        if (i && t->nodes[n->parent].owner == n->owner) {
            path_add_up(&w.within[n->parent].work, w.within[i].work);
            path_add_up(&w.within[n->parent].waiting, w.within[i].waiting);
        }
    }
    return w;
}

/* Sets what the samples on the critical path show of R, as far as they are enough. The span of its
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
    /* where threads ask for short chunks, the path may be in few of them, whatever the margin */
    j->chosen = path_is_blurred(c, all) ||
                (path_chosen(all) > 0 && j->g && j->g->hands_out);
    /* where all strands outside tasks are on the path, no sample chooses among them */
    const struct lpf_totals *k = &t->summary->profile->totals;
    if (j->outside && k->root_work_cost <= LIMIT_SERIAL * k->root_span_cost)
        j->chosen = false;
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
        r->self.blocked < JUDGED_SAMPLES * PROFILE_OFF_CPU_APART_NS)
        return (struct verdict){ VERDICT_NONE, "" };
    return path_verdict(t, r, j);
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
            path_add_up(&m.path_overhead, t->private->marks[i].path_overhead);
        }
    m.spun = profile_whole_ns(p, m.spun);
    m.filtered = profile_whole_ns(p, m.filtered);
    m.path_overhead = profile_whole_ns(p, m.path_overhead);
    return m;
}

static size_t groups_of(const struct paths *t)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        most = t->nodes[i].owner > most ? t->nodes[i].owner : most;
    return (size_t)most + 1;
}

/* Marks the groups of threads that are not known to be parts of one thing: unequal ones are then no
 * imbalance. */
static void mark_unlike(struct paths *t)
{
    size_t n = groups_of(t);
    uint32_t *start = format_memory(calloc(t->node_count + 1, sizeof *start)),
             *lead = format_memory(calloc(n, sizeof *lead));
    uint64_t *hits = format_memory(calloc(t->node_count + 1, sizeof *hits)),
             *all = format_memory(calloc(n, sizeof *all)),
             *alike = format_memory(calloc(n, sizeof *alike));
    for (uint32_t i = 1; i < t->node_count; i++) {
        const struct path_node *x = &t->nodes[i];
        start[i] = t->nodes[x->parent].owner == x->owner && x->parent ? start[x->parent] : i;
        path_add_up(&hits[start[i]], x->self.samples);
        path_add_up(&all[x->owner], x->self.samples);
    }
    for (uint32_t i = 1; i < t->node_count; i++)
        if (start[i] == i && hits[i] > hits[lead[t->nodes[i].owner]])
            lead[t->nodes[i].owner] = i;
    for (uint32_t i = 1; i < t->node_count; i++) {
        const struct path_node *x = &t->nodes[i], *y = &t->nodes[lead[x->owner]];
        if (start[i] == i && x->function == y->function && x->file == y->file &&
            x->apart == y->apart)
            path_add_up(&alike[x->owner], hits[i]);
    }
    for (size_t i = 1; i < n; i++) {
        struct path_grain *g = &t->private->grain[i];
        g->unlike = g->started && (alike[i] < ALIKE * all[i] || g->longest >= ALIKE * g->work);
    }
    free(start);
    free(lead);
    free(hits);
    free(all);
    free(alike);
}

static bool is_of(const struct path_node *n, const struct path_row *r)
{
    return n->function == r->function && n->file == r->file;
}

/* Is node I, of R, called by R in the same strand? */
static bool is_inner(const struct paths *t, uint32_t i, const struct path_row *r)
{
    uint32_t owner = t->nodes[i].owner;
    for (i = t->nodes[i].parent; i && t->nodes[i].owner == owner; i = t->nodes[i].parent)
        if (is_of(&t->nodes[i], r))
            return true;
    return false;
}

/* For how long R and its callees waited in its strands, per time of their work. 0 as well if that
 * is not known. The code of tasks that R spawned is not its own. */
static double waits_in_strands(const struct paths *t, const struct path_row *r,
                               const struct waits *w)
{
    struct within all = { 0 };
    if (!w->known || !t->total.waiting || r->self.work < HIGH_SHARE * t->total.work)
        return 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        if (is_of(&t->nodes[i], r) && !is_inner(t, i, r)) {
            path_add_up(&all.work, w->within[i].work);
            path_add_up(&all.waiting, w->within[i].waiting);
        }
    return all.waiting < LEAST_SAMPLES * PROFILE_OFF_CPU_APART_NS
               ? 0
               : w->scale * ratio(all.waiting, all.work);
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

/* A rank has more than its part of a function if it has so many times the mean part. */
#define RANK_UNEVEN 1.25
/* A rank has no more work than the others if it has at most so many times the mean work. */
#define RANK_EVEN 1.1
/* A function's parts are about even if its parallelism is at least this part of the ranks. */
#define RANK_SHARED 0.9

/* The work of the rank at INDEX, as a part of the mean of all. */
static double work_of_rank(const struct profile *p, uint32_t index)
{
    double all = 0;
    for (size_t i = 0; i < p->rank_count; i++)
        all += p->ranks[i].work_cost;
    return ratio(p->ranks[index].work_cost, all / p->rank_count);
}

/* Does V, the verdict on the function itself, name a wait? Less work leaves that as it is. */
static bool names_wait(const struct judged *j, const struct verdict *v)
{
    return v->kind == VERDICT_LOCK || j->waits >= HIGH_SHARE ||
           j->marked.spun > MOST * j->c->work || j->asleep > j->c->work;
}

/* Of a job's function I that ranks execute outside every task, V depends on how it is divided among
 * them. PARTS: COUNT elements of ranks_functions. */
static void of_ranks(struct paths *t, const struct rank_part *parts, size_t count, size_t i,
                     const struct judged *j, struct verdict *v)
{
    const struct profile *p = t->summary->profile;
    uint32_t at;
    double share;
    if (!j->outside || j->span < HIGH_SHARE || path_equal_samples(j->c) < JUDGED_SAMPLES ||
        !ranks_most(t, parts, count, i, &at, &share))
        return;
    uint32_t rank = p->ranks[at].rank;
    bool one = share >= RANKS_NEARLY_ALL, uneven = share * p->rank_count >= RANK_UNEVEN,
         heavy = work_of_rank(p, at) > RANK_EVEN,
         even = !uneven && ratio(j->c->work, j->c->span) >= RANK_SHARED * p->rank_count;
    char *text = 0;
    if (uneven && heavy)
        text = format_text("rank %u has %.0f %% of its samples: divide it %samong the ranks", rank,
                           100 * share, one ? "" : "evenly ");
    else if (one && !names_wait(j, v))  /* the others have as much of their own to do */
        text = format_text("rank %u has %.0f %% of its samples, and no more work than others: make "
                           "its work less", rank, 100 * share);
    else if (even && !names_wait(j, v))
        text = format_text("%s", "about even among the ranks: make its work less");
    if (text)
        *v = (struct verdict){ uneven && heavy ? VERDICT_SERIAL : VERDICT_ENOUGH,
                               path_intern(t, text) };
    free(text);
}

void paths_make_verdicts(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    struct limits l;
    limits_new(&l, t->summary, t);
    /* idleness matters only if workers idle at all, and for lack of work */
    bool matters = t->idle_scaled && t->idle_ns > LIMIT_WORTH * profile_slots_ns(p) &&
                   !l.busy_machine;
    struct waits waits = waits_of(t);
    mark_unlike(t);
    uint64_t *span_of = format_memory(calloc(groups_of(t), sizeof *span_of));
    size_t part_count = 0;
    struct rank_part *parts = p->rank_sample_count ? ranks_functions(t, &part_count) : 0;
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
                            .asleep = waits.scale * r->self.waiting,
                            .waits = waits_in_strands(t, &t->functions[i], &waits),
                            .span_first = l.count && l.found[0].what == LIMITED_BY_SPAN,
                            .marked = marks_of(t, r),
                            .workers = p->totals.workers };
        j.idles = matters && j.idle >= HIGH_SHARE && j.idle * t->idle_samples >= LEAST_SAMPLES;
        j.mean = j.g ? profile_ns(p, g->work) / g->parts : 0;
        j.span_ns = profile_ns(p, g ? g->span : p->totals.root_span_cost);
        struct verdict v = verdict_of(t, r, &j);
        of_ranks(t, parts, part_count, i, &j, &v);
        t->functions[i].verdict_kind = v.kind;
        t->functions[i].verdict = v.words;
    }
    free(parts);
    free(waits.within);
    free(span_of);
}
