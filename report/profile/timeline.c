/* timeline.c - see timeline.h. */
#include "profile/timeline.h"

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
    return kind < TIMELINE_BLOCKED ? p->totals.sample_period_ns : LPF_OFF_CPU_NS;
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
