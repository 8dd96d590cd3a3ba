/* bound_words.c - what the parallelism allows, as sentences: see limit_words.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "output/limit_words.h"
#include "output/place_words.h"
#include "output/wait_words.h"
#include "profile/profile.h"

/* Spinning of more than this part of the span may have made the span much longer. */
#define SPINNING_PART 0.25
/* Where regions without loops that libprof sees have more than this part of the divided critical
 * path, it is no limit of the loops. */
#define STATIC_PART 0.5
/* Workers were kept from their work if they waited or idled for this share of the time. */
#define KEPT 0.15
/* Workers with less than this part of the idle time that too little parallelism makes hardly
 * idle. */
#define HARDLY_IDLE 0.5
/* Tasks below this part of LIMIT_SMALL_NS are small, whatever overhead was found. */
#define TINY 0.5

/* Is A less than B, also as printed? 1.9997 of 2 threads prints as "2.00", which is all of them. */
static bool reads_less(double a, double b)
{
    char one[FORMAT_SIZE], other[FORMAT_SIZE];
    return a < b && strcmp(format_ratio(a, one), format_ratio(b, other)) != 0;
}

/* Was most of the work in parallel regions that one thread executed? */
static bool is_team_of_one(const struct summary *m)
{
    double work = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (!strcmp(m->rows[i].construct, "parallel") && m->rows[i].threads == 1)
            work += m->rows[i].local.work;
    return work > 0.5 * m->profile->totals.work_cost;
}

/* Did threads wait for their turn in the order of a loop? */
static bool in_order(const struct summary *m)
{
    for (size_t i = 0; i < m->wait_count; i++)
        if (m->waits[i].in_order && m->waits[i].top.count)
            return true;
    return false;
}

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
    return r && r->hands_out && r->share > 0.5 && in_order(m);
}

/* Do all chunks of loops that a runtime reported have one iteration? */
static bool of_one_iteration(const struct summary *m)
{
    const struct profile *p = m->profile;
    return p->loop_count && p->loops->chunks && !p->loops->chunks_divided &&
           !p->loops->chunks_unknown;
}

/* States what bounds the parallelism: the algorithm, or a number that somebody chose. A is the
 * parallelism of the typical span, as text: a measured span may include interrupts, and is no
 * bound. *SHORTEN becomes true if a shorter critical path would help. */
static char *bound_of(const struct summary *m, const char *a, bool *shorten)
{
    char measured[FORMAT_SIZE], *part, *text;
    format_ratio(m->parallelism, measured);
    switch (summary_limited_by(m)) {
    case SETTING_THREADS:
        return format_text("the number of threads that the program started limits parallelism: the "
                           "program or a setting chose it, so it is no limit of the algorithm");
    case SETTING_TEAM:
        return format_text("%s: %s",
                           in_order(m) ? "the teams of threads, or the order of a loop's blocks, "
                                         "limit parallelism"
                                       : "the teams of threads limit parallelism",
                           of_one_iteration(m)
                               ? "all chunks of loops had one iteration, so a larger team may get "
                                 "no more parts"
                               : "a larger team may get more parts");
    case SETTING_TOKENS:
        return format_text("a pipeline limits parallelism: the number of its tokens, and its "
                           "longest serial filter");
    default:
        if (is_ordered(m))
            return format_text("the order of a loop's blocks, or the longest of them, limit "
                               "parallelism: a larger team changes neither");
        *shorten = true;
        part = long_part(m);
        text = format_text("with this run's tasks and their costs, no number of cores makes it "
                           "more than %s times as fast as one core%s%s",
                           a, *a && strcmp(a, measured) ? " (its parallelism if no strand had "
                                                          "taken far longer than "
                                                          "comparable strands)" : "", part);
        free(part);
        return text;
    }
}

char *limit_loops(const struct summary *m)
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

char *limit_long_chunk(const struct summary *m)
{
    const struct row *r = summary_long_chunk(m);
    bool iteration = r != NULL;
    char a[FORMAT_SIZE], times[64] = "nearly all of the time";
    if (!r && !(r = summary_unlike_chunk(m)))
        return NULL;
    format_short_ns(profile_ns(m->profile, r->longest), a);
    if (r->longest < r->local.work)
        snprintf(times, sizeof times, "%.*f times the mean of the others", !iteration,
                 (double)r->longest * (r->parts - 1) / (r->local.work - r->longest));
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

/* The sentence on loops that were cut, most for this run's P workers, and divide further. */
static char *divisible(const struct summary *m, unsigned p, bool *shorten)
{
    char a[FORMAT_SIZE], *loops = limit_loops(m), *text;
    char *but = limit_long_chunk(m);
    format_ratio(m->parallelism, a);
    if (but)
        text = format_text("%s. %s", loops, but);
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p)
        text = format_text("%s. If so, that is ample: %s, and %s is the limit of this cut, not of "
                           "the loops. A long iteration allows less.",
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

/* The sentence on a span with strands that the machine may have made longer. */
static char *without_outliers(const struct summary *m, unsigned p, bool *shorten)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const char *plural = p == 1 ? "" : "s";
    format_ratio(m->parallelism, a);
    format_about(m->typical_parallelism, b);
    if (!reads_less(m->typical_parallelism, (double)LIMIT_AMPLE * p))
        return format_text("Parallelism is %s as measured, but about %s if no strand had taken far "
                           "longer than comparable strands, for example by interrupts: ample "
                           "for %u worker%s.",
                           a, b, p, plural);
    char *bound = bound_of(m, b, shorten);
    bool none = *shorten;       /* the sentence has stated the number already */
    bound[0] = toupper((unsigned char)bound[0]);
    char *text = format_text("Parallelism is %s as measured, and about %s if no strand had taken "
                             "far longer than comparable strands, for example by interrupts: less "
                             "than ten times its %u worker%s.%s%s%s",
                             a, b, p, plural, none ? "" : " ", none ? "" : bound,
                             none ? "" : ".");
    free(bound);
    return text;
}

/* Is WHAT among the findings, and not for lack of a processor? */
static bool is_found(const struct limits *l, enum limit what)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->found[i].what == what && l->found[i].why != REASON_PREEMPTED)
            return true;
    return false;
}

/* Is so much of the work spinning that without it the span could be much shorter? */
static bool spins(const struct limits *l, const struct summary *m)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->found[i].what == LIMITED_BY_SPINNING)
            return l->found[i].ns > SPINNING_PART * m->span;
    return false;
}

/* The sentences in the place of those on bounds, where strands waited much. */
static char *standing(const struct limits *l, const struct summary *m)
{
    char a[FORMAT_SIZE], *bounds = wait_bounds(l, m);
    char *text = format_text("Parallelism, work / span, is %s. %s",
                             format_ratio(m->parallelism, a), bounds);
    free(bounds);
    return text;
}

/* Did the workers wait for each other, or idle, for a good part of the time, and not for lack of a
 * processor? */
static bool were_kept(const struct limits *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if ((l->found[i].what == LIMITED_BY_WAITS || l->found[i].what == LIMITED_BY_IDLENESS) &&
            l->found[i].why != REASON_PREEMPTED && l->found[i].share >= KEPT)
            return true;
    return false;
}

/* Parallelism as much as P, the workers. Where each part has a thread, all threads had as much to
 * do. */
static char *just_enough(const struct limits *l, const struct summary *m, unsigned p,
                         bool *shorten)
{
    char a[FORMAT_SIZE], most[FORMAT_SIZE];
    enum summary_setting by = summary_limited_by(m);
    bool balanced = by == SETTING_TEAM || by == SETTING_THREADS;
    format_ratio(m->parallelism, a);
    if (balanced && were_kept(l))
        return format_text("Parallelism %s nearly equals its %u workers: each had as much work. "
                           "What made them wait or idle is the limit before the number of "
                           "threads.",
                           a, p);
    char *bound = bound_of(m, format_ratio(m->typical_parallelism, most), shorten);
    char *text = format_text("Parallelism %s nearly equals its %u workers: %s: %s. Whether the "
                             "work itself grew with the workers (memory, shared cache lines), one "
                             "run does not show: prof bench does.",
                             a, p,
                             balanced ? "the work was balanced. More workers need more parts"
                                      : "just enough, if no worker has to wait for others",
                             bound);
    free(bound);
    return text;
}

/* Parallelism below the P workers. They idle for the rest of the time, unless strands off the CPU
 * fill it. */
static char *below_workers(const struct limits *l, const struct summary *m, unsigned p)
{
    char a[FORMAT_SIZE];
    double idle = ratio(ledger_idle(&l->ledger), l->ledger.all),
           least = 1 - ratio(m->parallelism, p);
    format_ratio(m->parallelism, a);
    if (!l->ledger.known || idle > HARDLY_IDLE * least || l->ledger.blocked < least * l->ledger.all)
        return format_text("Parallelism %s is less than its %u worker%s: some of them must idle.",
                           a, p, p == 1 ? "" : "s");
    return format_text("Parallelism %s is less than its %u workers, yet they idled for %.0f %% "
                       "only: while strands were off the CPU, others may have taken their work.",
                       a, p, 100 * idle);
}

/* Small tasks that have most of the work: a sentence, with a space before it, or "". The overhead
 * that they cost may be too little of a run that others kept from the processors. */
static char *small_tasks(const struct limits *l, const struct summary *m)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const struct lpf_totals *t = &m->profile->totals;
    const struct row *r = limits_most_tasks(m);
    double mean = r && r->parts ? profile_ns(m->profile, r->local.work) / r->parts : 0;
    bool small = r && !r->as_executed && t->ns_num && r->tasks > 0.5 * t->tasks &&
                 r->local.work > 0.5 * t->work_cost && mean < TINY * LIMIT_SMALL_NS &&
                 strcmp(profile_string(m->profile, t->clock), "virtual");
    for (unsigned i = 0; i < l->count && i < 2; i++)
        small &= l->found[i].why != REASON_SMALL_TASKS;
    if (!small)
        return format_text("%s", "");
    char *tasks = place_of_tasks(r);
    char *text = format_text(" The %s %s take %s each, and a runtime needs 0.1 to 1 us for each. "
                             "%s.",
                             format_count(r->tasks, a), tasks, format_short_ns(mean, b),
                             limit_coarsen(r));
    free(tasks);
    return text;
}

/* Did one worker execute what is parallel, where there was more than one processor? Threads of the
 * program's own may be so short that no two were seen at a time. */
static bool is_worker_alone(const struct summary *m)
{
    return m->profile->totals.workers == 1 && profile_processors(m->profile) > 1 &&
           m->parallelism > LIMIT_SERIAL && summary_limited_by(m) != SETTING_THREADS;
}

static char *bound_words(const struct limits *l, const struct summary *m, bool *shorten)
{
    *shorten = false;
    unsigned p = m->profile->totals.workers ? m->profile->totals.workers : 1;
    const char *plural = p == 1 ? "" : "s";
    char a[FORMAT_SIZE];
    if (m->standstill.much)
        return standing(l, m);
    if (spins(l, m))
        return format_text("Parallelism, work / span, is %s. The critical path may contain time "
                           "in which threads waited on the CPU, so this bounds no speedup.",
                           format_ratio(m->parallelism, a));
    if (l->own_part > LIMIT_MOSTLY_LIBPROF && m->parallelism < LIMIT_AMPLE * p)
        return format_text("Parallelism, work / span, is %s, but %.0f %% of the samples in strands "
                           "are libprof's, so this bounds no speedup. Larger tasks show more.",
                           format_ratio(m->parallelism, a), 100 * l->own_part);
    if (summary_loops_divide(m) && m->parallelism < LIMIT_AMPLE * p)
        return divisible(m, p, shorten);
    if (summary_has_outliers(m) && m->parallelism < LIMIT_AMPLE * p &&
        m->typical_parallelism > LIMIT_SERIAL)
        return without_outliers(m, p, shorten);
    format_ratio(m->parallelism, a);
    if (m->parallelism <= LIMIT_SERIAL && is_team_of_one(m))
        return format_text("Its parallel regions had one thread each. Run it with more threads to "
                           "see their parallelism.");
    if (m->parallelism <= LIMIT_SERIAL)
        return format_text("It is serial: work and span are nearly the same.");
    if (p > 1 && m->parallelism > p / LIMIT_SERIAL && m->parallelism < p * LIMIT_SERIAL)
        return just_enough(l, m, p, shorten);
    if (reads_less(m->parallelism, p))
        return below_workers(l, m, p);
    if (reads_less(m->parallelism, (double)LIMIT_AMPLE * p)) {
        char most[FORMAT_SIZE],
            *bound = bound_of(m, format_ratio(m->typical_parallelism, most), shorten);
        char *text = p == 1 ? format_text("Parallelism %s keeps one worker busy, but bounds more "
                                          "workers: %s.",
                                          a, bound)
                            : format_text("Parallelism %s is less than ten times its %u workers: "
                                          "load balance begins to cost, and %s.",
                                          a, p, bound);
        free(bound);
        return text;
    }
    unsigned more = m->parallelism < 1e6 ? m->parallelism / LIMIT_AMPLE : 1e5;
    if (p == 1 && more > 1)
        return format_text("Parallelism %s is ample for %u workers (ten times as much). This run "
                           "had one.", a, more);
    return format_text("Parallelism %s is ample for %u worker%s (ten times as much, or more)%s.", a,
                       p, plural,
                       l->count && l->ledger.work < 0.5 * l->ledger.all
                           ? ": it is not what keeps this run from being faster"
                           : "");
}

char *limit_bound(const struct limits *l, const struct summary *m, bool *shorten)
{
    char *bound = bound_words(l, m, shorten), *small = small_tasks(l, m), *alone;
    alone = is_worker_alone(m)
                ? format_text(" It had one worker on %u processors: see what limits it (an arena, "
                              "global_control, a number of threads).",
                              profile_processors(m->profile))
                : format_text("%s", "");
    char *text = format_text("%s%s%s", bound, small, alone);
    free(bound);
    free(small);
    free(alone);
    return text;
}

const char *limit_unbounded(const struct limits *l, const struct summary *m)
{
    if (m->parallelism <= LIMIT_SERIAL)
        return 0;
    if (is_found(l, LIMITED_BY_WAITS))
        return "No bound contains the time that strands waited to enter critical sections or "
               "take locks: there, the program gains less.";
    if (!m->standstill.much && (m->standstill.threads || is_found(l, LIMITED_BY_BLOCKING)))
        return "No bound contains the time that strands wait for each other: where they do, the "
               "program gains less.";
    return 0;
}

char *limit_parallelism(const struct limits *l, const struct summary *m)
{
    bool shorten;
    char *bound = limit_bound(l, m, &shorten);
    const char *more = limit_unbounded(l, m);
    char *text = format_text("%s%s%s%s", bound, shorten ? " Shorten the critical path." : "",
                             more ? " " : "", more ? more : "");
    free(bound);
    return text;
}
