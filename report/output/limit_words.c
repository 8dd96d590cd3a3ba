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

/* What may be less than this part of idle time is not worth a sentence. */
#define NO_MORE 0.05

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
        text = format_text("%s, inside strands %s of it. %s tasks have %s of the program's own "
                           "code each on average.",
                           start, format_short_ns(l->ledger.inside, b), format_count(t->tasks, d),
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

static char *span(const struct limits *l, const struct finding *f, const struct summary *m)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (f->row)
        return uneven(f, m);
    if (l->own_part > LIMIT_MOSTLY_LIBPROF)
        return format_text("Workers were idle for %s, %.0f %% of %s, perhaps for lack of "
                           "parallelism. How much of it there is without libprof, this profile "
                           "does not show: %.0f %% of the samples in strands are libprof's.",
                           format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile),
                           100 * l->own_part);
    return format_text("Too little parallelism (%s) explains up to %s of idle time, %.0f %% of %s.",
                       format_ratio(m->parallelism, b), format_ns(f->ns, a), 100 * f->share,
                       place_of_time(m->profile));
}

static char *waits(const struct limits *l, const struct finding *f, const struct summary *m)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    char *function = text_function(f->row), *origin = name_origin(function),
         *name = name_fit(origin, 60), *place = text_place(f->row);
    bool busy = f->why == REASON_PREEMPTED;
    char *text = format_text(
        "Strands waited %s, %.0f %% of %s, to enter critical "
        "sections or take locks, longest in %s (%s%s%s). Work and span do not contain this time. "
        "So the program may gain less than its parallelism allows.%s%s%s",
        format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile), name, place,
        *place ? ", " : "", f->row->construct, busy ? " But for " : "",
        busy ? format_short_ns(l->without_cpu, b) : "",
        busy ? " of all idle time, threads could have run, and other threads and programs had the "
               "processors: the others may have waited for them."
             : "");
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
        return format_text("one thread did %.0f %% of the work of all %s. Perhaps its code lets "
                           "one thread do it (single, master), or makes tasks too small for others "
                           "to get many, or its teams have one thread each (nested regions: "
                           "OMP_MAX_ACTIVE_LEVELS).",
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
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    if (f->row)
        return format_text("for %s of %s, worker slots had no thread: the program started %s "
                           "threads for %u slot%s, of %s of work each on average.",
                           format_short_ns(l->ledger.absent, a), part_of(f, l->ledger.absent),
                           format_count(f->row->tasks, b), m->profile->totals.workers,
                           m->profile->totals.workers == 1 ? "" : "s",
                           format_short_ns(profile_ns(m->profile, f->row->local.work) /
                                               f->row->tasks, c));
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

/* WHY workers were idle, with how long they had no CPU, if that was long and is not in it. Frees
 * WHY. */
static char *with_ready(const struct limits *l, const struct finding *f, char *why)
{
    char a[FORMAT_SIZE];
    if (f->why == REASON_PREEMPTED || f->why == REASON_UNKNOWN ||
        l->ledger.ready < LIMIT_READY * l->ledger.all)
        return why;
    char *text = format_text("for %s of %s, workers could have run, but other threads and programs "
                             "had the processors. For the rest: %s",
                             format_short_ns(l->ledger.ready, a), part_of(f, l->ledger.ready), why);
    free(why);
    return text;
}

static char *idleness(const struct limits *l, const struct finding *f, const struct summary *m,
                      const struct paths *paths)
{
    const struct lpf_totals *t = &m->profile->totals;
    const struct row *r = f->row;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    char *tasks = r ? place_of_tasks(r) : 0, *place = r ? place_of_row(r) : 0,
         *why = with_ready(l, f, why_idle(l, f, m, paths, tasks, place));
    bool spanned = false;
    bool further = false;       /* a larger part is in a sentence before this one */
    for (const struct finding *other = l->found; other < l->found + l->count; other++) {
        spanned |= other->what == LIMITED_BY_SPAN;
        further |= other < f && other->what == LIMITED_BY_SPAN;
    }
    bool span_too = l->span_too > NO_MORE * f->ns;
    /* unequal parts are what makes parallelism small */
    bool unexplained = t->workers > 1 && !span_too && !(spanned && f->why == REASON_UNEQUAL);
    char *text = format_text(
        "%s idle for %s%s, %.0f %% of %s%s: %s%s%s%s",
        t->workers < 2 ? "The worker was" : "Workers were", further ? "another " : "",
        format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile),
        unexplained ? ", and parallelism does not explain it" : "", why,
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
        return span(l, f, m);
    case LIMITED_BY_WAITS:
        return waits(l, f, m);
    case LIMITED_BY_IDLENESS:
        return idleness(l, f, m, t);
    case LIMITED_BY_SPINNING:
        return spinning(f, m);
    default:
        return wait_sentence(f, m, t);
    }
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
    if (f->what == LIMITED_BY_WAITS && f->why != REASON_PREEMPTED)
        return "Shorten what runs inside there.";
    if (f->what != LIMITED_BY_WAITS && f->what != LIMITED_BY_IDLENESS &&
        f->what != LIMITED_BY_BLOCKING)
        return 0;
    switch (f->why) {
    case REASON_PREEMPTED:
        return l->crowded && l->processors_full
                   ? "Run it with no more threads than processors; but these were busy with it, so "
                     "there is little to gain."
               : l->crowded ? "Run it with no more threads than processors."
               : m->profile->totals.workers < 2
                   ? "Run it again where nothing else needs the processors."
                   : "Run it again where nothing else needs the processors, or with fewer "
                     "threads.";
    case REASON_ABSENT:
        return f->row                     ? "Keep the threads, and give each of them more to do."
               : first_thread_waited(l, m) ? 0
                                           : "Let it run longer.";
    case REASON_SMALL_TASKS:
        return "Make the grain larger.";
    case REASON_FEW_TASKS:
        return "Make more and smaller tasks there.";
    default:
        return 0;
    }
}
