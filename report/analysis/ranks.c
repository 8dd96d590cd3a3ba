/* ranks.c - see ranks.h. */
#define _GNU_SOURCE
#include "analysis/ranks.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/paths_private.h"
#include "analysis/stats.h"
#include "base/format.h"

/* ---- groups ---- */

enum { FEATURES = 6 };

static void features(const struct profile *p, const struct lpf_rank *r, double *f)
{
    const double all[FEATURES] = { profile_ns(p, r->work_cost), r->late_sender_ns,
                                   r->late_receiver_ns, r->collective_ns, r->sent_ns,
                                   r->transfer_ns };
    memcpy(f, all, sizeof all);
}

/* How much ranks that are alike may differ, in ns. */
struct within { double time, work; };

static bool alike(const struct profile *p, const struct lpf_rank *a, const struct lpf_rank *b,
                  const struct within *within)
{
    double x[FEATURES], y[FEATURES];
    features(p, a, x);
    features(p, b, y);
    for (unsigned k = 0; k < FEATURES; k++)
        if (fabs(x[k] - y[k]) > within->time)
            return false;
    return fabs(x[0] - y[0]) <= within->work;
}

static struct within alike_within(const struct profile *p)
{
    struct within w = { 0 };
    for (size_t i = 0; i < p->rank_count; i++) {
        w.time = fmax(w.time, RANKS_ALIKE * p->ranks[i].threads_ns);
        w.work = fmax(w.work, RANKS_ALIKE_WORK * profile_ns(p, p->ranks[i].work_cost));
    }
    return w;
}

/* Groups before they are sorted: the place of each in the sorted order. */
struct placed {
    struct rank_group group;
    uint32_t made;
};

static int compare_groups(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->group.count != y->group.count)
        return x->group.count > y->group.count ? -1 : 1;
    return (x->made > y->made) - (x->made < y->made);
}

static void sort_groups(struct rank_groups *g, size_t ranks)
{
    struct placed *order = format_memory(calloc(g->count + 1, sizeof *order));
    uint32_t *place = format_memory(calloc(g->count + 1, sizeof *place));
    for (size_t i = 0; i < g->count; i++)
        order[i] = (struct placed){ g->groups[i], i };
    if (g->count)
        qsort(order, g->count, sizeof *order, compare_groups);
    for (size_t i = 0; i < g->count; i++) {
        g->groups[i] = order[i].group;
        place[order[i].made] = i;
    }
    for (size_t i = 0; i < ranks; i++)
        g->of[i] = place[g->of[i]];
    free(order);
    free(place);
}

void ranks_group(struct rank_groups *g, const struct profile *p)
{
    const struct within within = alike_within(p);
    *g = (struct rank_groups){
        .groups = format_memory(calloc(p->rank_count + 1, sizeof *g->groups)),
        .of = format_memory(calloc(p->rank_count + 1, sizeof *g->of)),
    };
    for (size_t i = 0; i < p->rank_count; i++) {
        const struct lpf_rank *r = &p->ranks[i];
        size_t at = 0;
        while (at < g->count && !alike(p, &p->ranks[g->groups[at].like], r, &within))
            at++;
        struct rank_group *to = &g->groups[at];
        if (at == g->count) {
            to->like = i;
            g->count++;
        }
        to->count++;
        to->work += profile_ns(p, r->work_cost);
        to->mpi += profile_rank_in_mpi_ns(r);
        to->threads += r->threads_ns;
        to->calls = to->calls + r->calls < to->calls ? UINT64_MAX : to->calls + r->calls;
        g->of[i] = at;
    }
    sort_groups(g, p->rank_count);
}

void ranks_free(struct rank_groups *g)
{
    free(g->groups);
    free(g->of);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

char *ranks_in_words(const struct rank_groups *g, const struct profile *p, size_t i, size_t most)
{
    uint32_t *list = format_memory(calloc(p->rank_count + 1, sizeof *list));
    size_t n = 0, size = 0;
    for (size_t k = 0; k < p->rank_count; k++)
        if (g->of[k] == i)
            list[n++] = p->ranks[k].rank;
    qsort(list, n, sizeof *list, compare_numbers);
    char *text = 0;
    FILE *f = format_memory(open_memstream(&text, &size));
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && list[end] == list[end - 1] + 1; end++)
            ;
        fprintf(f, end - k > 1 ? "%s%u-%u" : "%s%u", k ? ", " : "", list[k], list[end - 1]);
        fflush(f);
        if (most && size + strlen(", 4294967295-4294967295, ...") > most && end < n) {
            fputs(", ...", f);
            break;
        }
    }
    fclose(f);
    free(list);
    return format_memory(text);
}

/* ---- functions ---- */

/* A function's row, by the interned names of its logical nodes. */
struct function_row {
    struct { const char *function, *file; } key;
    uint32_t index;
    UT_hash_handle hh;
};

static struct function_row *rows_by_name(const struct paths *t)
{
    struct function_row *all = 0, *found;
    for (size_t i = 0; i < t->function_count; i++) {
        struct function_row *r = format_memory(calloc(1, sizeof *r));
        r->key.function = t->functions[i].function;
        r->key.file = t->functions[i].file;
        r->index = i;
        HASH_FIND(hh, all, &r->key, sizeof r->key, found);
        if (found)
            free(r);
        else
            HASH_ADD(hh, all, key, sizeof r->key, r);
    }
    return all;
}

static int compare_parts(const void *a, const void *b)
{
    const struct rank_part *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

struct rank_part *ranks_functions(const struct paths *t, size_t *count)
{
    const struct profile *p = t->summary->profile;
    struct rank_part *all = format_memory(calloc(p->rank_sample_count + 1, sizeof *all));
    struct function_row *rows = rows_by_name(t), *r, *next;
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < p->rank_sample_count; i++) {
        const struct lpf_rank_sample *s = &p->rank_samples[i];
        const struct path_node *node = &t->nodes[t->private->logical[s->node]];
        struct { const char *function, *file; } key = { node->function, node->file };
        HASH_FIND(hh, rows, &key, sizeof key, r);
        if (r && !path_hits_libprof((struct paths *)t, s->node))
            all[n++] = (struct rank_part){ s->rank, r->index, s->weight };
    }
    qsort(all, n, sizeof *all, compare_parts);
    for (size_t i = 0; i < n; i++) {
        if (kept && !compare_parts(&all[kept - 1], &all[i]))
            add_capped(&all[kept - 1].samples, all[i].samples);
        else
            all[kept++] = all[i];
    }
    HASH_ITER(hh, rows, r, next) {
        HASH_DEL(rows, r);
        free(r);
    }
    *count = kept;
    return all;
}

bool ranks_differ(const struct rank_groups *g, const struct paths *t, const struct rank_part *parts,
                  size_t count, size_t i, struct rank_difference *d)
{
    const struct profile *p = t->summary->profile;
    double *of[2] = { format_memory(calloc(t->function_count + 1, sizeof **of)),
                      format_memory(calloc(t->function_count + 1, sizeof **of)) };
    double all[2] = { 0 }, listed[2] = { 0 }, best = RANKS_ALIKE;
    for (size_t k = 0; k < p->rank_count; k++)
        if (g->of[k] == i || !g->of[k])
            all[!g->of[k]] += p->ranks[k].samples;
    for (size_t k = 0; k < count; k++) {
        uint32_t group = g->of[parts[k].rank];
        if (group && group != i)
            continue;
        of[!group][parts[k].function] += parts[k].samples;
        listed[!group] += parts[k].samples;
    }
    for (size_t k = 0; i && all[0] > 0 && all[1] > 0 && k < t->function_count; k++) {
        double hits = of[0][k], others = of[1][k] + fmax(all[1] - listed[1], 0);
        double least = hits / all[0] - stats_share(hits, hits, all[0], all[0]);
        double most = others / all[1] + stats_share(others, others, all[1], all[1]);
        if (!(least - most > best) || path_in_brackets(t->functions[k].function))
            continue;
        best = least - most;
        *d = (struct rank_difference){ .function = k, .least = least, .most = fmin(1, most) };
    }
    free(of[0]);
    free(of[1]);
    return best > RANKS_ALIKE;
}
