/* limit_words.c - see limit_words.h. A sentence states what was measured. It calls possible what
 * does not follow from that. */
#define _GNU_SOURCE
#include "output/limit_words.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "output/cost.h"
#include "output/place_words.h"
#include "output/text_page.h"
#include "output/wait_words.h"
#include "profile/profile.h"
#include "symbols/name_in_words.h"
#include "symbols/names.h"

/* Spinning of more than this part of the span may have made the span much longer. */
#define SPINNING_PART 0.25
/* Where regions without loops that libprof sees have more than this part of the divided critical
 * path, it is no limit of the loops. */
#define STATIC_PART 0.5
/* What may be less than this part of idle time is not worth a sentence. */
#define NO_MORE 0.05
/* If libprof has more of the samples in strands than this, work and span are mostly its own. */
#define MOSTLY_LIBPROF 0.5

const char *limit_coarsen(const struct row *r)
{
    return r->recursive ? "End the recursion earlier, or make the grain larger"
                        : "Make the grain larger: more work in each task";
}

char *limit_processors(const struct profile *p)
{
    unsigned n = profile_processors(p);
    return n && p->totals.workers > n ? format_text(" on %u processor%s", n, n == 1 ? "" : "s")
                                      : format_text("%s", "");
}

char *limit_overview(const struct limits *l, const struct summary *m)
{
    static const char *const names[LIMITS] = {
        "overhead of the runtime",  "libprof itself", "idle for lack of parallelism",
        "idle, kept out by others", "idle",           "off the CPU inside strands",
        "spinning for locks",
    };
    const struct lpf_totals *t = &m->profile->totals;
    size_t size = 0;
    char *text = NULL;
    if (!l->ledger.known || l->ledger.all <= 0)
        return 0;
    FILE *f = format_memory(open_memstream(&text, &size));
    fprintf(f, l->ledger.crowd ? "Of the time of all its threads, on %u worker%s, "
                               : "Of the time of its %u worker%s, ",
            t->workers, t->workers == 1 ? "" : "s");
    for (unsigned i = 0; i < l->count; i++) {
        bool rest = false;
        for (unsigned k = 0; k < l->count; k++)
            rest |= l->found[i].what == LIMITED_BY_IDLENESS &&
                    (l->found[k].what == LIMITED_BY_SPAN || l->found[k].what == LIMITED_BY_WAITS);
        fprintf(f, "%s%s%.0f %% was %s%s", i ? ", " : "",
                l->found[i].what == LIMITED_BY_SPAN ? "up to " : "", 100 * l->found[i].share,
                names[l->found[i].what], rest ? " for other reasons" : "");
    }
    double spun = 0;
    for (unsigned i = 0; i < l->count; i++)
        spun += l->found[i].what == LIMITED_BY_SPINNING ? l->found[i].ns : 0;
    double own = 100 * ratio(fmax(l->ledger.work - spun, 0), l->ledger.all);
    bool all = !l->count && own >= 99.5;
    fprintf(f, "%s%.0f %% %sthe program's own work.", l->count ? "; " : all ? "nothing but " : "",
            own, l->count || all ? "" : "was ");
    fclose(f);
    return format_memory(text);
}

static char *overhead(const struct limits *l, const struct finding *f, const struct summary *m)
{
    const struct lpf_totals *t = &m->profile->totals;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE], e[FORMAT_SIZE];
    char *start = format_text("The runtime took %s, %.0f %% of %s",
                              format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile));
    char *place = f->row ? place_of_row(f->row) : 0, *text;
    char *tasks = f->row ? place_of_tasks(f->row) : 0;
    if (f->why == REASON_BARRIERS)
        text = format_text("%s: barriers in inner loops at %s, one each %s of the program's own "
                           "code. Fewer barriers (nowait, larger loops between them), or none on "
                           "one thread.",
                           start, place, format_short_ns(l->task_own, b));
    else if (f->why == REASON_SMALL_TASKS)
        text = format_text(
            "%s: overhead of tasking. %s tasks have %s of the program's own code "
            "each on average, and the runtime took %s for each of them%s. %s of them, the "
            "most of one site, are %s. %s.",
            start, format_count(t->tasks, b), format_short_ns(l->task_own, c),
            format_short_ns(f->ns / t->tasks, d),
            l->ledger.own > 0 ? ", beside libprof, which slows it (caches): without libprof it "
                                "takes less"
                              : "",
            format_count(f->row->tasks, e), tasks, limit_coarsen(f->row));
    else
        text = format_text("%s, inside strands %s of it, though tasks are not small (%s of the "
                           "program's own code on average).",
                           start, format_short_ns(l->ledger.inside, b),
                           format_short_ns(l->task_own, c));
    free(start);
    free(place);
    free(tasks);
    return text;
}

static char *libprof(const struct finding *f, const struct summary *m)
{
    const struct lpf_totals *t = &m->profile->totals;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    return format_text("libprof itself took %s, %.0f %% of %s, %s for each of %s "
                       "tasks. So idle time and waits differ from those of a run without "
                       "libprof, which is faster.",
                       format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile),
                       format_short_ns(ratio(f->ns, t->tasks ? t->tasks : 1), b),
                       format_count(t->tasks, c));
}

/* F is idle time because of a few long tasks. */
static char *uneven(const struct finding *f, const struct summary *m)
{
    const struct row *r = f->row;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    char *tasks = place_of_tasks(r);
    char *text = format_text("%s %s, of %s each, cannot share %u workers evenly: split them. This "
                             "explains up to %s of idle time, %.0f %% of %s.",
                             format_count(r->tasks, a), tasks,
                             format_short_ns(profile_ns(m->profile, r->local.work) / r->parts, b),
                             m->profile->totals.workers, format_ns(f->ns, c), 100 * f->share,
                             place_of_time(m->profile));
    free(tasks);
    return text;
}

static char *span(const struct finding *f, const struct summary *m)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (f->row)
        return uneven(f, m);
    return format_text("Too little parallelism (%s) explains up to %s of idle time, %.0f %% of %s.",
                       format_ratio(m->parallelism, b), format_ns(f->ns, a), 100 * f->share,
                       place_of_time(m->profile));
}

static char *waits(const struct finding *f, const struct summary *m)
{
    char a[FORMAT_SIZE], *function = text_function(f->row), *origin = name_origin(function),
                         *name = name_fit(origin, 60), *place = text_place(f->row);
    char *text = format_text(
        "Strands waited %s, %.0f %% of %s, to enter critical "
        "sections or take locks, longest in %s (%s%s%s). Work and span do not contain this time. "
        "So the program may gain less than its parallelism allows.",
        format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile), name, place,
        *place ? ", " : "", f->row->construct);
    free(function);
    free(origin);
    free(name);
    free(place);
    return text;
}

/* The reason that one thread executed F's TASKS. */
static char *alone(const struct finding *f, const char *tasks)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const struct row *r = f->row;
    if (!strcmp(r->construct, "parallel"))
        return format_text("one thread did %.0f %% of the work of all %s. See what the others wait "
                           "for. If the region is nested, see whether its teams have more threads "
                           "than one (OMP_MAX_ACTIVE_LEVELS).",
                           100 * ratio(r->busiest_work, r->local.work), tasks);
    return format_text("one thread executed %s of the %s %s, %.0f %% of their work.%s",
                       format_count(r->busiest_tasks, a), format_count(r->tasks, b), tasks,
                       100 * ratio(r->busiest_work, r->local.work),
                       f->why == REASON_UNDEFERRED
                           ? " OpenMP runtimes run a task at once, in the thread that makes "
                             "it, where too many wait already (libgomp: 64 for each thread): "
                             "make fewer at a time, or let several threads make them."
                           : " See who makes these tasks, and where they may run.");
}

/* NS are a row of the ledger, of all idle time. F is idle time that nothing else explains. */
static const char *part_of(const struct finding *f, double ns)
{
    return ns <= f->ns ? "it" : "all idle time";
}

/* Idle workers that had no CPU have a row of the ledger. REST: a sentence on the others, if there
 * are any. */
static char *ready(const struct limits *l, const struct finding *f, const char *rest)
{
    char a[FORMAT_SIZE];
    bool all = l->ledger.ready >= (1 - NO_MORE) * f->ns;
    return format_text("for %s of %s, workers could have run, but other threads and programs had "
                       "the processors.%s%s",
                       format_short_ns(l->ledger.ready, a), part_of(f, l->ledger.ready),
                       all ? "" : " ", all ? "" : rest);
}

/* Strands without a CPU have another row than idle workers, which may have waited for them. */
static char *preempted(const struct limits *l, const struct finding *f, const struct summary *m)
{
    char a[FORMAT_SIZE];
    unsigned n = profile_processors(m->profile);
    if (l->crowded)
        return format_text("%u workers shared %u processor%s: at most %u of them ran at a time, "
                           "and others may have waited for those that did not.",
                           m->profile->totals.workers, n, n == 1 ? "" : "s", n);
    if (l->ledger.ready >= LIMIT_WORTH * l->ledger.all)
        return ready(l, f, "The others may have waited for them.");
    return format_text("strands could have run for %s more, but other threads and programs had the "
                       "processors. Idle workers may have waited for these strands.",
                       format_short_ns(fmax(l->preempted, 0), a));
}

/* Was the first thread off the CPU before others had started? */
static bool first_thread_waited(const struct limits *l, const struct summary *m)
{
    return m->standstill.root > 0.25 * l->ledger.absent;
}

/* Slots without a thread. A runtime's threads start with the first tasks. */
static char *absent(const struct limits *l, const struct finding *f, const struct summary *m,
                    const struct paths *t)
{
    char a[FORMAT_SIZE];
    char *outside = first_thread_waited(l, m) ? wait_outside(m, t) : 0;
    char *text = format_text("for %s of %s, %s: %s.%s%s", format_short_ns(l->ledger.absent, a),
                             part_of(f, l->ledger.absent),
                             m->profile->totals.workers == 2 ? "there was no second worker"
                                                             : "worker slots had no thread",
                             outside ? "runtimes start threads with the first tasks"
                                     : "threads started late or ended early, as in a short run",
                             outside ? " " : "", outside ? outside : "");
    free(outside);
    return text;
}

/* The reason of finding F. TASKS and PLACE are its row's, if it has one. */
static char *why_idle(const struct limits *l, const struct finding *f, const struct summary *m,
                      const struct paths *paths, const char *tasks, const char *place)
{
    const struct row *r = f->row;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    double mean = r ? profile_ns(m->profile, r->local.work) / (r->parts ? r->parts : 1) : 0;
    switch (f->why) {
    case REASON_BARRIERS:
        return format_text("its threads wait for each other at the barriers in inner loops at %s, "
                           "one each %s of its threads' own code. Fewer barriers (nowait, larger "
                           "loops between them).",
                           place, format_short_ns(l->task_own, a));
    case REASON_ONE_THREAD:
    case REASON_UNDEFERRED:
        return alone(f, tasks);
    case REASON_SMALL_TASKS:
        return format_text("the %s take %s on average, less than a steal, which takes %s.", tasks,
                           format_short_ns(mean, a), format_short_ns(m->burden, b));
    case REASON_FEW_TASKS:
        return format_text("there may be too few tasks at a time: about %.1f %s for %u workers, "
                           "of %s each.",
                           limits_at_a_time(r->parts, r->on_local.count), tasks,
                           m->profile->totals.workers, format_short_ns(mean, a));
    case REASON_PREEMPTED:
        return preempted(l, f, m);
    case REASON_ABSENT:
        return absent(l, f, m, paths);
    case REASON_UNEQUAL:
        return format_text("the %s are unequal: together they have only %.2f times the work of "
                           "the longest one. Make them equal: a loop by a dynamic schedule or "
                           "smaller chunks.",
                           tasks, ratio(r->local.work, r->on_local.span));
    case REASON_OFF_CPU:
        return format_text("there was one worker, off the CPU between its strands: it waited, or "
                           "others had the processor.");
    default:
        if (l->ledger.ready >= LIMIT_WORTH * l->ledger.all)
            return ready(l, f, "This profile does not show what else kept tasks from the idle "
                               "workers.");
        return format_text("this profile does not show what kept tasks from the idle workers.");
    }
}

static char *idleness(const struct limits *l, const struct finding *f, const struct summary *m,
                      const struct paths *paths)
{
    const struct lpf_totals *t = &m->profile->totals;
    const struct row *r = f->row;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    char *tasks = r ? place_of_tasks(r) : 0, *place = r ? place_of_row(r) : 0,
         *why = why_idle(l, f, m, paths, tasks, place);
    bool further = false;       /* a larger part is in a sentence before this one */
    for (const struct finding *before = l->found; before < f; before++)
        further |= before->what == LIMITED_BY_SPAN;
    bool span_too = l->span_too > NO_MORE * f->ns;
    char *text = format_text(
        "%s idle for %s%s, %.0f %% of %s%s: %s%s%s%s",
        t->workers < 2 ? "The worker was" : "Workers were", further ? "another " : "",
        format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile),
        t->workers < 2 || span_too ? "" : ", and parallelism does not explain it", why,
        span_too ? " Too little parallelism may explain up to " : "",
        span_too ? format_short_ns(l->span_too, b) : "",
        span_too ? " of it, too." : "");
    free(place);
    free(tasks);
    free(why);
    return text;
}

/* ---- spinning ---- */

static char *spinning(const struct finding *f, const struct summary *m)
{
    char *place = f->caller ? place_of_node(f->caller) : 0;
    char *text = format_text("%.0f %% of the work is in sched_yield or a spinning lock%s%s: "
                             "threads wait there for each other. This is not work, though work and "
                             "span contain it.",
                             100 * ratio(f->ns, m->work), place ? ", called from " : "",
                             place ? place : "");
    free(place);
    return text;
}

char *limit_sentence(const struct limits *l, const struct finding *f, const struct summary *m,
                     const struct paths *t)
{
    switch (f->what) {
    case LIMITED_BY_OVERHEAD:
        return overhead(l, f, m);
    case LIMITED_BY_LIBPROF:
        return libprof(f, m);
    case LIMITED_BY_SPAN:
        return span(f, m);
    case LIMITED_BY_WAITS:
        return waits(f, m);
    case LIMITED_BY_IDLENESS:
        return idleness(l, f, m, t);
    case LIMITED_BY_SPINNING:
        return spinning(f, m);
    default:
        return wait_sentence(f, m, t);
    }
}

/* ---- parallelism ---- */

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

/* States what bounds the parallelism: the algorithm, or a number that somebody chose. A is the
 * parallelism of the typical span, as text: a measured span may include interrupts, and is no
 * bound. *SHORTEN becomes true if a shorter critical path would help. */
static char *bound_of(const struct summary *m, const char *a, bool *shorten)
{
    char measured[FORMAT_SIZE];
    format_ratio(m->parallelism, measured);
    switch (summary_limited_by(m)) {
    case SETTING_THREADS:
        return format_text("the number of threads that the program started limits parallelism: the "
                           "program or a setting chose it, so it is no limit of the algorithm");
    case SETTING_TEAM:
        return format_text("%s: a larger team may get more parts",
                           in_order(m) ? "the teams of threads, or the order of a loop's blocks, "
                                         "limit parallelism"
                                       : "the teams of threads limit parallelism");
    case SETTING_TOKENS:
        return format_text("a pipeline limits parallelism: the number of its tokens, and its "
                           "longest serial filter");
    default:
        *shorten = true;
        return format_text("at this run's costs, no number of cores makes it more than %s times as "
                           "fast as one core%s",
                           a, *a && strcmp(a, measured) ? " (its parallelism if no strand had "
                                                          "taken far longer than "
                                                          "comparable strands)" : "");
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
    char a[FORMAT_SIZE];
    return !r ? NULL
              : format_text("But one chunk took %s, %.0f times the mean of its loop: if one "
                            "iteration does, smaller chunks do not help, and that iteration is the "
                            "limit.",
                            format_short_ns(profile_ns(m->profile, r->longest), a),
                            (double)r->longest * r->parts / r->local.work);
}

/* The share of the divided critical path that is in a region without loops that libprof sees, at
 * most. */
static double team_divided(const struct summary *m)
{
    double longest = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].as_executed && !(m->rows[i].cut.by_runtime + m->rows[i].cut.by_program) &&
            m->rows[i].on_local.span > longest)
            longest = m->rows[i].on_local.span;
    return ratio(profile_ns(m->profile, longest), m->divisible_span);
}

/* The sentence on loops that were cut, most for this run's P workers, and divide further. */
static char *divisible(const struct summary *m, unsigned p, bool *shorten)
{
    char a[FORMAT_SIZE], *loops = limit_loops(m), *text;
    char *but = limit_long_chunk(m);
    if (but)
        text = format_text("%s. %s", loops, but);
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p && summary_cut_by_program(m))
        text = format_text("%s, which is ample. A smaller grain or chunk size makes more and "
                           "smaller chunks: %s is the limit of this cut, not of the loops.",
                           loops, format_ratio(m->parallelism, a));
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p && summary_cut_by_either(m))
        text = format_text("%s, which is ample. More workers, or a smaller chunk or grain size if "
                           "the program sets one, make more and smaller chunks: %s is the limit of "
                           "this cut, not of the loops.",
                           loops, format_ratio(m->parallelism, a));
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p)
        text = format_text("%s, which is ample. More workers get more and smaller chunks: %s is "
                           "the limit of this cut, not of the loops.",
                           loops, format_ratio(m->parallelism, a));
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
static char *standing(const struct summary *m)
{
    char a[FORMAT_SIZE], *bounds = wait_bounds(m);
    char *text = format_text("Parallelism, work / span, is %s. %s",
                             format_ratio(m->parallelism, a), bounds);
    free(bounds);
    return text;
}

/* Parallelism as much as P, the workers. Where each part has a thread, all threads had as much to
 * do. */
static char *just_enough(const struct summary *m, unsigned p, bool *shorten)
{
    char a[FORMAT_SIZE], most[FORMAT_SIZE];
    enum summary_setting by = summary_limited_by(m);
    char *bound = bound_of(m, format_ratio(m->typical_parallelism, most), shorten);
    char *text = format_text("Parallelism %s nearly equals its %u workers: %s: %s. Whether the "
                             "work itself grew with the workers (memory, shared cache lines), one "
                             "run does not show: prof bench does.",
                             format_ratio(m->parallelism, a), p,
                             by == SETTING_TEAM || by == SETTING_THREADS
                                 ? "the work was balanced. More workers need more parts"
                                 : "just enough, if no worker has to wait for others",
                             bound);
    free(bound);
    return text;
}

char *limit_bound(const struct limits *l, const struct summary *m, bool *shorten)
{
    *shorten = false;
    unsigned p = m->profile->totals.workers ? m->profile->totals.workers : 1;
    const char *plural = p == 1 ? "" : "s";
    char a[FORMAT_SIZE];
    if (m->standstill.much)
        return standing(m);
    if (spins(l, m))
        return format_text("Parallelism, work / span, is %s. The critical path may contain time "
                           "in which threads waited on the CPU, so this bounds no speedup.",
                           format_ratio(m->parallelism, a));
    if (l->own_part > MOSTLY_LIBPROF && m->parallelism < LIMIT_AMPLE * p)
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
        return just_enough(m, p, shorten);
    if (reads_less(m->parallelism, p))
        return format_text("Parallelism %s is less than its %u worker%s: some of them must idle.",
                           a, p, plural);
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

/* ---- what to do ---- */

bool limit_advises(const struct finding *f)
{
    switch (f->why) {
    case REASON_SMALL_TASKS:
        return f->what == LIMITED_BY_OVERHEAD;
    case REASON_BARRIERS:
    case REASON_ONE_THREAD:
    case REASON_UNDEFERRED:
        return true;
    default:
        return f->what == LIMITED_BY_SPAN && f->row;    /* split the few tasks */
    }
}

const char *limit_action(const struct limits *l, const struct finding *f, const struct summary *m)
{
    if (f->what == LIMITED_BY_WAITS)
        return "Shorten what runs inside there.";
    if (f->what != LIMITED_BY_IDLENESS && f->what != LIMITED_BY_BLOCKING)
        return 0;
    switch (f->why) {
    case REASON_PREEMPTED:
        return l->crowded ? "Run it with no more threads than processors."
               : m->profile->totals.workers < 2
                   ? "Run it again where nothing else needs the processors."
                   : "Run it again where nothing else needs the processors, or with fewer "
                     "threads.";
    case REASON_ABSENT:
        return first_thread_waited(l, m) ? 0 : "Let it run longer.";
    case REASON_SMALL_TASKS:
        return "Make the grain larger.";
    case REASON_FEW_TASKS:
        return "Make more and smaller tasks there.";
    default:
        return 0;
    }
}
