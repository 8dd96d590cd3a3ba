/* merged.c - see merged.h. Every kind of entry has a table by what makes two of them one: strings by their bytes, modules by build id (or path)
 * and place in their file, sites and nodes by their code, contexts by site, node and parent, regions and notes by their names.
 *
 * Processes have their modules at different addresses: each module gets a place of its own above all that a process can have, and
 * every address goes there with the module that holds it. Addresses outside every module stay as they are.
 */
#define _GNU_SOURCE
#include "profile/sum.h"
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "base/format.h"
#include "profile/profile.h"

#define FIRST_PLACE ((uint64_t)1 << 62)
#define LAST_PLACE ((uint64_t)1 << 63)
#define LARGEST_MODULE ((uint64_t)1 << 40)
enum { PAGE = 0x1000, VALUES = 8, KEY = 64 };

/* An index of a table, by its key. */
struct entry {
    UT_hash_handle hh;
    uint32_t index;
    char key[];
};

struct list {
    void *data;
    size_t count, capacity, size;   /* of one */
    struct entry *by_key;
};

struct sum {
    uint32_t mode;
    uint64_t next_place;
    struct list strings;        /* bytes */
    struct list settings, modules, sites, contexts, regions, notes, threads, nodes, samples, inputs;
    struct list candidates, scenarios, terms;   /* of all; none where they differ */
    struct list weights;        /* struct lpf_sample of each node, of weight 0 where there was none */
    struct lpf_totals totals;
    uint32_t flags;
    bool any;
    bool unmerged;              /* some had what-if scenarios, but not all the same */
    double burden, burden_steals;   /* sum of burdens times steals, of those that were measured */
};

/* What one profile's indexes and addresses are here. */
struct mapping {
    const struct profile *p;
    struct sum *m;
    uint32_t *sites, *contexts, *nodes;
    struct { uint64_t start, end, shift; } *modules;    /* by start */
    size_t module_count;
    bool on_span;               /* its critical path is the whole's */
};

static void add(uint64_t *to, uint64_t v)
{
    if (__builtin_add_overflow(*to, v, to))
        *to = UINT64_MAX;
}

static void largest(uint64_t *to, uint64_t v)
{
    if (v > *to)
        *to = v;
}

/* ---- tables ---- */

static void *append(struct list *l, const void *item, size_t count)
{
    if (!l->data || l->count + count > l->capacity) {
        l->capacity = (l->count + count) * 2 + 64;
        l->data = format_memory(realloc(l->data, l->capacity * l->size));
    }
    void *at = (char *)l->data + l->count * l->size;
    if (count)
        memcpy(at, item, count * l->size);
    l->count += count;
    return at;
}

/* The index of what has KEY; *FRESH: it is the next one, which the caller appends. */
static uint32_t index_of(struct list *l, const void *key, size_t size, bool *fresh)
{
    struct entry *e;
    HASH_FIND(hh, l->by_key, key, size, e);
    *fresh = !e;
    if (!e) {
        e = format_memory(malloc(sizeof *e + size));
        memcpy(e->key, key, size);
        e->index = l->count;
        HASH_ADD_KEYPTR(hh, l->by_key, e->key, size, e);
    }
    return e->index;
}

static uint32_t put_string(struct sum *m, const char *text)
{
    bool fresh;
    if (!*text)
        return 0;
    uint32_t at = index_of(&m->strings, text, strlen(text), &fresh);
    if (fresh)
        append(&m->strings, text, strlen(text) + 1);
    return at;
}

static uint32_t put_from(struct mapping *x, uint32_t offset)
{
    return put_string(x->m, profile_string(x->p, offset));
}

static void free_list(struct list *l)
{
    struct entry *e, *next;
    HASH_ITER(hh, l->by_key, e, next) {
        HASH_DEL(l->by_key, e);
        free(e);
    }
    free(l->data);
}

struct sum *sum_new(uint32_t mode)
{
    struct sum *m = format_memory(calloc(1, sizeof *m));
    m->mode = mode;
    m->next_place = FIRST_PLACE;
    m->strings.size = 1;
    m->settings.size = sizeof(struct lpf_setting);
    m->modules.size = sizeof(struct lpf_module);
    m->sites.size = sizeof(struct lpf_site);
    m->contexts.size = sizeof(struct lpf_context);
    m->regions.size = sizeof(struct lpf_region);
    m->notes.size = sizeof(struct lpf_note);
    m->threads.size = sizeof(struct lpf_thread);
    m->nodes.size = sizeof(struct lpf_node);
    m->samples.size = m->weights.size = sizeof(struct lpf_sample);
    m->inputs.size = sizeof(struct lpf_input);
    m->candidates.size = sizeof(struct lpf_candidate);
    m->scenarios.size = sizeof(struct lpf_scenario);
    m->terms.size = sizeof(struct lpf_term);
    append(&m->strings, "", 1);
    return m;
}

void sum_free(struct sum *m)
{
    struct list *all[] = { &m->strings, &m->settings, &m->modules, &m->sites, &m->contexts, &m->regions, &m->notes, &m->threads, &m->nodes,
                           &m->samples, &m->inputs, &m->weights, &m->candidates, &m->scenarios, &m->terms };
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        free_list(all[i]);
    free(m);
}

/* ---- addresses ---- */

static int compare_places(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void map_modules(struct mapping *x)
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
            continue;           /* no process has that */
        from.path = put_from(x, from.path);
        memcpy(key, inside, sizeof inside);
        if (from.build_id_len)
            memcpy(key + sizeof inside, from.build_id, from.build_id_len);
        else
            memcpy(key + KEY - sizeof from.path, &from.path, sizeof from.path);
        if (m->next_place + size + 4 * PAGE > LAST_PLACE)
            continue;
        uint32_t at = index_of(&m->modules, key, sizeof key, &fresh);
        if (fresh) {
            uint64_t place = m->next_place + (from.start & (PAGE - 1));
            struct lpf_module to = from;
            to.start = place;
            to.end = place + size;
            to.bias = from.bias + (place - from.start);
            append(&m->modules, &to, 1);
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

/* ADDRESS; it is in the module that holds ADDRESS - BEFORE: a return address may be the first behind its own. */
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

static void map_sites(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    x->sites = format_memory(calloc(p->site_count + 1, sizeof *x->sites));
    for (size_t i = 0; i < p->site_count; i++) {
        struct lpf_site s = p->sites[i];
        for (int k = 0; k < 4 && s.address[k]; k++)
            s.address[k] = map_address(x, s.address[k], 1);
        s.runtime = put_from(x, s.runtime);
        s.construct = put_from(x, s.construct);
        s.reserved = 0;
        x->sites[i] = index_of(&x->m->sites, &s, sizeof s, &fresh);
        if (fresh)
            append(&x->m->sites, &s, 1);
    }
}

static void map_nodes(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    x->nodes = format_memory(calloc(p->node_count + 1, sizeof *x->nodes));
    for (size_t i = 0; i < p->node_count; i++) {
        struct lpf_node n = p->nodes[i];
        n.parent = i ? x->nodes[n.parent] : LPF_NONE;
        if (!i)
            n = (struct lpf_node){ .parent = LPF_NONE, .kind = LPF_NODE_ROOT };     /* one for all */
        if (n.kind == LPF_NODE_FRAME || n.kind == LPF_NODE_LEAF)
            n.address = map_address(x, n.address, n.kind == LPF_NODE_FRAME);
        x->nodes[i] = index_of(&x->m->nodes, &n, sizeof n, &fresh);
        if (fresh) {
            append(&x->m->nodes, &n, 1);
            append(&x->m->weights, &(struct lpf_sample){ .node = x->nodes[i] }, 1);
        }
    }
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        struct lpf_sample *to = (struct lpf_sample *)x->m->weights.data + x->nodes[s->node];
        add(&to->weight, s->weight);
        to->blocked = s->blocked < UINT32_MAX - to->blocked ? to->blocked + s->blocked : UINT32_MAX;
        add(&to->idleness, s->idleness);
        if (x->on_span)
            add(&to->on_span, s->on_span);
    }
}

/* Costs as parts of a sum that is rounded as a whole: what adds up to a total does so afterwards. */
static uint64_t rounded(const struct profile *p, uint64_t *sum, uint64_t cost)
{
    if (!p->totals.ns_num || p->totals.ns_num == p->totals.ns_den)
        return cost;
    uint64_t before = profile_whole_ns(p, *sum);
    add(sum, cost);
    return profile_whole_ns(p, *sum) - before;
}

static void add_context(struct mapping *x, struct lpf_context *to, const struct lpf_context *from, uint64_t *work, uint64_t *span)
{
    const struct profile *p = x->p;
    add(&to->tasks, from->tasks);
    add(&to->invocations, from->invocations);
    add(&to->steals, from->steals);
    add(&to->work_local_cost, rounded(p, work, from->work_local_cost));
    add(&to->span_local_cost_all, profile_whole_ns(p, from->span_local_cost_all));
    add(&to->top_count, from->top_count);
    add(&to->top_work_cost, profile_whole_ns(p, from->top_work_cost));
    add(&to->top_span_cost, profile_whole_ns(p, from->top_span_cost));
    add(&to->topcaller_count, from->topcaller_count);
    add(&to->topcaller_work_cost, profile_whole_ns(p, from->topcaller_work_cost));
    add(&to->topcaller_span_cost, profile_whole_ns(p, from->topcaller_span_cost));
    add(&to->blocked_ns, from->blocked_ns);
    if (!x->on_span)
        return;
    add(&to->span_local_cost, rounded(p, span, from->span_local_cost));
    add(&to->on_count, from->on_count);
    add(&to->on_work_local_cost, profile_whole_ns(p, from->on_work_local_cost));
    add(&to->on_top_count, from->on_top_count);
    add(&to->on_top_work_cost, profile_whole_ns(p, from->on_top_work_cost));
    add(&to->on_top_span_cost, profile_whole_ns(p, from->on_top_span_cost));
    add(&to->on_topcaller_count, from->on_topcaller_count);
    add(&to->on_topcaller_work_cost, profile_whole_ns(p, from->on_topcaller_work_cost));
    add(&to->on_topcaller_span_cost, profile_whole_ns(p, from->on_topcaller_span_cost));
}

static void forget_on_span(struct sum *m)
{
    for (size_t i = 0; i < m->contexts.count; i++) {
        struct lpf_context *c = (struct lpf_context *)m->contexts.data + i;
        c->on_count = c->on_work_local_cost = c->span_local_cost = c->on_top_count = c->on_top_work_cost = c->on_top_span_cost = 0;
        c->on_topcaller_count = c->on_topcaller_work_cost = c->on_topcaller_span_cost = 0;
    }
    for (size_t i = 0; i < m->weights.count; i++)
        ((struct lpf_sample *)m->weights.data)[i].on_span = 0;
    m->totals.root_span_cost = m->totals.span_cost = 0;
}

/* Where context I is; its parent is already. */
static uint32_t put_context(struct mapping *x, size_t i, uint32_t parent)
{
    const struct lpf_context *from = &x->p->contexts[i];
    uint32_t node = from->node < x->p->node_count ? x->nodes[from->node] : LPF_NONE;
    uint32_t key[3] = { x->sites[from->site], node, parent };
    bool fresh;
    uint32_t at = index_of(&x->m->contexts, key, sizeof key, &fresh);
    if (fresh)
        append(&x->m->contexts, &(struct lpf_context){ .id = at, .parent = parent, .site = key[0], .node = node }, 1);
    ((struct lpf_context *)x->m->contexts.data + at)->flags |= from->flags;
    return at;
}

/* A parent may follow its children in the file, and a hostile one be its own ancestor. */
static void map_contexts(struct mapping *x)
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
        for (depth = 0; at != LPF_NONE && x->contexts[at] == LPF_NONE; at = p->contexts[at].parent) {
            x->contexts[at] = ON_STACK;
            stack[depth++] = at;
        }
        uint32_t parent = at == LPF_NONE || x->contexts[at] == ON_STACK ? LPF_NONE : x->contexts[at];
        while (depth--)
            parent = x->contexts[stack[depth]] = put_context(x, stack[depth], parent);
    }
    for (size_t i = 0; i < n; i++)
        add_context(x, (struct lpf_context *)x->m->contexts.data + x->contexts[i], &p->contexts[i], &work, &span);
    free(stack);
}

/* ---- flat tables ---- */

static void add_regions(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    for (size_t i = 0; i < p->region_count; i++) {
        const struct lpf_region *r = &p->regions[i];
        uint32_t name = put_from(x, r->name), at = index_of(&x->m->regions, &name, sizeof name, &fresh);
        if (fresh)
            append(&x->m->regions, &(struct lpf_region){ .name = name }, 1);
        struct lpf_region *to = (struct lpf_region *)x->m->regions.data + at;
        add(&to->count, r->count);
        add(&to->work_cost, profile_whole_ns(p, r->work_cost));
        add(&to->span_cost, profile_whole_ns(p, r->span_cost));
        add(&to->burdened_len_cost, profile_whole_ns(p, profile_burdened(p, r->burdened_len_cost, r->burdened_edges)));
        largest(&to->max_span_cost, profile_whole_ns(p, r->max_span_cost));
    }
}

/* Notes of ours, which are said anew when all are there. */
static const char unordered[] = "processes", unmerged[] = "what-if";
static const char unmerged_text[] = "the files do not all have the same scenarios: none are merged";

static void add_notes(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    for (size_t i = 0; i < p->note_count; i++) {
        const struct lpf_note *n = &p->notes[i];
        if (n->kind == LPF_NOTE_LOWER_BOUND && p->input_count && x->m->mode == LPF_MERGE_PROCESSES &&
            !strcmp(profile_string(p, n->name), unordered))
            continue;
        if (n->kind == LPF_NOTE_HINT && p->input_count && !strcmp(profile_string(p, n->text), unmerged_text)) {
            x->m->unmerged = true;
            continue;
        }
        uint32_t key[3] = { n->kind, put_from(x, n->name), put_from(x, n->text) };
        uint32_t at = index_of(&x->m->notes, key, sizeof key, &fresh);
        if (fresh)
            append(&x->m->notes, &(struct lpf_note){ .kind = key[0], .name = key[1], .text = key[2] }, 1);
        add(&((struct lpf_note *)x->m->notes.data + at)->count, n->count);
    }
}

/* Whether P has the scenarios that we have: of candidates of the same names, in the same order. */
static bool same_scenarios(struct mapping *x)
{
    const struct profile *p = x->p;
    const struct sum *m = x->m;
    if (p->candidate_count != m->candidates.count || p->scenario_count != m->scenarios.count || p->term_count != m->terms.count)
        return false;
    for (size_t i = 0; i < p->candidate_count; i++)
        if (strcmp(profile_string(p, p->candidates[i].name),
                   (const char *)m->strings.data + ((const struct lpf_candidate *)m->candidates.data)[i].name))
            return false;
    for (size_t i = 0; i < p->scenario_count; i++) {
        const struct lpf_scenario *a = &p->scenarios[i], *b = (const struct lpf_scenario *)m->scenarios.data + i;
        if (a->first_term != b->first_term || a->terms != b->terms || a->flags != b->flags)
            return false;
    }
    for (size_t i = 0; i < p->term_count; i++) {
        const struct lpf_term *a = &p->terms[i], *b = (const struct lpf_term *)m->terms.data + i;
        if (a->candidate != b->candidate || a->num != b->num || a->den != b->den)
            return false;
    }
    return true;
}

/* Work and span as the totals': of runs one after the other a scenario's span is the sum, of processes side by side the longest, which may be
 * another process than the one whose span is the longest unchanged. */
static void add_scenarios(struct mapping *x, bool first)
{
    const struct profile *p = x->p;
    struct sum *m = x->m;
    if (first && p->scenario_count) {
        append(&m->candidates, p->candidates, p->candidate_count);
        append(&m->scenarios, p->scenarios, p->scenario_count);
        append(&m->terms, p->terms, p->term_count);
        for (size_t i = 0; i < p->candidate_count; i++) {
            struct lpf_candidate *c = (struct lpf_candidate *)m->candidates.data + i;
            *c = (struct lpf_candidate){ .name = put_from(x, c->name) };
        }
        for (size_t i = 0; i < p->scenario_count; i++) {
            struct lpf_scenario *s = (struct lpf_scenario *)m->scenarios.data + i;
            s->work_cost = s->span_cost = 0;
        }
    } else if (!same_scenarios(x)) {
        m->candidates.count = m->scenarios.count = m->terms.count = 0;
        m->unmerged = true;
        return;
    }
    for (size_t i = 0; i < m->candidates.count; i++) {
        struct lpf_candidate *c = (struct lpf_candidate *)m->candidates.data + i;
        c->flags |= p->candidates[i].flags;
        add(&c->regions, p->candidates[i].regions);
        add(&c->contexts, p->candidates[i].contexts);
        add(&c->samples, p->candidates[i].samples);
    }
    for (size_t i = 0; i < m->scenarios.count; i++) {
        struct lpf_scenario *s = (struct lpf_scenario *)m->scenarios.data + i;
        add(&s->work_cost, profile_whole_ns(p, p->scenarios[i].work_cost));
        if (m->mode == LPF_MERGE_RUNS)
            add(&s->span_cost, profile_whole_ns(p, p->scenarios[i].span_cost));
        else
            largest(&s->span_cost, profile_whole_ns(p, p->scenarios[i].span_cost));
    }
}

/* VALUE among the values of a setting: "a, b"; at most VALUES of them, then "...". */
static char *with_value(const char *all, const char *value)
{
    static const char gap[] = ", ";
    unsigned n = 1;
    size_t length = strlen(value);
    for (const char *at = all;; n++) {
        const char *end = strstr(at, gap);
        size_t part = end ? (size_t)(end - at) : strlen(at);
        if ((part == length && !memcmp(at, value, part)) || (part == 3 && !memcmp(at, "...", 3)))
            return 0;
        if (!end)
            break;
        at = end + strlen(gap);
    }
    return format_text("%s%s%s", all, gap, n >= VALUES ? "..." : value);
}

static void add_settings(struct mapping *x)
{
    const struct profile *p = x->p;
    bool fresh;
    for (size_t i = 0; i < p->setting_count; i++) {
        uint32_t key = put_from(x, p->settings[i].key), at = index_of(&x->m->settings, &key, sizeof key, &fresh);
        const char *value = profile_string(p, p->settings[i].value);
        if (fresh) {
            append(&x->m->settings, &(struct lpf_setting){ key, put_string(x->m, value) }, 1);
            continue;
        }
        struct lpf_setting *to = (struct lpf_setting *)x->m->settings.data + at;
        if (profile_is_time(profile_string(p, p->settings[i].key))) {    /* as the CPU time is */
            uint64_t sum = profile_number((const char *)x->m->strings.data + to->value);
            add(&sum, profile_number(value));
            char *text = format_text("%llu", (unsigned long long)sum);
            to->value = put_string(x->m, text);
            free(text);
            continue;
        }
        char *rest = format_text("%s", value), *part = rest, *next;
        for (; part; part = next) {             /* it may be a list of values itself */
            next = strstr(part, ", ");
            if (next) {
                *next = 0;
                next += 2;
            }
            char *all = with_value((const char *)x->m->strings.data + to->value, part);
            if (all)
                to->value = put_string(x->m, all);
            free(all);
        }
        free(rest);
    }
}

static void add_inputs(struct mapping *x)
{
    const struct profile *p = x->p;
    const struct lpf_totals *t = &p->totals;
    if (p->input_count && p->inputs[0].mode == x->m->mode) {
        for (size_t i = 0; i < p->input_count; i++) {
            struct lpf_input in = p->inputs[i];
            in.name = put_from(x, in.name);
            in.exe = put_from(x, in.exe);
            in.cmdline = put_from(x, in.cmdline);
            append(&x->m->inputs, &in, 1);      /* their costs are in our unit already */
        }
        return;
    }
    uint64_t profiles = 1;
    for (size_t i = 0; i < p->input_count; i++)
        profiles += p->inputs[i].profiles;
    struct lpf_input in = {
        .mode = x->m->mode, .name = put_string(x->m, p->path), .exe = put_from(x, t->exe), .cmdline = put_from(x, t->cmdline), .pid = t->pid,
        .workers = t->workers, .flags = p->flags, .profiles = p->input_count ? profiles - 1 < UINT32_MAX ? profiles - 1 : UINT32_MAX : 1,
        .start_unix_ns = t->start_unix_ns, .elapsed_ns = t->elapsed_ns, .work_cost = profile_whole_ns(p, t->work_cost),
        .span_cost = profile_whole_ns(p, t->span_cost), .end = t->end, .exit_status = t->exit_status,
    };
    append(&x->m->inputs, &in, 1);
}

/* ---- totals ---- */

/* What is worst of two ends: a signal, still running, the largest exit status. */
static void worse_end(struct lpf_totals *to, const struct lpf_totals *from)
{
    static const unsigned badness[] = { [LPF_END_RUNNING] = 2, [LPF_END_EXIT] = 0, [LPF_END_SIGNAL] = 3, [LPF_END_QUICK] = 0,
                                        [LPF_END_EXEC] = 1 };
    unsigned a = to->end < 5 ? badness[to->end] : 0, b = from->end < 5 ? badness[from->end] : 0;
    if (b > a || (b == a && from->exit_status > to->exit_status)) {
        to->end = from->end;
        to->exit_status = from->exit_status;
    }
}

static void first_totals(struct mapping *x)
{
    const struct lpf_totals *t = &x->p->totals;
    struct lpf_totals *to = &x->m->totals;
    *to = (struct lpf_totals){
        .clock = put_from(x, t->clock), .exe = put_from(x, t->exe), .cmdline = put_from(x, t->cmdline), .pid = t->pid, .ppid = t->ppid,
        .exact = 1, .end = t->end, .exit_status = t->exit_status, .start_unix_ns = t->start_unix_ns, .ns_num = t->ns_num != 0, .ns_den = 1,
        .sample_source = put_from(x, t->sample_source), .sample_period_ns = t->sample_period_ns, .sample_period_events = t->sample_period_events,
    };
}

static uint64_t mean_burden(const struct sum *m)
{
    double mean = m->burden / m->burden_steals + 0.5;
    return mean < 0x1p64 ? (uint64_t)mean : UINT64_MAX;
}

static void add_totals(struct mapping *x)
{
    const struct profile *p = x->p;
    const struct lpf_totals *t = &p->totals;
    struct lpf_totals *to = &x->m->totals;
    add(&to->work_cost, profile_whole_ns(p, t->work_cost));
    add(&to->root_work_cost, profile_whole_ns(p, t->root_work_cost));
    uint64_t burdened = profile_whole_ns(p, profile_burdened(p, t->burdened_len_cost, t->burdened_edges));
    if (x->m->mode == LPF_MERGE_RUNS)
        add(&to->burdened_len_cost, burdened);
    else
        largest(&to->burdened_len_cost, burdened);
    if (x->on_span) {
        add(&to->span_cost, profile_whole_ns(p, t->span_cost));
        add(&to->root_span_cost, profile_whole_ns(p, t->root_span_cost));
    }
    static const size_t sums[] = {
#define SUM(field) offsetof(struct lpf_totals, field)
        SUM(tasks), SUM(spawns), SUM(syncs), SUM(steals), SUM(elapsed_ns), SUM(cpu_ns), SUM(idle_ns), SUM(own_ns), SUM(search_ns),
        SUM(sleep_ns), SUM(dispatch_ns), SUM(threads_ns), SUM(blocked_ns), SUM(samples), SUM(samples_outside), SUM(samples_lost),
        SUM(samples_cut), SUM(nodes_lost),
#undef SUM
    };
    for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++)
        add((uint64_t *)((char *)to + sums[i]), *(const uint64_t *)((const char *)t + sums[i]));
    largest(&to->min_strand_cost, profile_whole_ns(p, t->min_strand_cost));
    to->workers = t->workers > to->workers ? t->workers : to->workers;
    to->exact &= t->exact != 0;
    if (t->start_unix_ns && (!to->start_unix_ns || t->start_unix_ns < to->start_unix_ns))
        to->start_unix_ns = t->start_unix_ns;
    if (t->sample_period_ns != to->sample_period_ns || t->sample_period_events != to->sample_period_events)
        to->sample_period_ns = to->sample_period_events = 0;
    worse_end(to, t);
    /* a measured burden counts by its steals; another only where none was measured */
    if (t->burden_source == LPF_BURDEN_MEASURED && t->burden_steals) {
        x->m->burden += (double)profile_whole_ns(p, t->burden_cost) * t->burden_steals;
        x->m->burden_steals += t->burden_steals;
        to->burden_source = LPF_BURDEN_MEASURED;
        add(&to->burden_steals, t->burden_steals);
        to->burden_cost = mean_burden(x->m);
    } else if (to->burden_source != LPF_BURDEN_MEASURED) {
        to->burden_source = t->burden_source == LPF_BURDEN_SETTING ? LPF_BURDEN_SETTING : to->burden_source;
        largest(&to->burden_cost, profile_whole_ns(p, t->burden_cost));
    }
    x->m->flags |= p->flags;
}

void sum_add(struct sum *m, const struct profile *p)
{
    struct mapping x = { .p = p, .m = m };
    bool first = !m->any;
    if (first)
        first_totals(&x);
    x.on_span = m->mode == LPF_MERGE_RUNS || !m->any || profile_whole_ns(p, p->totals.span_cost) > m->totals.span_cost;
    if (m->mode == LPF_MERGE_PROCESSES && x.on_span)
        forget_on_span(m);
    m->any = true;
    map_modules(&x);
    map_sites(&x);
    map_nodes(&x);
    map_contexts(&x);
    add_regions(&x);
    add_notes(&x);
    add_settings(&x);
    add_inputs(&x);
    add_totals(&x);
    add_scenarios(&x, first);
    append(&m->threads, p->threads ? (const void *)p->threads : "", p->thread_count);
    free(x.modules);
    free(x.sites);
    free(x.nodes);
    free(x.contexts);
}

void sum_join(struct sum *m, struct sum *from)
{
    struct profile p;
    double burden = m->burden + from->burden, steals = m->burden_steals + from->burden_steals;
    if (!from->any)
        return;
    sum_view(from, &p, false);
    sum_add(m, &p);
    m->unmerged |= from->unmerged;
    m->burden = burden;         /* not of what was rounded */
    m->burden_steals = steals;
    if (steals > 0)
        m->totals.burden_cost = mean_burden(m);
}

/* ---- the whole ---- */

struct moment {
    uint64_t at;
    int64_t slots;
    int processes;              /* 1: one starts with so many slots, -1: one ends */
};

static int compare_moments(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->processes != y->processes ? x->processes - y->processes : (x->slots > y->slots) - (x->slots < y->slots);
}

/* Of processes: how long at least one lived, and the most slots that there were at a time. */
static void live_together(const struct sum *m, struct lpf_totals *t)
{
    const struct lpf_input *in = m->inputs.data;
    size_t n = 0;
    struct moment *list = format_memory(calloc(2 * m->inputs.count + 1, sizeof *list));
    for (size_t i = 0; i < m->inputs.count; i++) {
        uint64_t end = in[i].start_unix_ns;
        add(&end, in[i].elapsed_ns);
        list[n++] = (struct moment){ in[i].start_unix_ns, in[i].workers, 1 };
        list[n++] = (struct moment){ end, -(int64_t)in[i].workers, -1 };
    }
    qsort(list, n, sizeof *list, compare_moments);
    int64_t slots = 0, most = 0, processes = 0;
    uint64_t lived = 0;
    for (size_t i = 0; i < n; i++) {
        if (processes && i)
            lived += list[i].at - list[i - 1].at;
        slots += list[i].slots;
        processes += list[i].processes;
        most = slots > most ? slots : most;
    }
    t->elapsed_ns = lived;
    t->workers = most < UINT32_MAX ? most : UINT32_MAX;
    free(list);
}

static void put_note(struct sum *m, uint32_t kind, const char *name, const char *text, uint64_t count)
{
    uint32_t key[3] = { kind, put_string(m, name), put_string(m, text) };
    bool fresh;
    uint32_t at = index_of(&m->notes, key, sizeof key, &fresh);
    if (fresh)
        append(&m->notes, &(struct lpf_note){ .kind = key[0], .name = key[1], .text = key[2] }, 1);
    ((struct lpf_note *)m->notes.data + at)->count = count;
}

static void finish(struct sum *m)
{
    if (m->mode == LPF_MERGE_PROCESSES && m->inputs.count > 1) {
        put_note(m, LPF_NOTE_LOWER_BOUND, unordered, "in what order they ran and waited for each other is not known: the span is that of the longest one",
                 m->inputs.count);
        m->totals.exact = 0;
    }
    if (m->unmerged)
        put_note(m, LPF_NOTE_HINT, unmerged, unmerged_text, 1);
}

/* Strings in the order in which the sections name them: that in which they were met depends on the grouping. */
static void renew_strings(struct sum *m)
{
    struct list old = m->strings;
    const char *text = old.data;
    m->strings = (struct list){ .size = 1 };
    append(&m->strings, "", 1);
#define EACH(list, type, ...) \
    for (size_t i = 0; i < m->list.count; i++) { \
        struct type *e = (struct type *)m->list.data + i; \
        uint32_t *const fields[] = { __VA_ARGS__ }; \
        for (unsigned k = 0; k < sizeof fields / sizeof fields[0]; k++) \
            *fields[k] = put_string(m, text + *fields[k]); \
    }
    EACH(settings, lpf_setting, &e->key, &e->value)
    EACH(modules, lpf_module, &e->path)
    EACH(sites, lpf_site, &e->runtime, &e->construct)
    EACH(regions, lpf_region, &e->name)
    EACH(notes, lpf_note, &e->name, &e->text)
    EACH(inputs, lpf_input, &e->name, &e->exe, &e->cmdline)
    EACH(candidates, lpf_candidate, &e->name)
#undef EACH
    struct lpf_totals *t = &m->totals;
    uint32_t *const fields[] = { &t->clock, &t->exe, &t->cmdline, &t->sample_source };
    for (unsigned k = 0; k < sizeof fields / sizeof fields[0]; k++)
        *fields[k] = put_string(m, text + *fields[k]);
    free_list(&old);
}

void sum_view(struct sum *m, struct profile *out, bool finished)
{
    if (finished) {
        finish(m);
        renew_strings(m);
    }
    m->samples.count = 0;
    for (size_t i = 0; i < m->weights.count; i++) {
        const struct lpf_sample *s = (const struct lpf_sample *)m->weights.data + i;
        if (s->weight || s->idleness || s->on_span || s->blocked)
            append(&m->samples, s, 1);
    }
    *out = (struct profile){
        .path = "", .flags = m->flags, .strings = m->strings.data, .strings_size = m->strings.count, .totals = m->totals, .has_totals = true,
        .settings = m->settings.data, .setting_count = m->settings.count, .modules = m->modules.data, .module_count = m->modules.count,
        .sites = m->sites.data, .site_count = m->sites.count, .contexts = m->contexts.data, .context_count = m->contexts.count,
        .regions = m->regions.data, .region_count = m->regions.count, .notes = m->notes.data, .note_count = m->notes.count,
        .threads = m->threads.data, .thread_count = m->threads.count, .nodes = m->nodes.data, .node_count = m->nodes.count,
        .samples = m->samples.data, .sample_count = m->samples.count, .inputs = m->inputs.data, .input_count = m->inputs.count,
        .candidates = m->candidates.data, .candidate_count = m->candidates.count, .scenarios = m->scenarios.data,
        .scenario_count = m->scenarios.count, .terms = m->terms.data, .term_count = m->terms.count,
    };
    if (finished && m->mode == LPF_MERGE_PROCESSES)
        live_together(m, &out->totals);
}
