/* bound_loops.c - loops that were cut, in words: see bound_words.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "base/format.h"
#include "profile/profile.h"
#include "words/bound_private.h"
#include "words/bound_words.h"

/* Where regions without loops that libprof sees have more than this part of the divided critical
 * path, it is no limit of the loops. */
#define STATIC_PART 0.5

char *bound_loops(const struct summary *m)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    unsigned p = m->profile->totals.workers ? m->profile->totals.workers : 1;
    if (!summary_loops_divide(m))
        return NULL;
    format_ratio(m->parallelism, a);
    format_about(m->divisible_parallelism, b);
    if (summary_cut_by_program(m))
        return format_text("Parallelism is %s as the program cut its loops; their iterations allow "
                           "about %s (estimated, as if those of a chunk cost the same)",
                           a, b);
    if (summary_cut_by_either(m))
        return format_text("Parallelism is %s as the loops were cut; their iterations allow about "
                           "%s (estimated, as if those of a chunk cost the same)",
                           a, b);
    return format_text("Parallelism is %s as %sthe loops were cut for %u worker%s; their "
                       "iterations allow about %s (estimated, as if those of a chunk cost the "
                       "same)",
                       a, m->cut.by_program + m->cut.sized ? "some of " : "", p,
                       p == 1 ? "" : "s", b);
}

const char *bound_finer(const struct summary *m)
{
    return summary_of_one(m, NULL)
               ? "Loops that ran in teams of one thread gain by more workers only in larger teams"
           : summary_in_inner_regions(m)
               ? "Most are in regions inside other tasks, whose teams may have had one thread "
                 "each: if so, only larger teams cut them finer"
           : summary_cut_by_program(m) ? "A smaller grain or chunk size cuts them finer"
           : summary_cut_by_either(m)
               ? "More workers, or a smaller chunk or grain size if the program sets one, cut them "
                 "finer"
               : "A runtime cuts them finer for more workers";
}

char *bound_long_chunk(const struct summary *m)
{
    const struct row *r = summary_long_chunk(m);
    bool iteration = r != NULL;
    char a[FORMAT_SIZE], times[64] = "nearly all of the time";
    if (!r && !(r = summary_unlike_chunk(m)))
        return NULL;
    if (summary_is_of_one(r))   /* a runtime may hand a whole loop to a team of one */
        return NULL;
    format_short_ns(profile_ns(m->profile, r->longest), a);
    if (r->longest < r->local.work)
        snprintf(times, sizeof times, "%.*f times the mean of the others", !iteration,
                 (double)r->longest * (r->parts - 1) / (r->local.work - r->longest));
    if (r->beside)
        return format_text("But what a thread did beside its chunks took %s: smaller chunks do not "
                           "make that shorter.",
                           a);
    return iteration ? format_text("But one chunk took %s, %s of its loop: if one iteration does, "
                                   "smaller chunks do not help, and that iteration is the limit.",
                                   a, times)
                     : format_text("But one chunk took %s, %s, of as many iterations: these do "
                                   "not cost the same, and may allow far less. How much, smaller "
                                   "chunks would show.",
                                   a, times);
}

/* The share of the divided critical path that is in a region without loops that libprof sees, at
 * most. */
static double team_divided(const struct summary *m)
{
    double longest = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].by_team && !(m->rows[i].cut.by_runtime + m->rows[i].cut.by_program) &&
            m->rows[i].on_local.span > longest)
            longest = m->rows[i].on_local.span;
    return ratio(profile_ns(m->profile, longest), m->divisible_span);
}

/* What makes more chunks. */
static const char *finer(const struct summary *m)
{
    return summary_cut_by_program(m) ? "a smaller grain or chunk size makes more and smaller chunks"
           : summary_cut_by_either(m)
               ? "more workers, or a smaller chunk or grain size if the program sets one, make "
                 "more and smaller chunks"
               : "more workers get more and smaller chunks";
}

char *bound_divisible(const struct limits *l, const struct summary *m, unsigned p, bool *shorten)
{
    char a[FORMAT_SIZE], *loops = bound_loops(m), *text;
    char *but = bound_long_chunk(m);
    format_ratio(m->parallelism, a);
    if (summary_of_one(m, NULL))       /* bound_of_one follows */
        text = format_text("%s.", loops);
    else if (but)
        text = format_text("%s. %s", loops, but);
    else if (summary_in_inner_regions(m))
        text = format_text("%s. But most of the critical path is in regions inside other tasks, "
                           "whose teams may have had one thread each: if so, only teams of more "
                           "threads divide them (see omp_get_max_active_levels), or more tasks "
                           "around them.",
                           loops);
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p && l->spun > 0)
        text = format_text("%s, if none waits for another. The cut limits it to %s.", loops, a);
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p)
        text = format_text("%s. If so, and if none waits for another, that is ample: %s, and %s is "
                           "the limit of this cut, not of the loops. A long iteration allows less.",
                           loops, finer(m), a);
    else if (team_divided(m) > STATIC_PART)
        text = format_text("%s. Not among these iterations is what threads of a region do outside "
                           "of the loops that libprof sees, as in static loops of gcc: more "
                           "threads may divide it, too.", loops);
    else {
        *shorten = true;
        text = format_text("%s, less than ten times the workers%s.", loops,
                           p == 1 ? "" : ": load balance begins to cost");
    }
    free(loops);
    free(but);
    return text;
}
