/* path_split.c - the logical tree with its costs: the exact costs of the contexts, which samples
 * split further. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/path_service.h"
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"

/* The costs of the contexts of all task boundaries of one group, the weights that split
 * them, and how much has been given out so far. A group's boundaries are split together: a
 * recursion has many, each with few samples. */
struct owner {
    uint64_t work, span, weight, on_span;
    uint64_t weight_done, on_span_done;
    /* off_cpu: off-CPU samples, each of which stands for off_cpu_ns of `blocked` */
    uint64_t blocked, off_cpu, off_cpu_done;
    uint64_t runnable;          /* the rest of `blocked`: no CPU was free, or the samples err */
    uint64_t tasks;
    /* the first two constructs in alphabetical order, and whether there are more */
    const char *construct, *second;
    bool more;
};

/* The part of COST for WEIGHT out of ALL. *DONE is the weight that has been served before. Parts
 * add up to COST exactly, even if the weights of a hostile file do not add up to ALL. */
static uint64_t part(uint64_t cost, uint64_t all, uint64_t *done, uint64_t weight)
{
    if (!all)
        return 0;
    uint64_t before = *done;
    if (__builtin_add_overflow(before, weight, done) || *done > all)
        *done = all;
    return (uint64_t)((unsigned __int128)cost * *done / all) -
           (uint64_t)((unsigned __int128)cost * before / all);
}

/* Keeps a cost that no sample splits in a node of its own, below that of the boundary. */
static void keep_unsampled(struct paths *t, uint32_t node, const struct owner *o, uint64_t work,
                           uint64_t span)
{
    char *name = format_text("[%s%s%s%s]", o->construct ? o->construct : "task",
                             o->second ? "+" : "", o->second ? o->second : "",
                             o->more ? "+..." : "");
    for (char *c = name; *c; c++)       /* name_plain ends a name at these */
        if (strchr(" ()", *c))
            *c = '_';
    if (o->construct)
        node = path_child(t, node, path_intern(t, name), 0, 0);
    free(name);
    add_capped(&t->nodes[node].self.work, work);
    add_capped(&t->nodes[node].self.span, span);
}

/* Adds CONSTRUCT to O's. An owner has several if code with different constructs was inlined into
 * one function. */
static void name_construct(struct owner *o, const char *construct)
{
    if (!o->construct) {
        o->construct = construct;
        return;
    }
    int order = strcmp(construct, o->construct);
    if (!order || (o->second && !strcmp(construct, o->second)))
        return;
    o->more |= o->second != 0;
    if (order < 0) {
        o->second = o->construct;
        o->construct = construct;
    } else if (!o->second || strcmp(construct, o->second) < 0) {
        o->second = construct;
    }
}

/* The part of O's blocked time that the off-CPU samples split, each of SAMPLE_NS. Sets O->runnable
 * to the rest. */
static uint64_t found_blocked(struct owner *o, uint64_t sample_ns)
{
    uint64_t found;
    if (__builtin_mul_overflow(o->off_cpu, sample_ns, &found) || found > o->blocked)
        found = o->blocked;
    o->runnable = o->blocked - found;
    return found;
}

/* At least this share of the work is a good part of it. */
#define GOOD_PART 0.1

/* Is NS a good part of the work of G, which is in regions as executed? */
static bool is_much_in_regions(const struct paths *t, const struct path_grain *g, double ns)
{
    return g->in_regions > MOST * g->span &&
           ns >= GOOD_PART * profile_ns(t->summary->profile, g->work);
}

/* Notes whose span no sample splits: they do not follow the critical path from block to block in
 * the order of a loop. If one is on it, it is of the last block alone. */
static void find_unfollowed(struct paths *t, size_t groups)
{
    for (size_t i = 0; i < groups; i++) {
        struct path_grain *g = &t->private->grain[i];
        g->unfollowed = is_much_in_regions(t, g, g->blocks);
    }
}

/* The weight of S on the critical path, as far as it splits GROUP's span. */
static uint64_t on_span_of(const struct paths *t, uint32_t group, const struct lpf_sample *s)
{
    return t->private->grain[group].unfollowed ? 0 : s->on_span;
}

/* Splits the owners' costs by the samples below them. */
static void distribute(struct paths *t, const uint32_t *owner_of, const uint32_t *logical,
                       const struct groups *of, struct owner *owners)
{
    const struct profile *p = t->summary->profile;
    bool *own = format_memory(calloc(p->sample_count + 1, sizeof *own));
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct owner *o = &owners[of->node[owner_of[s->node]]];
        add_capped(&o->off_cpu, s->blocked);
        own[i] = path_hits_libprof(t, s->node);
        if (own[i]) {
            add_capped(&t->own_samples, s->weight);
            continue;
        }
        add_capped(&o->weight, s->weight);
        add_capped(&o->on_span, on_span_of(t, of->node[owner_of[s->node]], s));
    }
    for (size_t i = 0, at = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct lpf_squares squares = profile_squares(p, i, &at);
        uint32_t group = of->node[owner_of[s->node]];
        struct owner *o = &owners[group];
        uint64_t on_span = on_span_of(t, group, s);
        uint64_t blocked = part(found_blocked(o, p->totals.off_cpu_ns), o->off_cpu,
                                &o->off_cpu_done, s->blocked);
        if (own[i]) {
            add_capped(&t->nodes[logical[s->node]].self.blocked, blocked);
            t->private->hit[s->node].blocked = t->private->below[s->node].blocked = blocked;
            continue;
        }
        struct path_cost c = { .work = part(o->work, o->weight, &o->weight_done, s->weight),
                               .span = part(o->span, o->on_span, &o->on_span_done, on_span),
                               .idleness = (double)s->idleness / 65536,
                               .blocked = blocked,
                               .samples = s->weight,
                               .on_span = on_span,
                               .squares = squares.weight,
                               .on_span_squares = on_span ? squares.on_span : 0 };
        enum overhead_kind kind;
        /* a loop that waits for a lock is none: it lasts as long as others hold the lock */
        if (path_service_of(t, s->node) < SERVICE_SPIN && path_is_overhead(t, s->node, &kind)) {
            c.overhead = c.work;
            add_capped(&t->overhead[kind], c.work);
        }
        path_add(&t->nodes[logical[s->node]].self, &c);
        t->private->hit[s->node] = t->private->below[s->node] = c;
    }
    free(own);
}

/* Adds the costs that samples do not split: those of owners without a sample, blocked time without
 * a CPU, and profiler overhead. */
static void add_unsampled(struct paths *t, const struct groups *of, const struct owner *owners)
{
    const struct lpf_totals *k = &t->summary->profile->totals;
    uint64_t tasks = 0, tasks_done = 0;
    for (size_t i = 0; i < of->count; i++)
        add_capped(&tasks, owners[i].tasks);
    for (size_t i = 0; i < of->count; i++) {
        const struct owner *o = &owners[i];
        uint32_t at = of->at[i];
        uint64_t work = o->weight ? 0 : o->work, span = o->on_span ? 0 : o->span;
        t->in_blocks |= o->span && t->private->grain[i].unfollowed;
        if (work || span)
            keep_unsampled(t, at, o, work, span);
        uint64_t own = part(k->own_ns, tasks, &tasks_done, o->tasks);
        add_capped(&t->nodes[at].self.tasks, i ? o->tasks : o->tasks - 1); /* not the program */
        uint64_t blocked = o->off_cpu ? o->runnable : o->blocked;
        if (blocked) {
            /* path_child may move the nodes */
            uint32_t to = path_child(t, at, path_intern(t, "[blocked]"), 0, 0);
            add_capped(&t->nodes[to].self.blocked, blocked);
        }
        if (own) {
            uint32_t to = path_child(t, at, path_intern(t, "[libprof]"), 0, 0);
            add_capped(&t->nodes[to].self.own, own);
        }
    }
}

/* An estimate of parts of the idle time may be off by so many standard errors. */
#define MARGIN 2

/* How much of the idle time was beside strands. The rest was beside none that ran: all workers
 * idled at once, or lacked a processor. Samples show how many workers idle beside a strand, on
 * average, and how long strands ran is exact. All of it was, unless this is less by more than the
 * samples' margin. */
static double idle_beside(const struct paths *t)
{
    const struct profile *p = t->summary->profile;
    const struct lpf_totals *k = &p->totals;
    double found = 0, squares = 0, on = 0, off = 0, off_ns = 0;
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct path_cost *c = &t->private->hit[p->samples[i].node];
        found += (double)c->samples;
        squares += (double)c->squares;
        *(c->samples ? &on : &off) += c->idleness * k->sample_period_ns;
        off_ns += (double)p->samples[i].blocked * k->off_cpu_ns;
    }
    double work = k->ns_num ? profile_ns(p, k->work_cost) : found * k->sample_period_ns,
           blocked = off_ns > 0 ? (double)k->blocked_ns : 0,
           count = t->idle_samples * (squares > found ? found / squares : 1),
           most = fmin(t->idle_ns, (work + blocked) * (k->workers - 1.0));
    if (!k->sample_period_ns)
        return t->idle_ns;
    double beside = on * ratio(work, found * k->sample_period_ns) +
                    off * fmin(1, ratio(blocked, off_ns));
    return beside * (1 + MARGIN / sqrt(fmax(count, 1))) < most ? beside : most;
}

/* Scales the samples' idleness so that it adds up to the measured one: the time of threads that
 * searched or slept, and of slots without a thread. What was beside no strand is the root's. */
static void scale_idleness(struct paths *t)
{
    const struct lpf_totals *k = &t->summary->profile->totals;
    double sampled = 0, said = 0;
    t->idle_ns = profile_idle_rows_ns(t->summary->profile);
    for (size_t i = 0; i < t->node_count; i++)
        sampled += t->nodes[i].self.idleness;
    t->idle_scaled = sampled > 0 && t->idle_ns > 0;
    for (size_t i = 0; i < t->summary->profile->sample_count; i++) {
        const struct lpf_sample *s = &t->summary->profile->samples[i];
        double here = t->private->hit[s->node].idleness;
        /* an off-CPU sample stands for more time than a sample, but counts as one sample */
        said += s->weight ? fmin(here, (double)s->weight * (k->workers - 1.0))
                          : here * fmin(1, (double)k->sample_period_ns / k->off_cpu_ns);
        t->off_cpu_samples += s->blocked;
    }
    t->idle_samples = k->workers > 1 ? said / (k->workers - 1) : 0;
    double beside = idle_beside(t);
    t->private->idle_factor = t->idle_scaled ? beside / sampled : 0;
    for (size_t i = 0; i < t->node_count; i++)
        t->nodes[i].self.idleness *= t->private->idle_factor;
    if (t->idle_scaled && beside < t->idle_ns)
        t->idle_alone = t->idle_ns - beside;
    t->nodes[0].self.idleness += t->idle_alone;
}

static void round_costs(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    struct rounding r = { 0 };
    uint64_t kinds = 0;
    for (size_t i = 0; i < t->node_count; i++)
        path_round(p, &t->nodes[i].self, &r);
    for (unsigned i = 0; i < OVERHEAD_KINDS; i++)
        path_to_ns(p, &t->overhead[i], &kinds);
}

/* Adds the costs that no sample splits to the boundaries of the profile's own tree, as
 * add_unsampled adds them to the logical tree. */
static void keep_below(struct paths *t, const struct groups *of, const struct owner *owners)
{
    const struct profile *p = t->summary->profile;
    struct path_cost *below = t->private->below, *all = &t->unsampled;
    uint64_t tasks = 0, done = 0, blocked = p->totals.blocked_ns;
    for (size_t i = 0; i < p->context_count; i++)
        add_capped(&tasks, p->contexts[i].tasks);
    add_capped(&tasks, 1);
    for (size_t i = 0; i <= p->context_count; i++) {
        const struct lpf_context *c = i < p->context_count ? &p->contexts[i] : 0;
        uint32_t node = c && c->node < p->node_count ? c->node : 0;
        const struct owner *o = &owners[of->node[node]];
        uint64_t work = c ? c->work_local_cost : p->totals.root_work_cost,
                 span = c ? c->span_local_cost : p->totals.root_span_cost;
        uint64_t off = c ? c->blocked_ns : blocked;
        if (o->off_cpu)
            off = o->blocked ? (unsigned __int128)off * o->runnable / o->blocked : 0;
        struct path_cost here = { .work = o->weight ? 0 : work, .span = o->on_span ? 0 : span,
                                  .own = part(p->totals.own_ns, tasks, &done, c ? c->tasks : 1),
                                  .blocked = off, .tasks = c ? c->tasks : 0 };
        if (c)
            blocked = c->blocked_ns < blocked ? blocked - c->blocked_ns : 0;
        path_add(&below[node], &here);
        path_add(all, &here);
    }
    for (size_t i = p->node_count; i-- > 1;)
        path_add(&below[p->nodes[i].parent], &below[i]);
}

/* Adds C, if it is a wait for a turn at an ordered block: it spawns nothing. The boundary above it
 * is that of the strands that waited. */
static void add_wait(struct paths *t, const struct lpf_context *c, const uint32_t *owner_of,
                     const struct groups *of)
{
    const struct profile *p = t->summary->profile;
    const struct lpf_site *s = &p->sites[c->site];
    if (c->node && c->node < p->node_count && s->flags & LPF_SITE_WAIT &&
        s->flags & LPF_SITE_IN_ORDER && !strcmp(profile_string(p, s->construct), "ordered"))
        t->private->grain[of->node[owner_of[p->nodes[c->node].parent]]].blocks +=
            profile_ns(p, c->top_work_cost);
}

/* Adds the costs of the contexts to OWNERS (by group) and to the grains. */
static void add_contexts(struct paths *t, const uint32_t *owner_of, const struct groups *of,
                         struct owner *owners)
{
    const struct profile *p = t->summary->profile;
    const struct row **row_of = summary_rows_of_sites(t->summary);
    /* what no context has is the blocked time of the program's own strands */
    uint64_t blocked = p->totals.blocked_ns;
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        uint32_t node = c->node < p->node_count ? c->node : 0;
        const struct row *r = row_of[c->site];
        struct owner *o = &owners[of->node[node]];
        add_wait(t, c, owner_of, of);
        add_capped(&o->work, c->work_local_cost);
        add_capped(&o->span, c->span_local_cost);
        add_capped(&o->blocked, c->blocked_ns);
        add_capped(&o->tasks, c->tasks);
        blocked = c->blocked_ns < blocked ? blocked - c->blocked_ns : 0;
        name_construct(o, profile_string(p, p->sites[c->site].construct));
        struct path_grain *g = &t->private->grain[of->node[node]];
        add_capped(&g->work, c->work_local_cost);
        add_capped(&g->span, c->span_local_cost);
        g->in_regions += r && r->as_executed ? c->span_local_cost : 0;
    }
    free(row_of);
    add_capped(&owners[0].blocked, blocked);
    add_capped(&owners[0].tasks, 1);
}

void paths_make_tree(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    size_t n = p->node_count ? p->node_count : 1;
    uint32_t *owner_of = format_memory(calloc(n, sizeof *owner_of)),
             *logical = format_memory(calloc(n, sizeof *logical));
    uint64_t *weight = format_memory(calloc(n, sizeof *weight));
    path_child(t, 0, path_intern(t, "(program)"), 0, 0);
    for (size_t i = 0; i < p->sample_count; i++)
        weight[p->samples[i].node] = p->samples[i].weight;
    for (size_t i = p->node_count; i-- > 1;)
        add_capped(&weight[p->nodes[i].parent], weight[i]);
    path_find_leads(t);
    for (size_t i = 1; i < p->node_count; i++) {
        owner_of[i] = p->nodes[i].kind == LPF_NODE_TASK ? i : owner_of[p->nodes[i].parent];
        logical[i] = path_descend(t, &p->nodes[i], logical[p->nodes[i].parent], weight[i]);
    }
    struct groups of = path_groups_of(t, owner_of, logical);
    struct owner *owners = format_memory(calloc(of.count, sizeof *owners));
    t->private->grain = format_memory(calloc(of.count, sizeof *t->private->grain));
    owners[0].work = p->totals.root_work_cost;
    owners[0].span = p->totals.root_span_cost;
    add_contexts(t, owner_of, &of, owners);
    find_unfollowed(t, of.count);
    t->private->hit = format_memory(calloc(n, sizeof *t->private->hit));
    t->private->below = format_memory(calloc(n, sizeof *t->private->below));
    distribute(t, owner_of, logical, &of, owners);
    path_share_sites(t, owner_of, n);
    keep_below(t, &of, owners);
    add_unsampled(t, &of, owners);
    scale_idleness(t);
    round_costs(t);
    for (size_t i = t->node_count; i-- > 0;) {
        path_add(&t->nodes[i].all, &t->nodes[i].self);
        if (i)
            path_add(&t->nodes[t->nodes[i].parent].all, &t->nodes[i].all);
    }
    t->total = t->nodes[0].all;
    t->private->logical = logical;
    free(owner_of);
    free(weight);
    path_groups_free(&of);
    free(owners);
}
