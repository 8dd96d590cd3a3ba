/* path_groups.c - which task boundaries' costs are split together: those of one site at one logical
 * path.
 */
#include <stdlib.h>
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"

/* Groups with this part of their samples in one function execute the same code. */
#define COMMON 0.1

/* A task boundary, or another node that has a context. */
struct boundary {
    uint32_t node, logical;
    const struct row *site;
};

static int by_place(const void *a, const void *b)
{
    const struct boundary *x = a, *y = b;
    if (x->logical != y->logical)
        return x->logical < y->logical ? -1 : 1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Sets OF to the groups before any are joined. */
static void groups_of_sites(const struct paths *t, const uint32_t *logical, struct groups *of)
{
    const struct profile *p = t->summary->profile;
    size_t n = 0;
    struct boundary *all = format_memory(calloc(p->node_count + 1, sizeof *all));
    bool *has_context = format_memory(calloc(p->node_count + 1, sizeof *has_context));
    of->node = format_memory(calloc(p->node_count + 1, sizeof *of->node));
    of->at = format_memory(calloc(p->node_count + 1, sizeof *of->at));
    of->count = 1;
    for (size_t i = 0; i < p->context_count; i++)
        has_context[p->contexts[i].node < p->node_count ? p->contexts[i].node : 0] = true;
    for (size_t i = 1; i < p->node_count; i++)
        if (p->nodes[i].kind == LPF_NODE_TASK || has_context[i])
            all[n++] = (struct boundary){ i, logical[i], t->private->site_of[i] };
    qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i++) {
        bool same = i && all[i].logical && all[i].logical == all[i - 1].logical &&
                    all[i].site == all[i - 1].site;
        of->count += !same;
        of->node[all[i].node] = of->count - 1;
        of->at[of->count - 1] = all[i].logical;
    }
    free(has_context);
    free(all);
}

/* The weight of one group's samples at one logical node. */
struct shared {
    uint32_t logical, group;
    uint64_t weight;
};

static int by_logical(const void *a, const void *b)
{
    const struct shared *x = a, *y = b;
    if (x->logical != y->logical)
        return x->logical < y->logical ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

/* The samples by logical node and group, in this order; *COUNT of them. */
static struct shared *shares_of(const struct paths *t, const uint32_t *owner_of,
                                const uint32_t *logical, const struct groups *of, size_t *count)
{
    const struct profile *p = t->summary->profile;
    struct shared *all = format_memory(calloc(p->sample_count + 1, sizeof *all));
    size_t n = 0, left = 0;
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct lpf_sample *s = &p->samples[i];
        all[n++] = (struct shared){ logical[s->node], of->node[owner_of[s->node]], s->weight };
    }
    qsort(all, n, sizeof *all, by_logical);
    for (size_t i = 0; i < n; i++)
        if (left && !by_logical(&all[left - 1], &all[i]))
            add_capped(&all[left - 1].weight, all[i].weight);
        else
            all[left++] = all[i];
    *count = left;
    return all;
}

static uint32_t group_found(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Joins groups that execute the same code, as those of a recursion's two spawns do: a row of the
 * report is a function, whichever group executes it. One group of a logical node has what no
 * sample splits. */
static void groups_join(const struct paths *t, const struct shared *s, size_t n,
                        struct groups *of)
{
    const struct profile *p = t->summary->profile;
    uint32_t *parent = format_memory(calloc(of->count, sizeof *parent));
    uint64_t *weight = format_memory(calloc(of->count, sizeof *weight));
    for (uint32_t i = 0; i < of->count; i++)
        parent[i] = i;
    for (size_t i = 0; i < n; i++)
        add_capped(&weight[s[i].group], s[i].weight);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (s[i].logical != s[first].logical || !s[first].group ||
            s[first].weight < COMMON * weight[s[first].group])
            first = i;
        else if (s[i].weight >= COMMON * weight[s[i].group] &&
                 of->at[s[i].group] == of->at[s[first].group])
            parent[group_found(parent, s[i].group)] = group_found(parent, s[first].group);
    }
    for (uint32_t i = 2, none = 1; i < of->count; i++) {        /* in the order of `at` */
        if (of->at[i] != of->at[none] || weight[none])
            none = i;
        else if (of->at[i] && !weight[i])
            parent[group_found(parent, i)] = group_found(parent, none);
    }
    for (size_t i = 1; i < p->node_count; i++)
        of->node[i] = group_found(parent, of->node[i]);
    free(parent);
    free(weight);
}

struct groups path_groups_of(struct paths *t, const uint32_t *owner_of, const uint32_t *logical)
{
    struct groups of;
    size_t n;
    groups_of_sites(t, logical, &of);
    struct shared *s = shares_of(t, owner_of, logical, &of, &n);
    groups_join(t, s, n, &of);
    free(s);
    return of;
}

void path_groups_free(struct groups *of)
{
    free(of->node);
    free(of->at);
}
