/* certainty.c - see certainty.h. */
#include "analysis/certainty.h"
#include <string.h>
#include "profile/profile.h"

const char *const certainty_names[CERTAINTIES] = { "exact",     "as executed", "sampled",
                                                   "estimated", "lower bound", "upper bound",
                                                   "not exact" };

static bool has_notes(const struct model *m, enum lpf_note_kind kind)
{
    return m->note_kinds & 1u << kind;
}

/* Chunks of loops that this run's workers decided on, or may have. */
static bool has_chunks(const struct profile *p)
{
    return p->loop_count && (p->loops->chunks_divided || p->loops->chunks_unknown);
}

static enum certainty hidden(const struct model *m)
{
    return has_notes(m, LPF_NOTE_NOT_EXACT) ? CERTAIN_NOT : CERTAIN_LOWER_BOUND;
}

enum certainty certainty_span(const struct model *m)
{
    return !m->profile->totals.exact                  ? hidden(m)
           : m->as_executed || has_chunks(m->profile) ? CERTAIN_EXECUTED
                                                      : CERTAIN_EXACT;
}

enum certainty certainty_divisible(const struct model *m)
{
    const struct profile *p = m->profile;
    return p->totals.exact && p->loop_count && p->loops->chunks_divided ? CERTAIN_ESTIMATED
                                                                        : certainty_span(m);
}

/* A region's threads have loops inside; libomp calls the tasks of a taskloop tasks. */
bool certainty_cuts_loops(const char *construct)
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

enum certainty certainty_of_row(const struct model *m, const struct row *r)
{
    const struct profile *p = m->profile;
    /* what it spawned has sites of its own, of which any may be the one */
    bool spawns_others = r->top.work > r->local.work;
    if (!p->totals.exact &&
        (r->lower_bound || spawns_others || r->root || has_notes(m, LPF_NOTE_LOSS)))
        return hidden(m);
    if (r->root || spawns_others)
        return p->totals.exact ? certainty_span(m) : CERTAIN_EXECUTED;
    return r->as_executed || (has_chunks(p) && certainty_cuts_loops(r->construct))
               ? CERTAIN_EXECUTED
               : CERTAIN_EXACT;
}

enum certainty certainty_of_ratio(enum certainty span)
{
    return span == CERTAIN_LOWER_BOUND ? CERTAIN_UPPER_BOUND : span;
}

bool certainty_is_sampled(const char *function, const struct path_cost *c)
{
    return c->samples || *function != '[';
}
