/* sections_awaited.c - the section of the ranks that calls of MPI waited for. */
#include "dag/awaited.h"
#include "dag/job.h"
#include "libprof_format.h"
#include "output/sections.h"
#include "base/forbid.h"

/* Another thread may have counted a wait since the snapshot: the entries are kept a part of what
 * the context C has in it. */
static void emit(struct sections *s, const struct lpf_context *c)
{
    struct awaited_rank of[AWAITED_RANKS];
    uint64_t left = c->top_work_cost, left_count = c->top_count;
    uint32_t n = left ? awaited_of(c->id + 1, of) : 0;
    for (uint32_t i = 0; i < n; i++) {
        struct lpf_awaited e = { .context = c->id, .rank = of[i].rank, .count = of[i].count,
                                 .wait_cost = of[i].ticks };
        if (e.wait_cost > left || e.count > left_count)
            continue;
        left -= e.wait_cost;
        left_count -= e.count;
        buffer_add(&s->awaited, &e, sizeof e);
    }
}

static uint64_t with_at_least(const struct sections *s, uint64_t cost)
{
    const struct lpf_awaited *e = (const struct lpf_awaited *)s->awaited.data;
    uint64_t n = 0;
    for (size_t i = 0; i < s->awaited.used / sizeof *e; i++)
        n += e[i].wait_cost >= cost;
    return n;
}

/* Keeps the entries of the most time: MOST of them, or some less if several have as much. */
static void keep(struct sections *s, uint64_t most)
{
    struct lpf_awaited *e = (struct lpf_awaited *)s->awaited.data;
    uint64_t least = 0, kept = 0;
    if (s->awaited.used / sizeof *e <= most)
        return;
    for (uint64_t bit = 1ull << 63; bit; bit >>= 1) /* the largest cost that too many have */
        if (with_at_least(s, least | bit) > most)
            least |= bit;
    for (size_t i = 0; i < s->awaited.used / sizeof *e; i++)
        if (e[i].wait_cost > least)
            e[kept++] = e[i];
    s->awaited.used = kept * sizeof *e;
}

void sections_awaited(struct sections *s)
{
    const struct lpf_context *c = (const struct lpf_context *)s->contexts.data;
    if (!job.size)
        return;
    for (size_t i = 0; i < s->contexts.used / sizeof *c; i++)
        emit(s, &c[i]);
    uint64_t most = LPF_AWAITED_MOST / job.size;
    keep(s, most > LPF_AWAITED_LEAST ? most : LPF_AWAITED_LEAST);
}
