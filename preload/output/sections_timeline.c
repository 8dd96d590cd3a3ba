/* sections_timeline.c - the sections of the timeline. Each thread's bins have a width of its own;
 * here they get the width that the whole run needs. Threads may go on meanwhile. */
#include <string.h>
#include "dag/run.h"
#include "dag/thread.h"
#include "output/sections.h"
#include "libprof_format.h"
#include "sampling/sampler.h"
#include "sampling/timeline.h"
#include "base/forbid.h"

_Static_assert(TIMELINE_BINS == LPF_TIMELINE_MOST, "bins");

/* The sums of a row: work, overhead, own, between, blocked, asleep. */
static uint64_t sums[TIMELINE_BINS][6];

static uint32_t cut(uint64_t n)
{
    return n < UINT32_MAX ? n : UINT32_MAX;
}

static bool is_empty(const uint64_t *sum)
{
    uint64_t all = 0;
    for (unsigned k = 0; k < 6; k++)
        all |= sum[k];
    return !all;
}

/* Adds the bins of row ROW, which has SLOTS slots, the last of them that of TH and L. Without
 * samples there is no row. False: so it is. */
static bool emit_row(struct sections *s, const struct thread *th, const struct timelines *l,
                     uint32_t row, uint32_t slots)
{
    bool any = false;
    for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
        const uint64_t *n = sums[i];
        if (is_empty(n))
            continue;
        struct lpf_timeline_bin e = { .row = row, .bin = i, .work = cut(n[0]),
                                      .overhead = cut(n[1]), .own = cut(n[2]),
                                      .between = cut(n[3]), .blocked = cut(n[4]),
                                      .asleep = cut(n[5]) };
        buffer_add(&s->timeline_bins, &e, sizeof e);
        any = true;
    }
    if (!any)
        return false;
    struct lpf_timeline_row e = {
        .tid = slots == 1 ? th->tid : 0,
        .name = buffer_string(&s->strings, slots == 1 && l->tid == th->tid ? l->name : ""),
        .kind = slots == 1 ? th->kind : LPF_THREAD_UNKNOWN,
        .slots = slots,
    };
    buffer_add(&s->timeline_rows, &e, sizeof e);
    return true;
}

static void sum_up(const struct timelines *l, uint32_t shift)
{
    timeline_sum(__atomic_load_n(&l->on_cpu, __ATOMIC_ACQUIRE), shift, 0, 4, sums);
    timeline_sum(__atomic_load_n(&l->off_cpu, __ATOMIC_ACQUIRE), shift, 4, 2, sums);
}

void sections_timeline(struct sections *s, struct clock_rate rate)
{
    uint32_t shift = timeline_shift(clock_ticks() - engine_start_tsc), all = 0, row = 0, others = 0;
    const struct thread *first = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE), *last = 0;
    for (const struct thread *th = first; th; th = th->next)
        all += sampler_timelines(th) != 0;
    /* The newest come first. The oldest have rows of their own: the program's and the workers'. */
    uint32_t newest = all <= LPF_TIMELINE_ROWS_MOST ? 0 : all - (LPF_TIMELINE_ROWS_MOST - 1);
    static uint64_t folded[TIMELINE_BINS][6];
    memset(folded, 0, sizeof folded);
    for (const struct thread *th = first; th; th = th->next) {
        const struct timelines *l = sampler_timelines(th);
        if (!l)
            continue;
        memset(sums, 0, sizeof sums);
        sum_up(l, shift);
        if (others < newest) {
            for (uint32_t i = 0; i < TIMELINE_BINS; i++)
                for (unsigned k = 0; k < 6; k++)
                    folded[i][k] += sums[i][k];
            others++;
            last = th;
        } else if (emit_row(s, th, l, row, 1)) {
            row++;
        }
    }
    memcpy(sums, folded, sizeof sums);
    if (others)
        row += emit_row(s, last, 0, row, others);
    uint64_t bin_ns = clock_ns(rate, timeline_width << shift);
    uint64_t bins = ((clock_ticks() - engine_start_tsc) / timeline_width >> shift) + 1;
    struct lpf_timeline e = { .bin_ns = bin_ns ? bin_ns : 1,
                              .bins = bins < TIMELINE_BINS ? bins : TIMELINE_BINS };
    if (row)
        buffer_add(&s->timeline, &e, sizeof e);
}
