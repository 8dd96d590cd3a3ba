/* timeline.c - see timeline.h. */
#define _GNU_SOURCE
#include "analysis/timeline.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"

/* The main thread comes first, then the workers, then other threads. */
static int rank(const struct lpf_timeline_row *r)
{
    return r->kind == LPF_THREAD_MAIN ? 0 : r->kind == LPF_THREAD_WORKER ? 1 : 2;
}

static int by_kind(const void *a, const void *b, void *closure)
{
    const struct lpf_timeline_row *x = ((const struct timeline_row *)a)->row,
                                  *y = ((const struct timeline_row *)b)->row;
    const struct profile *p = closure;
    int order = rank(x) - rank(y);
    if (!order)
        order = strcmp(profile_string(p, x->name), profile_string(p, y->name));
    return order ? order : x->tid < y->tid ? -1 : x->tid > y->tid;
}

void timeline_new(struct timeline *t, const struct profile *p)
{
    *t = (struct timeline){ .p = p, .count = p->timeline_row_count };
    t->rows = format_memory(calloc(t->count + 1, sizeof *t->rows));
    for (size_t i = 0; i < t->count; i++)
        t->rows[i].row = &p->timeline_rows[i];
    for (size_t i = 0; i < p->timeline_bin_count; i++) {
        const struct lpf_timeline_bin *b = &p->timeline_bins[i];
        struct timeline_row *r = &t->rows[b->row];
        if (!r->count++)
            r->bins = b;
        for (unsigned k = 0; k < TIMELINE_KINDS; k++)
            t->samples[k] += timeline_count(b, k);
    }
    qsort_r(t->rows, t->count, sizeof *t->rows, by_kind, (void *)p);
}

void timeline_free(struct timeline *t)
{
    free(t->rows);
    t->rows = 0;
}

char *timeline_label(const struct timeline *t, const struct timeline_row *r)
{
    static const char *const kinds[] = { "main", "thread", "worker", "thread" };
    const char *name = profile_string(t->p, r->row->name);
    char *clean = format_clean(*name ? name : kinds[r->row->kind < 4 ? r->row->kind : 3]);
    char *label = format_text("%s %" PRIu64, clean, r->row->tid);
    free(clean);
    return label;
}
