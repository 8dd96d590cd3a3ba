/* timeline.c - see timeline.h. */
#include "profile/timeline.h"
#include <math.h>

const char *const timeline_names[TIMELINE_KINDS] = {
    "work", "overhead", "own", "between", "blocked", "asleep"
};

uint32_t timeline_count(const struct lpf_timeline_bin *b, enum timeline_kind kind)
{
    const uint32_t n[TIMELINE_KINDS] = { b->work,    b->overhead, b->own,
                                         b->between, b->blocked,  b->asleep };
    return n[kind];
}

uint64_t timeline_sample_ns(const struct profile *p, enum timeline_kind kind)
{
    return kind < TIMELINE_BLOCKED ? p->totals.sample_period_ns : p->totals.off_cpu_ns;
}

static bool row_is_sound(const struct profile *p, const struct lpf_timeline_row *r)
{
    return r->name < p->strings_size;
}

static bool bin_is_sound(const struct profile *p, const struct lpf_timeline_bin *b)
{
    return b->row < p->timeline_row_count && b->bin < p->timeline->bins &&
           (b->work || b->overhead || b->own || b->between || b->blocked || b->asleep);
}

static bool is_before(const struct lpf_timeline_bin *a, const struct lpf_timeline_bin *b)
{
    return a->row < b->row || (a->row == b->row && a->bin < b->bin);
}

bool timeline_check(const struct profile *p)
{
    const struct lpf_timeline *t = p->timeline;
    if (!p->timeline_count && !p->timeline_row_count && !p->timeline_bin_count)
        return true;
    bool ok = p->timeline_count == 1 && t->bin_ns && t->bin_ns < 1ull << 54 && t->bins &&
              t->bins <= LPF_TIMELINE_MOST && p->timeline_row_count &&
              p->timeline_row_count <= LPF_TIMELINE_ROWS_MOST;
    for (size_t i = 0; ok && i < p->timeline_row_count; i++)
        ok = row_is_sound(p, &p->timeline_rows[i]);
    for (size_t i = 0; ok && i < p->timeline_bin_count; i++)
        ok = bin_is_sound(p, &p->timeline_bins[i]) &&
             (!i || is_before(&p->timeline_bins[i - 1], &p->timeline_bins[i]));
    return ok;
}

/* ---- samples with their times ---- */

struct timed_part timeline_timed(const struct profile *p, enum lpf_timed_kind kind)
{
    struct timed_part part = { .seen = kind == LPF_TIMED_ON_CPU ? p->timed->on_cpu
                                                                : p->timed->off_cpu };
    for (size_t i = 0; i < p->timed_sample_count; i++)
        part.kept += p->timed_samples[i].kind == kind;
    return part;
}

struct timed_bins timeline_bins_of(const struct profile *p, const struct lpf_timed_sample *s)
{
    const struct lpf_timeline *t = p->timeline;
    double one = timeline_sample_ns(p, s->kind == LPF_TIMED_ON_CPU ? TIMELINE_WORK
                                                                   : TIMELINE_BLOCKED),
           middle = (s->at + 0.5) * p->timed->unit_ns, half = (s->weight - 1) * one / 2,
           first = floor((middle - half) / t->bin_ns), last = floor((middle + half) / t->bin_ns);
    return (struct timed_bins){ fmin(fmax(first, 0), t->bins - 1), fmin(last, t->bins - 1) };
}

bool timeline_check_timed(const struct profile *p)
{
    const struct lpf_timed *t = p->timed;
    uint64_t n[2] = { 0 };
    if (!p->timed_count && !p->timed_sample_count)
        return true;
    if (p->timed_count != 1 || !p->timeline_count || !t->unit_ns ||
        t->unit_ns > p->timeline->bin_ns || p->timed_sample_count > LPF_TIMED_MOST)
        return false;
    /* a time below this is in the last bin or before */
    uint64_t end = (p->timeline->bins * p->timeline->bin_ns - 1) / t->unit_ns + 1;
    bool ok = true;
    for (size_t i = 0; ok && i < p->timed_sample_count; i++) {
        const struct lpf_timed_sample *s = &p->timed_samples[i];
        ok = s->node < p->node_count && s->at < end && s->weight && s->kind <= LPF_TIMED_OFF_CPU;
        n[ok && s->kind]++;
    }
    return ok && n[0] <= t->on_cpu && n[1] <= t->off_cpu;
}

/* ---- tasks that were ready ---- */

bool timeline_check_ready(const struct profile *p)
{
    if (!p->ready_count && !p->ready_bin_count)
        return true;
    bool ok = p->ready_count == 1 && p->timeline_count;
    for (size_t i = 0; ok && i < p->ready_bin_count; i++) {
        const struct lpf_ready_bin *b = &p->ready_bins[i];
        ok = b->bin < p->timeline->bins && (!i || b[-1].bin < b->bin) && b->samples &&
             b->most <= b->sum && (unsigned __int128)b->most * b->samples >= b->sum;
    }
    return ok;
}

struct timeline_ready timeline_ready_all(const struct profile *p)
{
    struct timeline_ready n = { 0 };
    for (size_t i = 0; i < p->ready_bin_count; i++)
        timeline_ready_add(&n, &p->ready_bins[i]);
    return n;
}
