/* bound_reason.c - what bounds the parallelism, in words: see bound_private.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "profile/profile.h"
#include "words/bound_private.h"
#include "words/place_words.h"

/* ", of which 99 % is one of the 501 tasks of parallel for at main (x.c:6)", or that between
 * barriers, where chunks are short, the critical path is long; "": neither is known. */
static char *long_part(const struct summary *m)
{
    const struct row *r = summary_long_task(m);
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], *tasks, *text;
    double between;
    if (r) {
        tasks = place_of_tasks(r);
        text = format_text(". One of %s %s takes %s, %.0f %% of the critical path",
                           format_count(r->parts, a), tasks,
                           format_short_ns(profile_ns(m->profile, r->longest), b),
                           100 * ratio(r->longest, m->profile->totals.span_cost));
        free(tasks);
        return text;
    }
    if (!(r = summary_long_between(m, &between)))
        return format_text("%s", "");
    tasks = place_of_row(r);
    text = format_text(". From barrier to barrier of the region at %s, the path is %s on average, "
                       "but a mean chunk of its loops at most %s: so most of it is long "
                       "iterations, code that one thread executes alone (single, master), or "
                       "loops that libprof does not see",
                       tasks, format_short_ns(between, a),
                       format_short_ns(profile_ns(m->profile, r->local.work) / r->parts, c));
    free(tasks);
    return text;
}

/* Did threads wait for their turn in the order of a loop, in the region that has most of the
 * critical path and hands out its chunks? */
static bool is_ordered(const struct summary *m)
{
    const struct row *r = summary_heaviest(m);
    return r && r->hands_out && r->share > 0.5 && summary_in_order(m);
}

/* Did the teams of the critical path have chunks of one iteration, and no thread more than one at a
 * time? A loop of many such chunks may be another region's. */
static bool of_one_iteration(const struct summary *m)
{
    const struct profile *p = m->profile;
    const struct row *r = summary_heaviest(m);
    return r && r->by_team && p->loop_count && p->loops->chunks && !p->loops->chunks_divided &&
           !p->loops->chunks_unknown && p->loops->chunks <= r->tasks;
}

/* ". Another run may have another order, and more or less parallelism", where that is so; else "".
 * The caller frees it. */
static char *in_run_order(const struct summary *m)
{
    return format_text("%s%s",
                       !summary_in_run_order(m) ? ""
                                                : ". Another run may have another order, and more "
                                                  "or less parallelism",
                       m->ordered.limited ? "; and a concurrency limit of a flow graph's nodes, a "
                                            "setting, may be what limits it"
                                          : "");
}

/* Waits for critical sections and locks, of so much of the work, may be what a larger team has more
 * of. */
#define EXCLUDED 0.05

/* What a larger team than that of the critical path gains. */
static const char *larger_team(const struct summary *m)
{
    const struct row *longest;
    return summary_in_order(m) ? "if it is the order, a larger team gains nothing"
           : summary_exclusion(m, &longest) > EXCLUDED * m->work
               ? "a larger team may get more parts, but waits longer for the critical sections or "
                 "locks that strands waited for here"
           : of_one_iteration(m)
               ? "their loops or sections had one iteration for each thread, so a larger team may "
                 "get no more parts"
               : "a larger team may get more parts";
}

char *bound_reason(const struct summary *m, const char *a, bool *shorten)
{
    char measured[FORMAT_SIZE], *part, *order, *text;
    format_ratio(m->parallelism, measured);
    switch (summary_limited_by(m)) {
    case SETTING_THREADS:
        return format_text("the number of threads that the program started limits parallelism: the "
                           "program or a setting chose it, so it is no limit of the algorithm");
    case SETTING_TEAM:
        return format_text("%s: %s",
                           summary_in_order(m) ? "the teams of threads, or the order of a loop's "
                                                 "blocks, limit parallelism"
                                               : "the teams of threads limit parallelism",
                           larger_team(m));
    case SETTING_RANKS:
        return format_text("%s: a larger job may divide the work into more parts",
                           summary_has_parallel_ranks(m)
                               ? "the number of ranks, and of parts within each, limits parallelism"
                               : "the number of ranks limits parallelism");
    case SETTING_TOKENS:
        return format_text("a pipeline limits parallelism: the number of its tokens, and its "
                           "longest serial filter");
    default:
        if (is_ordered(m))
            return format_text("the order of a loop's blocks, or the longest of them, limit "
                               "parallelism: a larger team changes neither");
        *shorten = true;
        part = long_part(m);
        order = in_run_order(m);
        text = format_text("with this run's tasks%s, no number of cores makes it more than %s "
                           "times as fast as one core%s%s%s",
                           *order ? ", their costs and its order of messages" : " and their costs",
                           a, *a && strcmp(a, measured) ? " (its parallelism if no strand had "
                                                          "taken far longer than "
                                                          "comparable strands)" : "", part, order);
        free(order);
        free(part);
        return text;
    }
}
