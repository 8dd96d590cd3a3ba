/* sum_contexts.c - contexts of a sum, and the modules, sites and nodes that they refer to: the
 * entries with addresses. With them go the samples of nodes, and the spreads, outliers and chunks
 * of contexts.
 *
 * Processes load their modules at different addresses. Here each module gets a place of its own,
 * above all addresses that a process can have. An address moves with the module that holds it. An
 * address outside every module stays the same.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "merge/sum_private.h"
#include "profile/profile.h"

#define LAST_PLACE ((uint64_t)1 << 63)
#define LARGEST_MODULE ((uint64_t)1 << 40)
enum { PAGE = 0x1000, KEY = 64, AHEAD = 8 };    /* AHEAD: contexts that are prefetched */

/* ---- addresses ---- */

static int compare_places(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void sum_modules(struct mapping *x)
{
    const struct profile *p = x->p;
    struct sum *m = x->m;
    x->modules = format_memory(calloc(p->module_count + 1, sizeof *x->modules));
    for (size_t i = 0; i < p->module_count; i++) {
        struct lpf_module from = p->modules[i];
        uint64_t size = from.end - from.start;
        char key[KEY] = { 0 };
        uint64_t inside[2] = { from.start - from.bias, size };
        bool fresh;
        if (from.end <= from.start || size > LARGEST_MODULE)
            continue;           /* no process has such a module */
        from.path = sum_string_from(x, from.path);
        memcpy(key, inside, sizeof inside);
        if (from.build_id_len)
            memcpy(key + sizeof inside, from.build_id, from.build_id_len);
        else
            memcpy(key + KEY - sizeof from.path, &from.path, sizeof from.path);
        if (m->next_place + size + 4 * PAGE > LAST_PLACE)
            continue;
        uint32_t at = list_index(&m->modules, key, sizeof key, &fresh);
        if (fresh) {
            uint64_t place = m->next_place + (from.start & (PAGE - 1));
            struct lpf_module to = from;
            to.start = place;
            to.end = place + size;
            to.bias = from.bias + (place - from.start);
            list_append(&m->modules, &to, 1);
            m->next_place = ((to.end + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + 2 * PAGE;
        }
        struct lpf_module *to = (struct lpf_module *)m->modules.data + at;
        to->flags |= from.flags;
        x->modules[x->module_count].start = from.start;
        x->modules[x->module_count].end = from.end;
        x->modules[x->module_count++].shift = to->start - from.start;
    }
    if (x->module_count)
        qsort(x->modules, x->module_count, sizeof *x->modules, compare_places);
}

/* The mapped ADDRESS. It is in the module that holds ADDRESS - BEFORE: a return address may be the
 * first address after its own module. */
static uint64_t map_address(const struct mapping *x, uint64_t address, unsigned before)
{
    size_t low = 0, high = x->module_count;
    uint64_t at = address - before;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->modules[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at < x->modules[low - 1].end ? address + x->modules[low - 1].shift : address;
}

/* ---- trees ---- */

void sum_sites(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    x->sites = format_memory(calloc(p->site_count + 1, sizeof *x->sites));
    for (size_t i = 0; i < p->site_count; i++) {
        struct lpf_site s = p->sites[i];
        for (int k = 0; k < 4 && s.address[k]; k++)
            s.address[k] = map_address(x, s.address[k], 1);
        s.runtime = sum_string_from(x, s.runtime);
        s.construct = sum_string_from(x, s.construct);
        s.reserved = 0;
        uint32_t took = s.flags & LPF_SITE_TOOK_OTHERS; /* what happened there: not which site */
        s.flags -= took;
        x->sites[i] = list_index(&x->m->sites, &s, sizeof s, &fresh);
        if (fresh)
            list_append(&x->m->sites, &s, 1);
        ((struct lpf_site *)x->m->sites.data)[x->sites[i]].flags |= took;
    }
}

/* WEIGHT, of samples of FROM ns, in samples of TO. Rounded down, so that the parts of a sum are not
 * more than the rounded sum. */
static uint64_t weight_in(uint64_t weight, uint64_t from, uint64_t to)
{
    unsigned __int128 w = (unsigned __int128)weight * from / to;
    return w < UINT64_MAX / 2 ? (uint64_t)w : UINT64_MAX / 2;
}

/* The weight of off-CPU samples of the profile, in the sum's. */
static uint64_t in_samples(const struct mapping *x, uint64_t weight)
{
    return weight_in(weight, x->p->totals.off_cpu_ns, x->m->totals.off_cpu_ns);
}

/* If the profile's off-CPU samples stand for less time than the sum's, the sum takes that time. */
static void take_off_cpu_ns(struct mapping *x)
{
    struct sum *m = x->m;
    uint64_t from = m->totals.off_cpu_ns, to = x->p->totals.off_cpu_ns;
    if (to >= from)
        return;
    for (size_t i = 0; i < m->weights.count; i++) {
        struct lpf_sample *s = (struct lpf_sample *)m->weights.data + i;
        uint64_t blocked = weight_in(s->blocked, from, to);
        s->blocked = blocked < UINT32_MAX ? blocked : UINT32_MAX;
    }
    for (size_t i = 0; i < m->waits_of.count; i++) {
        struct lpf_wait *w = (struct lpf_wait *)m->waits_of.data + i;
        w->weight = weight_in(w->weight, from, to);
    }
    m->totals.off_cpu_ns = to;
}

static void add_waits(struct mapping *x)
{
    struct sum *m = x->m;
    bool fresh;
    take_off_cpu_ns(x);
    for (size_t i = 0; i < x->p->wait_count; i++) {
        const struct lpf_wait *from = &x->p->waits[i];
        struct lpf_wait none = { .node = x->nodes[from->node], .kind = from->kind };
        uint32_t key[2] = { none.node, none.kind }, at = list_index(&m->waits_of, key, sizeof key,
                                                                    &fresh);
        if (fresh)
            list_append(&m->waits_of, &none, 1);
        struct lpf_wait *to = (struct lpf_wait *)m->waits_of.data + at;
        add_capped(&to->weight, in_samples(x, from->weight));
        add_capped(&to->idleness, from->idleness);
    }
}

void sum_nodes(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    x->nodes = format_memory(calloc(p->node_count + 1, sizeof *x->nodes));
    for (size_t i = 0; i < p->node_count; i++) {
        struct lpf_node n = p->nodes[i];
        n.parent = i ? x->nodes[n.parent] : LPF_NONE;
        if (!i)
            /* all profiles share one root */
            n = (struct lpf_node){ .parent = LPF_NONE, .kind = LPF_NODE_ROOT };
        if (n.kind == LPF_NODE_FRAME || n.kind == LPF_NODE_LEAF)
            n.address = map_address(x, n.address, n.kind == LPF_NODE_FRAME);
        x->nodes[i] = list_index(&x->m->nodes, &n, sizeof n, &fresh);
        if (fresh) {
            list_append(&x->m->nodes, &n, 1);
            list_append(&x->m->weights, &(struct lpf_sample){ .node = x->nodes[i] }, 1);
            list_append(&x->m->squares_of, &(struct lpf_squares){ .node = x->nodes[i] }, 1);
        }
    }
    add_waits(x);
    for (size_t i = 0, at = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct lpf_sample *to = (struct lpf_sample *)x->m->weights.data + x->nodes[s->node];
        add_capped(&to->weight, s->weight);
        uint64_t blocked = to->blocked + in_samples(x, s->blocked);
        to->blocked = blocked < UINT32_MAX ? blocked : UINT32_MAX;
        add_capped(&to->idleness, s->idleness);
        struct lpf_squares from = profile_squares(p, i, &at), *squares = x->m->squares_of.data;
        squares += x->nodes[s->node];
        add_capped(&squares->weight, from.weight);
        if (!x->on_span)
            continue;
        add_capped(&to->on_span, s->on_span);
        add_capped(&squares->on_span, from.on_span);
    }
}

/* COST in whole ns, rounded as a part of *SUM: the rounded parts add up to the rounded total. */
static uint64_t rounded(const struct profile *p, uint64_t *sum, uint64_t cost)
{
    if (!p->totals.ns_num || p->totals.ns_num == p->totals.ns_den)
        return cost;
    uint64_t before = profile_whole_ns(p, *sum);
    add_capped(sum, cost);
    return profile_whole_ns(p, *sum) - before;
}

static void add_context(struct mapping *x, struct lpf_context *to, const struct lpf_context *from,
                        uint64_t *work, uint64_t *span)
{
    const struct profile *p = x->p;
    to->flags |= from->flags;
    add_capped(&to->tasks, from->tasks);
    add_capped(&to->invocations, from->invocations);
    add_capped(&to->steals, from->steals);
    add_capped(&to->work_local_cost, rounded(p, work, from->work_local_cost));
    add_capped(&to->span_local_cost_all, profile_whole_ns(p, from->span_local_cost_all));
    add_capped(&to->top_count, from->top_count);
    add_capped(&to->top_work_cost, profile_whole_ns(p, from->top_work_cost));
    add_capped(&to->top_span_cost, profile_whole_ns(p, from->top_span_cost));
    add_capped(&to->topcaller_count, from->topcaller_count);
    add_capped(&to->topcaller_work_cost, profile_whole_ns(p, from->topcaller_work_cost));
    add_capped(&to->topcaller_span_cost, profile_whole_ns(p, from->topcaller_span_cost));
    add_capped(&to->blocked_ns, from->blocked_ns);
    if (!x->on_span)
        return;
    uint64_t part = rounded(p, span, from->span_local_cost);
    bool other = x->m->mode == LPF_MERGE_JOB &&
                 p->sites[from->site].flags & LPF_SITE_ELSEWHERE;
    add_capped(other ? &x->elsewhere : &to->span_local_cost, part);
    add_capped(&to->on_count, from->on_count);
    add_capped(&to->on_work_local_cost, profile_whole_ns(p, from->on_work_local_cost));
    add_capped(&to->on_top_count, from->on_top_count);
    add_capped(&to->on_top_work_cost, profile_whole_ns(p, from->on_top_work_cost));
    add_capped(&to->on_top_span_cost, profile_whole_ns(p, from->on_top_span_cost));
    add_capped(&to->on_topcaller_count, from->on_topcaller_count);
    add_capped(&to->on_topcaller_work_cost, profile_whole_ns(p, from->on_topcaller_work_cost));
    add_capped(&to->on_topcaller_span_cost, profile_whole_ns(p, from->on_topcaller_span_cost));
}

void sum_forget_on_span(struct sum *m)
{
    for (size_t i = 0; i < m->contexts.count; i++) {
        struct lpf_context *c = (struct lpf_context *)m->contexts.data + i;
        c->on_count = c->on_work_local_cost = c->span_local_cost = c->on_top_count =
            c->on_top_work_cost = c->on_top_span_cost = 0;
        c->on_topcaller_count = c->on_topcaller_work_cost = c->on_topcaller_span_cost = 0;
    }
    for (size_t i = 0; i < m->weights.count; i++)
        ((struct lpf_sample *)m->weights.data)[i].on_span =
            ((struct lpf_squares *)m->squares_of.data)[i].on_span = 0;
    m->totals.root_span_cost = m->totals.span_cost = 0;
}

/* If two profiles have their contexts in different orders, the sum's are not in the cache. */
static void prefetch(const struct lpf_context *c)
{
    for (size_t at = 0; at < sizeof *c; at += 64)
        __builtin_prefetch((const char *)c + at, 1);
}

/* The index of context I in the sum. PARENT is its parent's index there. */
static uint32_t put_context(struct mapping *x, size_t i, uint32_t parent)
{
    const struct lpf_context *from = &x->p->contexts[i];
    uint32_t node = from->node < x->p->node_count ? x->nodes[from->node] : LPF_NONE;
    uint32_t key[3] = { x->sites[from->site], node, parent };
    bool fresh;
    uint32_t at = list_index(&x->m->contexts, key, sizeof key, &fresh);
    if (fresh)
        list_append(
            &x->m->contexts,
            &(struct lpf_context){ .id = at, .parent = parent, .site = key[0], .node = node }, 1);
    if (x->p->sites[from->site].flags & LPF_SITE_ELSEWHERE)
        x->m->elsewhere = at;
    return at;
}

/* Keeps the longest task and the largest number of threads of any input. Each input has a busiest
 * thread of its own, so their work is summed. */
static void add_spreads(struct mapping *x)
{
    const struct profile *p = x->p;
    struct list *all = &x->m->spread_of;
    for (size_t i = 0; i < p->spread_count; i++) {
        const struct lpf_spread *from = &p->spreads[i];
        uint32_t at = x->contexts[from->context];
        while (all->count <= at)
            list_append(all, &(struct lpf_spread){ .context = all->count }, 1);
        struct lpf_spread *to = (struct lpf_spread *)all->data + at;
        to->busiest_tid = to->threads ? 0 : from->busiest_tid;
        to->threads = from->threads > to->threads ? from->threads : to->threads;
        largest(&to->longest_cost, profile_whole_ns(p, from->longest_cost));
        add_capped(&to->busiest_tasks, from->busiest_tasks);
        add_capped(&to->busiest_work_cost, profile_whole_ns(p, from->busiest_work_cost));
    }
}

static void add_outliers(struct mapping *x)
{
    const struct profile *p = x->p;
    struct list *all = &x->m->outliers_of;
    for (size_t i = 0; i < p->outlier_count; i++) {
        const struct lpf_outliers *from = &p->outliers[i];
        uint32_t at = x->contexts[from->context];
        while (all->count <= at)
            list_append(all, &(struct lpf_outliers){ .context = all->count }, 1);
        struct lpf_outliers *to = (struct lpf_outliers *)all->data + at;
        add_capped(&to->parts, from->parts);
        add_capped(&to->outliers, from->outliers);
        add_capped(&to->excess_cost, profile_whole_ns(p, from->excess_cost));
        largest(&to->longest_cost, profile_whole_ns(p, from->longest_cost));
    }
}

/* If one profile does not state who chose the size of its chunks, the sum does not. */
static void add_chunks(struct mapping *x)
{
    const struct profile *p = x->p;
    struct list *all = &x->m->chunks_of;
    x->m->chunks_unsaid |= profile_chunks_unsaid(p);
    for (size_t i = 0; i < p->chunk_count; i++) {
        const struct lpf_chunks *from = &p->chunks[i];
        uint32_t at = from->context == LPF_NONE ? 0 : x->contexts[from->context] + 1;
        while (all->count <= at)
            list_append(all, &(struct lpf_chunks){ .context = all->count - 1 }, 1);
        struct lpf_chunks *to = (struct lpf_chunks *)all->data + at;
        if (from->by_runtime)
            to->flags = (to->by_runtime ? to->flags : ~0u) & from->flags;
        add_capped(&to->by_runtime, from->by_runtime);
        add_capped(&to->by_program, from->by_program);
    }
}

static void add_teams_of_one(struct mapping *x)
{
    const struct profile *p = x->p;
    struct list *all = &x->m->teams_of_one_of;
    for (size_t i = 0; i < p->team_of_one_count; i++) {
        const struct lpf_team_of_one *from = &p->teams_of_one[i];
        uint32_t at = x->contexts[from->context];
        while (all->count <= at)
            list_append(all, &(struct lpf_team_of_one){ .context = all->count }, 1);
        struct lpf_team_of_one *to = (struct lpf_team_of_one *)all->data + at;
        add_capped(&to->executions, from->executions);
        add_capped(&to->work_cost, profile_whole_ns(p, from->work_cost));
    }
}

static void add_handed(struct mapping *x)
{
    const struct profile *p = x->p;
    struct list *all = &x->m->handed_of;
    for (size_t i = 0; i < p->handed_count; i++) {
        const struct lpf_handed *from = &p->handed[i];
        uint32_t at = x->contexts[from->context];
        while (all->count <= at)
            list_append(all, &(struct lpf_handed){ .context = all->count }, 1);
        struct lpf_handed *to = (struct lpf_handed *)all->data + at;
        add_capped(&to->chunks, from->chunks);
        add_capped(&to->work_cost, profile_whole_ns(p, from->work_cost));
        largest(&to->longest_cost, profile_whole_ns(p, from->longest_cost));
    }
}

/* A job has at most LPF_AWAITED_MOST entries in all, or LPF_AWAITED_LEAST a rank. */
static void add_awaited(struct mapping *x)
{
    const struct profile *p = x->p;
    uint64_t sum = 0;
    for (size_t i = 0; i < p->awaited_count; i++) {
        const struct lpf_awaited *from = &p->awaited[i];
        struct lpf_awaited key = { .context = x->contexts[from->context], .rank = from->rank };
        bool fresh;
        uint32_t at = list_index(&x->m->awaited_of, &key, sizeof key, &fresh);
        if (fresh)
            list_append(&x->m->awaited_of, &key, 1);
        struct lpf_awaited *to = (struct lpf_awaited *)x->m->awaited_of.data + at;
        sum = i && from->context == from[-1].context ? sum : 0;
        add_capped(&to->count, from->count);
        add_capped(&to->wait_cost, rounded(p, &sum, from->wait_cost));
    }
}

static uint32_t context_in_sum(const struct mapping *x, uint32_t context)
{
    return context == LPF_NONE ? LPF_NONE : x->contexts[context];
}

/* If one profile does not have the intervals of its idle time, the sum does not. */
static void add_idle(struct mapping *x)
{
    const struct profile *p = x->p;
    struct sum *m = x->m;
    if (!p->idle_sum_count) {
        m->idle_unsaid = true;
        return;
    }
    add_capped(&m->idle_sum.off_dispatch_ns, p->idle_sum->off_dispatch_ns);
    add_capped(&m->idle_sum.own_ns, p->idle_sum->own_ns);
    for (size_t i = 0; i < p->idle_count; i++) {
        struct lpf_idle key = { .context = context_in_sum(x, p->idle[i].context),
                                .kind = p->idle[i].kind, .octave = p->idle[i].octave };
        bool fresh;
        uint32_t at = list_index(&m->idle_of, &key, sizeof key, &fresh);
        if (fresh)
            list_append(&m->idle_of, &key, 1);
        struct lpf_idle *to = (struct lpf_idle *)m->idle_of.data + at;
        add_capped(&to->count, p->idle[i].count);
        add_capped(&to->ns, p->idle[i].ns);
    }
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct lpf_phases *from = &p->phases[i];
        struct lpf_phases key = { .context = context_in_sum(x, from->context) };
        bool fresh;
        uint32_t at = list_index(&m->phases_of, &key, sizeof key, &fresh);
        if (fresh)
            list_append(&m->phases_of, &key, 1);
        struct lpf_phases *to = (struct lpf_phases *)m->phases_of.data + at;
        add_capped(&to->starts, from->starts);
        add_capped(&to->start_ns, from->start_ns);
        add_capped(&to->ends, from->ends);
        add_capped(&to->end_ns, from->end_ns);
    }
}

/* A parent may follow its children in the file. In a hostile file it may be its own ancestor: then
 * the first context of the cycle that is placed has no parent. */
void sum_contexts(struct mapping *x)
{
    enum { ON_STACK = LPF_NONE - 1 };
    const struct profile *p = x->p;
    size_t n = p->context_count, depth;
    uint32_t *stack = format_memory(calloc(n + 1, sizeof *stack));
    uint64_t work = p->totals.root_work_cost, span = p->totals.root_span_cost;
    x->contexts = format_memory(malloc((n + 1) * sizeof *x->contexts));
    memset(x->contexts, 0xff, (n + 1) * sizeof *x->contexts);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (depth = 0; at != LPF_NONE && x->contexts[at] == LPF_NONE;
             at = p->contexts[at].parent) {
            x->contexts[at] = ON_STACK;
            stack[depth++] = at;
        }
        uint32_t parent = at == LPF_NONE || x->contexts[at] == ON_STACK ? LPF_NONE
                                                                        : x->contexts[at];
        while (depth--)
            parent = x->contexts[stack[depth]] = put_context(x, stack[depth], parent);
    }
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            prefetch((const struct lpf_context *)x->m->contexts.data + x->contexts[i + AHEAD]);
        add_context(x, (struct lpf_context *)x->m->contexts.data + x->contexts[i], &p->contexts[i],
                    &work, &span);
    }
    add_spreads(x);
    add_outliers(x);
    add_chunks(x);
    add_teams_of_one(x);
    add_handed(x);
    add_awaited(x);
    add_idle(x);
    free(stack);
}
