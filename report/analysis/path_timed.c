/* path_timed.c - which logical nodes and lines samples with their times have hit, and when. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "base/format.h"
#include "profile/timeline.h"

static int compare(const void *a, const void *b)
{
    const struct path_timed *x = a, *y = b;
    const uint32_t u[] = { x->node, x->line, x->kind, x->first, x->last },
                   v[] = { y->node, y->line, y->kind, y->first, y->last };
    for (unsigned i = 0; i < sizeof u / sizeof u[0]; i++)
        if (u[i] != v[i])
            return u[i] < v[i] ? -1 : 1;
    return 0;
}

/* By `made` of a line: its index. */
static uint32_t *line_indexes(const struct paths *t)
{
    uint32_t *at = format_memory(calloc(t->call_line_count + 1, sizeof *at));
    for (size_t i = 0; i < t->call_line_count; i++)
        at[t->lines[i].made] = i;
    return at;
}

/* Makes one of those that differ in their weights alone. Returns the number that is left. */
static size_t add_up(struct path_timed *all, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; i < n; i++) {
        if (kept && !compare(&all[kept - 1], &all[i]))
            all[kept - 1].weight += all[i].weight;
        else
            all[kept++] = all[i];
    }
    return kept;
}

struct path_timed *paths_timed(const struct paths *t, size_t *count)
{
    const struct profile *p = t->summary->profile;
    const struct paths_private *q = t->private;
    size_t n = 0;
    if (!q->line_of)
        return 0;
    struct path_timed *all = format_memory(calloc(p->timed_sample_count, sizeof *all));
    uint32_t *lines = line_indexes(t);
    for (size_t i = 0; i < p->timed_sample_count; i++) {
        const struct lpf_timed_sample *s = &p->timed_samples[i];
        if (s->kind == LPF_TIMED_ON_CPU && q->own_code[s->node])
            continue;
        struct timed_bins bins = timeline_bins_of(p, s);
        uint32_t line = q->line_of[s->node];
        all[n++] = (struct path_timed){ .node = q->logical[s->node],
                                        .line = line ? lines[line - 1] : LPF_NONE,
                                        .kind = s->kind, .weight = s->weight,
                                        .first = bins.first, .last = bins.last };
    }
    free(lines);
    *count = add_up(all, n);
    return all;
}
