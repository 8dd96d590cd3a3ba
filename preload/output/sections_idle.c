/* sections_idle.c - the sections of idle time: its intervals, and what the runtime took of it. */
#include "libprof_format.h"
#include "output/sections.h"
#include "output/snapshot_private.h"
#include "base/forbid.h"

_Static_assert(IDLE_LEAST == LPF_IDLE_LEAST && IDLE_LEAST + IDLE_BUCKETS - 1 == LPF_IDLE_MOST &&
                   (int)IDLE_WORK == LPF_IDLE_WORK && (int)IDLE_WAIT == LPF_IDLE_WAIT &&
                   (int)IDLE_START == LPF_IDLE_START && (int)IDLE_END == LPF_IDLE_END,
               "the file has the same numbers");

static const struct idle none;

/* S's record of context ID. */
static const struct idle *record(const struct snapshot *s, uint32_t id, enum idle_kind kind)
{
    const struct idle_snapshot *x = &s->idle;
    uint32_t at = x->count ? x->at[IDLE_CONTEXTS * id + kind] : 0;
    return at ? &x->found[at - 1] : &none;
}

static void emit_intervals(struct sections *s, const struct idle *x, uint32_t context,
                           enum idle_kind kind, struct clock_rate rate)
{
    for (unsigned i = 0; i < IDLE_BUCKETS; i++) {
        struct lpf_idle e = { .context = context, .kind = kind, .octave = IDLE_LEAST + i,
                              .count = x->interval[i].count,
                              .ns = clock_ns(rate, x->interval[i].ticks) };
        if (e.count)
            buffer_add(&s->idle, &e, sizeof e);
    }
}

static void emit_phases(struct sections *s, const struct snapshot *snap, uint32_t id,
                        struct clock_rate rate)
{
    const struct idle_sum *start = &record(snap, id, IDLE_WORK)->latency;
    const struct idle_sum *end = &record(snap, id, IDLE_WAIT)->latency;
    struct lpf_phases e = { .context = id - 1, .starts = start->count,
                            .start_ns = clock_ns(rate, start->ticks), .ends = end->count,
                            .end_ns = clock_ns(rate, end->ticks) };
    if (e.starts || e.ends)
        buffer_add(&s->phases, &e, sizeof e);
}

static struct lpf_idle *largest(struct sections *s)
{
    struct lpf_idle *e = (struct lpf_idle *)s->idle.data, *most = e;
    for (size_t i = 0; i < s->idle.used / sizeof *e; i++)
        if (e[i].ns > most->ns)
            most = &e[i];
    return most;
}

/* The entries become NS in all. They are nearly that: each was rounded down, and a thread that runs
 * may have counted an interval since its idle time was read. */
static void add_up(struct sections *s, uint64_t ns)
{
    uint64_t sum = 0;
    const struct lpf_idle *e = (const struct lpf_idle *)s->idle.data;
    for (size_t i = 0; i < s->idle.used / sizeof *e; i++)
        sum += e[i].ns;
    if (ns > sum && !s->idle.used) {
        struct lpf_idle end = { .context = LPF_NONE, .kind = LPF_IDLE_END,
                                .octave = LPF_IDLE_LEAST, .count = 1 };
        buffer_add(&s->idle, &end, sizeof end);
    }
    if (ns > sum && s->idle.used)
        largest(s)->ns += ns - sum;
    while (sum > ns) {
        struct lpf_idle *most = largest(s);
        uint64_t off = most->ns < sum - ns ? most->ns : sum - ns;
        most->ns -= off;
        sum -= off;
    }
}

void sections_idle(struct sections *s, const struct snapshot *snap, struct clock_rate rate)
{
    uint32_t n = snap->context_count;
    for (uint32_t i = 1; i <= n; i++) {
        for (unsigned kind = 0; kind < IDLE_CONTEXTS; kind++)
            emit_intervals(s, record(snap, i % n, kind), i % n - 1, kind, rate);
        emit_phases(s, snap, i % n, rate);
    }
    for (unsigned kind = IDLE_CONTEXTS; kind < IDLE_KINDS; kind++)
        emit_intervals(s, &snap->idle.outside[kind - IDLE_CONTEXTS], LPF_NONE, kind, rate);
    struct lpf_idle_sum sum = { .own_ns = clock_ns(rate, snap->idle.own) };
    uint64_t ns = clock_ns(rate, snap->search_tsc) + clock_ns(rate, snap->sleep_tsc) + sum.own_ns;
    /* it is a part of that, but each was rounded down by itself */
    sum.off_dispatch_ns = at_most(clock_ns(rate, snap->idle.off_dispatch), ns);
    add_up(s, ns - sum.off_dispatch_ns);
    buffer_add(&s->idle_sum, &sum, sizeof sum);
}
