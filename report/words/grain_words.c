/* grain_words.c - how small tasks are, and how they become larger: see limit_words.h. */
#define _GNU_SOURCE
#include "base/format.h"
#include "layout/cost.h"
#include "profile/profile.h"
#include "words/limit_words.h"

/* An error of less than this part is not printed; of more than the other, the most is, instead. */
#define SURE 0.05
#define LOOSE 0.5

const char *limit_coarsen(const struct row *r)
{
    return r->recursive ? "End the recursion earlier, or make the grain larger"
                        : "Make the grain larger: more work in each task";
}

/* Of fewer values, not even the least and the largest are an interval of 95 % for the median: each
 * is on either side of it by the toss of a coin. */
#define ENOUGH_STEALS 6

char *limit_estimate(double took, double part)
{
    char a[FORMAT_SIZE];
    return took > 0   ? format_text("libprof took %s of its own cost off the strands, and no more "
                                    "than that is left", format_short_ns(took, a))
           : part > 0 ? format_text("%.0f %% of the samples in strands are libprof's", 100 * part)
                      : NULL;
}

unsigned limit_few_steals(const struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    return t->burden_source == LPF_BURDEN_MEASURED && t->burden_steals < ENOUGH_STEALS
               ? t->burden_steals
               : 0;
}

char *limit_steal(const struct summary *m)
{
    unsigned few = limit_few_steals(m->profile);
    char cost[FORMAT_SIZE];
    cost_short_text(m->profile, m->burden, cost);
    switch (m->profile->totals.burden_source) {
    case LPF_BURDEN_SETTING:
        return format_text("takes %s by the setting PROF_BURDEN", cost);
    case LPF_BURDEN_MEASURED:
        return few ? format_text("took %s, by %u steal%s alone", cost, few, few == 1 ? "" : "s")
                   : format_text("takes %s", cost);
    default:
        return format_text("is taken to cost %s, because none was measured", cost);
    }
}

/* What libprof takes off the strands for itself is an estimate, which may be half of the true cost.
 * The rest then is in the time that counts as the runtime's, beside what libprof slows the
 * runtime. */
char *limit_libprofs(const struct limits *l, double ns, double parts)
{
    char a[FORMAT_SIZE];
    if (l->ledger.own <= SURE * ns)
        return format_text("%s", "");
    return l->ledger.own < ns
               ? format_text("%s or more of that may be libprof's own",
                             format_short_ns(l->ledger.own / parts, a))
               : format_text("all of that may be libprof's own");
}

char *limit_own_code(const struct limits *l, const struct summary *m)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    double tasks = m->profile->totals.tasks, error = ratio(l->own_error, tasks);
    if (l->taken > 0 || error > LOOSE * l->task_own)
        return format_text("at most %s", cost_short_text(m->profile, ratio(l->own_most, tasks), a));
    cost_short_text(m->profile, l->task_own, a);
    return error < SURE * l->task_own
               ? format_text("%s", a)
               : format_text("%s (+- %s)", a, cost_short_text(m->profile, error, b));
}
