/* bound_words.c - what the parallelism allows, as sentences: see bound_words.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "profile/profile.h"
#include "words/bound_private.h"
#include "words/bound_words.h"
#include "words/limit_words.h"
#include "words/place_words.h"
#include "words/wait_words.h"

/* Spinning of more than this part of the span may have made the span much longer. */
#define SPINNING_PART 0.25
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
    char *bound = bound_reason(m, b, shorten);
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

/* Of threads that have as much work each, but may have waited for each other. The caller frees
 * it. */
static char *had_order(const struct summary *m)
{
    char a[FORMAT_SIZE];
    uint64_t delay = 0;
    if (!m->standstill.unseen)
        return format_text("each was as long on the CPU, but they may have waited for each other");
    profile_run_delay_ns(m->profile, &delay);
    return format_text("each was as long on the CPU. Whether they waited for each other, this run "
                       "does not show: they lacked a processor for %s, and a thread that yields "
                       "while it waits does so, too",
                       format_short_ns(delay, a));
}

/* A task of so much of the critical path decides when the program ends. */
#define ONE_TASK 0.75

/* ". The longest of the tasks spawned at f (x.c:9) is 98 % of the critical path: where it begins
 * late, workers idle at the end", if bound_of has not named it; "": none is so long. A thread's
 * begin is no runtime's choice. */
static char *one_task(const struct summary *m)
{
    const struct row *best = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        if (!r->root && !r->by_team && r->longest <= r->local.work &&
            (r->parts > 1 || (r->parts == 1 && strcmp(r->construct, "pthread_create") != 0)) &&
            (!best || r->longest > best->longest))
            best = r;
    }
    double share = best ? ratio(best->longest, m->profile->totals.span_cost) : 0;
    if (share < ONE_TASK || share > 1 || summary_long_task(m))
        return format_text("%s", "");
    char *tasks = best->parts > 1 ? place_of_tasks(best) : place_of_task(best);
    char *text = format_text(". The %s %s is %.0f %% of the critical path: where it begins late, "
                             "workers idle at the end",
                             best->parts > 1 ? "longest of the" : "only", tasks, 100 * share);
    free(tasks);
    return text;
}

/* Parts with a thread each that have so much of the critical path leave no other phase that could
 * be unbalanced. */
#define ONE_PHASE 0.9

/* Has each part of nearly all of the critical path a thread of its own, by BY? Then parallelism as
 * much as the threads shows that all had as much to do. */
static bool has_equal_threads(const struct summary *m, enum summary_setting by)
{
    double share = 0;
    if (by == SETTING_RANKS)
        return !summary_has_parallel_ranks(m);
    for (size_t i = 0; i < m->row_count; i++)
        if (by == SETTING_TEAM ? m->rows[i].by_team
                               : !strcmp(m->rows[i].construct, "pthread_create"))
            share += m->rows[i].share;
    return (by == SETTING_TEAM || by == SETTING_THREADS) && share >= ONE_PHASE;
}

/* Parallelism as much as P, the workers. Where each part has a thread, all threads had as much to
 * do. */
static char *just_enough(const struct limits *l, const struct summary *m, unsigned p, bool growth,
                         bool *shorten)
{
    char a[FORMAT_SIZE], most[FORMAT_SIZE];
    enum summary_setting by = summary_limited_by(m);
    bool balanced = has_equal_threads(m, by);
    format_ratio(m->parallelism, a);
    if (summary_of_one(m, NULL))
        return format_text("Parallelism %s nearly equals its %u workers.", a, p);
    if (balanced && were_kept(l))
        return format_text("Parallelism %s nearly equals its %u workers: each was as long on the "
                           "CPU. What made them wait or idle is the limit before the number of "
                           "threads.",
                           a, p);
    char *bound = bound_reason(m, format_ratio(m->typical_parallelism, most), shorten);
    /* where threads may have waited for each other, their number may limit nothing */
    bool order = balanced && (m->standstill.threads || m->standstill.unseen);
    char *waits = order ? had_order(m) : 0, *longest = one_task(m);
    char *text = format_text("Parallelism %s nearly equals its %u workers: %s%s%s%s.%s", a, p,
                             order      ? waits
                             : by == SETTING_THREADS && balanced
                                 ? "each had as much work, if none waits in a loop on the CPU, "
                                   "which counts as work. More workers need more parts"
                             : balanced ? "the work was balanced, if no thread waits in a loop on "
                                          "the CPU, which counts as work. More workers need more "
                                          "parts"
                                        : "just enough, if no worker has to wait for others",
                             order ? "" : ": ", order ? "" : bound, longest,
                             growth ? " Whether the work itself grew with the workers (memory, "
                                      "shared cache lines), one run does not show: prof bench does."
                                    : "");
    free(bound);
    free(longest);
    free(waits);
    return text;
}

/* Are all tasks threads? Then no other takes the work of one that waits. */
static bool has_threads_only(const struct summary *m)
{
    for (size_t i = 0; i < m->row_count; i++)
        if (!m->rows[i].root && strcmp(m->rows[i].construct, "pthread_create") != 0)
            return false;
    return true;
}

/* Threads that share out their work evenly have about this much parallelism, for each of them. */
#define EACH 0.9

/* Is a setting what limits a parallelism below the P workers? Threads may also be unequal, or too
 * few of them run at a time: then it is not their number. */
static bool is_set(const struct summary *m, unsigned p)
{
    enum summary_setting by = summary_limited_by(m);
    const struct row *r = summary_heaviest(m);
    if (by == SETTING_TOKENS)
        return true;
    if (!r || !has_equal_threads(m, by))
        return false;
    double threads = by == SETTING_TEAM ? r->threads
                                        : limits_at_a_time(r->tasks, r->on_local.count);
    return threads < p && m->parallelism >= EACH * threads;
}

/* " The number of threads ... limits parallelism ...", if that holds of a parallelism below the P
 * workers; else "". */
static char *set_below(const struct summary *m, unsigned p)
{
    bool shorten;
    if (!is_set(m, p))
        return format_text("%s", "");
    char *bound = bound_reason(m, "", &shorten);
    bound[0] = toupper((unsigned char)bound[0]);
    char *text = format_text(" %s.", bound);
    free(bound);
    return text;
}

/* Parallelism below the P workers. They idle for the rest of the time, unless strands off the CPU
 * fill it. */
static char *below_workers(const struct limits *l, const struct summary *m, unsigned p)
{
    char a[FORMAT_SIZE], *set = set_below(m, p), *text;
    const char *rest = m->profile->rank_count > 1
                           ? "the rest of that time they were in MPI, or strands were off the CPU"
                       : has_threads_only(m)
                           ? "the rest of that time strands were off the CPU"
                           : "while strands were off the CPU, others may have taken their work";
    double idle = ratio(l->ledger.idle, l->ledger.all),
           least = 1 - ratio(m->parallelism, p);
    bool idled = !l->ledger.known || idle > HARDLY_IDLE * least ||
                 l->ledger.blocked < least * l->ledger.all;
    unsigned processors = profile_processors(m->profile);
    format_ratio(m->parallelism, a);
    if (l->crowded && m->parallelism >= processors)
        text = format_text("Parallelism %s is less than its %u workers, but no less than the %u "
                           "processor%s that they shared.%s", a, p, processors,
                           processors == 1 ? "" : "s", set);
    else if (idled)
        text = format_text("Parallelism %s is less than its %u worker%s: some of them must idle.%s",
                           a, p, p == 1 ? "" : "s", set);
    else
        text = format_text("Parallelism %s is less than its %u workers, yet they idled for %.0f %% "
                           "only: %s.%s",
                           a, p, 100 * idle, rest, set);
    free(set);
    return text;
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
    bool taken = summary_taken_most(m, r) > 0;
    if (taken)                  /* of too much that was taken off, no more is missing */
        mean += summary_taken(m, r->tasks) / r->parts;
    char *text = format_text(" The %s %s take %s%s each, and a runtime needs 0.05 to 1 us for "
                             "each. %s.",
                             format_count(r->tasks, a), tasks, taken ? "at most " : "",
                             format_short_ns(mean, b), limit_coarsen(r));
    free(tasks);
    return text;
}

/* Threads of the program's own may be so short that no two were seen at a time. */
bool bound_is_alone(const struct summary *m)
{
    return m->profile->totals.workers == 1 && profile_processors(m->profile) > 1 &&
           m->parallelism > LIMIT_SERIAL && summary_limited_by(m) != SETTING_THREADS;
}

static char *bound_words(const struct limits *l, const struct summary *m, bool growth,
                         bool *shorten)
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
    if (l->taken > 0 || (l->own_part > 0 && m->parallelism < LIMIT_AMPLE * p)) {
        char *why = limit_estimate(l->taken, l->own_part),
             *text = format_text("Parallelism, work / span, is about %s, an estimate: %s. So this "
                                 "bounds no speedup. Larger tasks show more.",
                                 format_ratio(m->parallelism, a), why);
        free(why);
        *shorten = !(l->taken > 0) && l->own_part < LIMIT_MOSTLY_LIBPROF &&
                   m->parallelism > p * LIMIT_SERIAL;
        return text;
    }
    if (summary_loops_divide(m) && m->parallelism < LIMIT_AMPLE * p)
        return bound_divisible(l, m, p, shorten);
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
        return just_enough(l, m, p, growth, shorten);
    if (reads_less(m->parallelism, p))
        return below_workers(l, m, p);
    if (reads_less(m->parallelism, (double)LIMIT_AMPLE * p)) {
        char most[FORMAT_SIZE],
            *bound = bound_reason(m, format_ratio(m->typical_parallelism, most), shorten),
            *longest = one_task(m);
        char *text = p == 1 ? format_text("Parallelism %s keeps one worker busy, but bounds more "
                                          "workers: %s.",
                                          a, bound)
                            : format_text("Parallelism %s is less than ten times its %u workers: "
                                          "load balance begins to cost, and %s%s.",
                                          a, p, bound, longest);
        free(bound);
        free(longest);
        return text;
    }
    unsigned more = m->parallelism < 1e6 ? m->parallelism / LIMIT_AMPLE : 1e5;
    if (p == 1 && more > 1)
        return format_text("Parallelism %s is ample for %u workers (ten times as much). This run "
                           "had one.", a, more);
    return format_text("Parallelism %s is ample for %u worker%s (ten times as much, or more)%s.", a,
                       p, plural,
                       l->count && !(l->spun > 0) && !summary_of_one(m, NULL) &&
                               l->ledger.work < 0.5 * l->ledger.all
                           ? ": it is not what keeps this run from being faster"
                           : "");
}

char *bound_of_one(const struct summary *m)
{
    double work;
    char a[FORMAT_SIZE];
    const struct row *r = summary_of_one(m, &work);
    if (!r)
        return NULL;
    char *place = place_of_row(r);
    char *text = format_text("But parallel regions ran in teams of one thread with %s of the work, "
                             "%.0f %% of it, most at %s: one thread alone executed each of them, "
                             "whatever the parallelism. Larger teams can share it.",
                             format_short_ns(work, a), 100 * ratio(work, m->work), place);
    free(place);
    return text;
}

/* Where threads waited on the CPU, no bound knows for what. A sentence, with a space before it, or
 * "": it is in another sentence, or they did not. */
static char *spun(const struct limits *l, const struct summary *m)
{
    if (!(l->spun > 0) || m->standstill.much || spins(l, m) || m->parallelism <= LIMIT_SERIAL)
        return format_text("%s", "");
    return format_text(" %.0f %% of the work is in sched_yield, a spinning lock or a loop that "
                       "only waits, where threads wait for each other. No bound has what they wait "
                       "for: a lock that one thread has at a time may allow far less.",
                       fmax(1, 100 * l->spun));
}

char *bound_sentence(const struct limits *l, const struct summary *m, bool growth,
                     bool *shorten)
{
    char *bound = bound_words(l, m, growth, shorten), *small = small_tasks(l, m), *alone;
    char *waits = spun(l, m);
    alone = bound_is_alone(m)
                ? format_text(" It had one worker on %u processors: see what limits it (an arena, "
                              "global_control, a number of threads).",
                              profile_processors(m->profile))
                : format_text("%s", "");
    char *one = bound_of_one(m);
    char *text = format_text("%s%s%s%s%s%s", bound, one ? " " : "", one ? one : "", waits, small,
                             alone);
    free(one);
    free(bound);
    free(waits);
    free(small);
    free(alone);
    return text;
}

const char *bound_lacks(const struct limits *l, const struct summary *m)
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

char *bound_parallelism(const struct limits *l, const struct summary *m)
{
    bool shorten;
    char *bound = bound_sentence(l, m, true, &shorten);
    const char *more = bound_lacks(l, m);
    char *text = format_text("%s%s%s%s", bound, shorten ? " Shorten the critical path." : "",
                             more ? " " : "", more ? more : "");
    free(bound);
    return text;
}
