/* sections_timeline.c - the sections of the timeline, of samples with their times, and of the tasks
 * that were ready. Each thread's bins have a width of its own; here they get the width that the
 * whole run needs. Threads may go on meanwhile. */
#include <string.h>
#include "base/memory.h"
#include "dag/run.h"
#include "dag/thread.h"
#include "output/sections.h"
#include "libprof_format.h"
#include "sampling/ready.h"
#include "sampling/sampler.h"
#include "sampling/timed_samples.h"
#include "sampling/timeline.h"
#include "base/forbid.h"

_Static_assert(TIMELINE_BINS <= LPF_TIMELINE_MOST && TIMELINE_ROWS <= LPF_TIMELINE_ROWS_MOST,
               "the reader refuses more");

_Static_assert(2 * TIMED_MOST <= LPF_TIMED_MOST, "the reader refuses more");

/* Bins of all rows together, 32 bytes each: with more than 32 rows, the bins are wider. */
#define BINS_MOST 16384u

/* The sums of a row, while the sections are made: [TIMELINE_BINS]. */
static uint64_t (*sums)[TIMELINE_KINDS];
#define SUMS_BYTES (TIMELINE_BINS * sizeof *sums)
_Static_assert(sizeof(struct ready_bin) <= sizeof *sums, "the tasks' bins fit, too");

static uint32_t cut(uint64_t n)
{
    return n < UINT32_MAX ? n : UINT32_MAX;
}

static bool is_empty(const uint64_t *sum)
{
    uint64_t all = 0;
    for (unsigned k = 0; k < TIMELINE_KINDS; k++)
        all |= sum[k];
    return !all;
}

/* Adds TH's row, number ROW, and its bins, of SUMS. Without samples there is no row: 0. Else the
 * number of bins up to the last that has samples. */
static uint32_t emit_row(struct sections *s, const struct thread *th, const struct timelines *l,
                         uint32_t row)
{
    uint32_t bins = 0;
    for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
        const uint64_t *n = sums[i], *off = n + TIMELINE_ON_KINDS;
        if (is_empty(n))
            continue;
        struct lpf_timeline_bin e = {
            .row = row,
            .bin = i,
            .work = cut(n[TIMELINE_WORK]),
            .overhead = cut(n[TIMELINE_OVERHEAD]),
            .own = cut(n[TIMELINE_OWN]),
            .between = cut(n[TIMELINE_BETWEEN]),
            .blocked = cut(off[TIMELINE_BLOCKED]),
            .asleep = cut(off[TIMELINE_ASLEEP]),
        };
        buffer_add(&s->timeline_bins, &e, sizeof e);
        bins = i + 1;
    }
    struct lpf_timeline_row e = {
        .tid = th->tid,
        .name = buffer_string(&s->strings, l->tid == th->tid ? l->name : ""),
        .kind = th->kind,
    };
    if (bins)
        buffer_add(&s->timeline_rows, &e, sizeof e);
    return bins;
}

static void sum_up(const struct timelines *l, uint32_t shift)
{
    memset(sums, 0, SUMS_BYTES);
    timeline_sum(__atomic_load_n(&l->on_cpu, __ATOMIC_ACQUIRE), shift, 0, sums);
    timeline_sum(__atomic_load_n(&l->off_cpu, __ATOMIC_ACQUIRE), shift, TIMELINE_ON_KINDS, sums);
}

/* NULL: TH has no row. */
static const struct timelines *lines_of(const struct thread *th)
{
    const struct timelines *l = sampler_timelines(th);
    return l && __atomic_load_n(&l->row, __ATOMIC_RELAXED) == TIMELINE_HAS_ROW ? l : 0;
}

/* Adds the samples on the CPU, or OFF it, of nodes in the file. LAST: no time is later. Returns the
 * number of samples that they are of. */
static uint64_t emit_timed(struct sections *s, bool off, uint64_t last)
{
    uint64_t nodes = s->nodes.used / sizeof(struct lpf_node), kept = 0;
    struct timed_sample t;
    for (uint32_t slot = 0; slot < TIMED_MOST; slot++) {
        /* a sample that came meanwhile may have a node or a time of its own */
        if (!timed_read(off, slot, &t) || t.node >= nodes)
            continue;
        struct lpf_timed_sample e = { .node = t.node, .at = t.at < last ? t.at : last,
                                      .weight = t.weight,
                                      .kind = off ? LPF_TIMED_OFF_CPU : LPF_TIMED_ON_CPU };
        buffer_add(&s->timed_samples, &e, sizeof e);
        kept++;
    }
    uint64_t seen = timed_seen(off);
    return seen > TIMED_MOST ? seen : kept;
}

static void emit_all_timed(struct sections *s, struct clock_rate rate, uint64_t last)
{
    uint64_t unit_ns = clock_ns(rate, timeline_width);
    struct lpf_timed e = { .unit_ns = unit_ns ? unit_ns : 1 };
    e.on_cpu = emit_timed(s, false, last);
    e.off_cpu = emit_timed(s, true, last);
    if (s->timed_samples.used)
        buffer_add(&s->timed, &e, sizeof e);
}

/* Adds the tasks that were ready, if the run had tasks that could be. Returns the number of bins up
 * to the last in which they were counted. */
static uint32_t emit_ready(struct sections *s, uint32_t shift)
{
    struct ready_bin *n = (struct ready_bin *)sums;
    struct lpf_ready head = { .unknown = 0 };
    uint32_t bins = 0;
    bool any = ready_tasks(&head.unknown);
    if (!any && !head.unknown)
        return 0;
    memset(sums, 0, SUMS_BYTES);
    ready_sum(ready_counts(), shift, n);
    buffer_add(&s->ready, &head, sizeof head);
    for (uint32_t i = 0; any && i < TIMELINE_BINS; i++) {
        if (!n[i].samples)
            continue;
        struct lpf_ready_bin e = { .bin = i, .samples = cut(n[i].samples), .sum = n[i].sum,
                                   .most = n[i].most };
        buffer_add(&s->ready_bins, &e, sizeof e);
        bins = i + 1;
    }
    return bins;
}

void sections_timeline(struct sections *s, struct clock_rate rate)
{
    uint64_t elapsed = clock_ticks() - engine_start_tsc, rows = 0;
    const struct thread *first = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    for (const struct thread *th = first; th; th = th->next)
        rows += lines_of(th) != 0;
    uint32_t shift = timeline_shift(elapsed), row = 0, bins, used;
    while (bins = (elapsed / timeline_width >> shift) + 1, bins * rows > BINS_MOST)
        shift++;
    if (!rows || !(sums = memory_map(SUMS_BYTES)))
        return;
    for (const struct thread *th = first; th; th = th->next) {
        const struct timelines *l = lines_of(th);
        if (!l)
            continue;
        sum_up(l, shift);
        used = emit_row(s, th, l, row);
        row += used != 0;
        bins = used > bins ? used : bins;       /* of a sample that came meanwhile */
    }
    bins = row && (used = emit_ready(s, shift)) > bins ? used : bins;
    memory_unmap(sums, SUMS_BYTES);
    uint64_t bin_ns = clock_ns(rate, timeline_width << shift);
    struct lpf_timeline e = { .bin_ns = bin_ns ? bin_ns : 1, .bins = bins,
                              .unplaced = cut(timeline_unplaced()) };
    if (!row)
        return;
    buffer_add(&s->timeline, &e, sizeof e);
    emit_all_timed(s, rate, ((uint64_t)bins << shift) - 1);
}
