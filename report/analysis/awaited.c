/* awaited.c - see awaited.h. */
#include "analysis/awaited.h"
#include <stdlib.h>
#include "analysis/cause_cells.h"
#include "base/format.h"
#include "profile/profile.h"

static int by_rank(const void *a, const void *b)
{
    const struct awaited_rank *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_cost(const void *a, const void *b)
{
    const struct awaited_rank *x = a, *y = b;
    return x->cost != y->cost ? (x->cost < y->cost ? 1 : -1) : by_rank(a, b);
}

struct placed {
    uint32_t rank;
    size_t index;
};

static int by_number(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds up those of P's entries whose sites are OF it. */
static void collect(struct awaited *a, const struct profile *p, const bool *of)
{
    size_t n = 0;
    a->ranks = format_memory(calloc(p->awaited_count + 1, sizeof *a->ranks));
    for (size_t i = 0; i < p->awaited_count; i++) {
        const struct lpf_awaited *e = &p->awaited[i];
        if (of[p->contexts[e->context].site])
            a->ranks[n++] = (struct awaited_rank){ e->rank, e->count, e->wait_cost };
    }
    qsort(a->ranks, n, sizeof *a->ranks, by_rank);
    for (size_t i = 0; i < n; i++) {
        struct awaited_rank *last = a->count ? &a->ranks[a->count - 1] : NULL;
        if (!last || last->rank != a->ranks[i].rank) {
            a->ranks[a->count++] = a->ranks[i];
            continue;
        }
        add_capped(&last->count, a->ranks[i].count);
        add_capped(&last->cost, a->ranks[i].cost);
    }
    a->by_rank = format_memory(calloc(a->count + 1, sizeof *a->by_rank));
    struct placed *placed = format_memory(calloc(a->count + 1, sizeof *placed));
    qsort(a->ranks, a->count, sizeof *a->ranks, by_cost);
    for (size_t i = 0; i < a->count; i++)
        placed[i] = (struct placed){ a->ranks[i].rank, i };
    qsort(placed, a->count, sizeof *placed, by_number);
    for (size_t i = 0; i < a->count; i++)
        a->by_rank[i] = placed[i].index;
    free(placed);
}

/* Of the calls that are R, if that is given, and at PLACE, if that is. */
static void of_calls(struct awaited *a, const struct summary *m, const struct row *r,
                     const struct place *place)
{
    bool *of = format_memory(calloc(m->profile->site_count + 1, sizeof *of));
    *a = (struct awaited){ 0 };
    for (size_t i = 0; i < m->call_count; i++) {
        const struct row *call = &m->calls[i];
        struct place here = place_of_site(call);
        if ((r && call != r) || call->mpi & LPF_SITE_TRANSFER ||
            (place && (!place_is(&here, place) || summary_starts_or_ends_mpi(call))))
            continue;
        add_capped(&a->waits, call->top.work);
        for (uint32_t s = call->first; s != LPF_NONE; s = m->next_site[s])
            of[s] = true;
    }
    collect(a, m->profile, of);
    free(of);
}

void awaited_of(struct awaited *a, const struct summary *m, const struct row *r)
{
    of_calls(a, m, r, NULL);
}

void awaited_at(struct awaited *a, const struct summary *m, const struct place *place)
{
    of_calls(a, m, NULL, place);
}

size_t awaited_index(const struct awaited *a, uint32_t rank)
{
    size_t from = 0, to = a->count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (a->ranks[a->by_rank[middle]].rank <= rank)
            from = middle;
        else
            to = middle;
    }
    return a->by_rank[from];
}

void awaited_free(struct awaited *a)
{
    free(a->by_rank);
    free(a->ranks);
    *a = (struct awaited){ 0 };
}
