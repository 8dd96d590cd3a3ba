/* certainty.c - see certainty.h. */
#include "analysis/certainty.h"
#include <string.h>
#include "base/format.h"
#include "profile/profile.h"

const char *const certainty_names[CERTAINTIES] = { "exact",     "as executed", "sampled",
                                                   "estimated", "lower bound", "upper bound",
                                                   "not exact" };

static const char thread[] = "pthread_create";

static bool has_notes(const struct summary *m, enum lpf_note_kind kind)
{
    return m->note_kinds & 1u << kind;
}

static enum certainty hidden(const struct summary *m)
{
    return has_notes(m, LPF_NOTE_NOT_EXACT) ? CERTAIN_NOT : CERTAIN_LOWER_BOUND;
}

/* Did this run's workers decide where loops were cut, or may they have? */
static bool may_be_cut_by_runtime(const struct summary *m)
{
    return m->cut.by_runtime || profile_chunks_unsaid(m->profile);
}

enum certainty certainty_span(const struct summary *m)
{
    return !m->profile->totals.exact                   ? hidden(m)
           : m->standstill.threads                     ? CERTAIN_LOWER_BOUND
           : m->as_executed || may_be_cut_by_runtime(m) || has_notes(m, LPF_NOTE_EXECUTED) ||
                   m->pooled
               ? CERTAIN_EXECUTED
               : CERTAIN_EXACT;
}

const char *certainty_caveat(const struct summary *m, bool loud)
{
    switch (certainty_span(m)) {
    case CERTAIN_LOWER_BOUND: return loud ? "a LOWER BOUND" : "a lower bound";
    case CERTAIN_NOT: return loud ? "NOT EXACT" : "not exact";
    default: return 0;
    }
}

char *certainty_estimate(const struct own_share *own)
{
    char a[FORMAT_SIZE];
    return own->taken > 0
               ? format_text("libprof took %s of its own cost off the strands, and no more than "
                             "that is left", format_short_ns(own->taken, a))
           : own->large ? format_text("%.0f %% of the samples in strands are libprof's",
                                      100 * ratio(own->own, own->samples))
                        : NULL;
}

enum certainty certainty_divisible(const struct summary *m)
{
    const struct profile *p = m->profile;
    enum certainty span = certainty_span(m);
    /* The mean of a chunk's iterations bounds nothing, so the figure is no lower bound, either. */
    return span != CERTAIN_NOT && p->loop_count && p->loops->chunks_divided ? CERTAIN_ESTIMATED
                                                                            : span;
}

/* May the runtime cut the work of CONSTRUCT to suit the number of workers? "parallel" and "teams"
 * are here because a region's threads execute loops; "task" is here because
 * libomp gives the tasks of a taskloop that name. */
static bool cuts_loops(const char *construct)
{
    static const char *const cut[] = { "parallel_for",
                                       "parallel_for_each",
                                       "parallel_reduce",
                                       "parallel_deterministic_reduce",
                                       "parallel_scan",
                                       "parallel_sort",
                                       "std::execution::par",
                                       "std::execution",
                                       "parallel",
                                       "parallel for",
                                       "parallel sections",
                                       "sections",
                                       "teams",
                                       "taskloop",
                                       "task" };
    for (unsigned i = 0; i < sizeof cut / sizeof cut[0]; i++)
        if (!strcmp(construct, cut[i]))
            return true;
    return false;
}

bool certainty_is_executed(const struct summary *m, const struct row *r)
{
    return r->as_executed || r->cut.by_runtime ||
           (m->pooled && r->tasks > 1 && !strcmp(r->construct, thread)) ||
           (profile_chunks_unsaid(m->profile) && cuts_loops(r->construct));
}

/* Did this run decide the order of R's messages or items? Notes name these constructs. */
static bool is_ordered(const struct summary *m, const struct row *r)
{
    return (m->ordered.flow && !strncmp(r->construct, "flow::", 6)) ||
           (m->ordered.pipeline && !strcmp(r->construct, "parallel_pipeline"));
}

enum certainty certainty_of_row(const struct summary *m, const struct row *r)
{
    const struct profile *p = m->profile;
    /* What R spawned has sites of its own. Any of these may be the one that is not exact. */
    bool spawns_others = r->top.work > r->local.work;
    if (!p->totals.exact &&
        (r->lower_bound || spawns_others || r->root || has_notes(m, LPF_NOTE_LOSS)))
        return hidden(m);
    if (m->standstill.threads && (r->root || spawns_others || !strcmp(r->construct, thread)))
        return CERTAIN_LOWER_BOUND;
    if (r->root || spawns_others)
        return p->totals.exact ? certainty_span(m) : CERTAIN_EXECUTED;
    return certainty_is_executed(m, r) || is_ordered(m, r) ? CERTAIN_EXECUTED : CERTAIN_EXACT;
}

enum certainty certainty_of_measured(enum certainty c, bool own)
{
    return own && (c == CERTAIN_EXACT || c == CERTAIN_EXECUTED) ? CERTAIN_ESTIMATED : c;
}

enum certainty certainty_of_ratio(enum certainty span)
{
    return span == CERTAIN_LOWER_BOUND ? CERTAIN_UPPER_BOUND : span;
}

enum certainty certainty_of_row_work(const struct row *r, bool own)
{
    return own ? CERTAIN_ESTIMATED : r->took_others ? CERTAIN_UPPER_BOUND : CERTAIN_EXACT;
}

enum certainty certainty_of_row_ratio(enum certainty work, enum certainty span)
{
    return work == CERTAIN_UPPER_BOUND && (span == CERTAIN_EXACT || span == CERTAIN_EXECUTED)
               ? CERTAIN_UPPER_BOUND
               : certainty_of_ratio(span);
}

bool certainty_is_sampled(const char *function, const struct path_cost *c)
{
    return c->samples || !path_in_brackets(function);
}

/* Of fewer values, not even the least and the largest are an interval of 95 % for the median: each
 * is on either side of it by the toss of a coin. */
#define ENOUGH_STEALS 6

unsigned certainty_few_steals(const struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    return t->burden_source == LPF_BURDEN_MEASURED && t->burden_steals < ENOUGH_STEALS
               ? t->burden_steals
               : 0;
}
