/* limit_words.c - see limit_words.h. A sentence states what was measured. It calls possible what
 * does not follow from that. */
#define _GNU_SOURCE
#include "words/limit_words.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/path_wait.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/text_page.h"
#include "profile/profile.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"
#include "words/place_words.h"
#include "words/wait_words.h"

/* What may be less than this part of idle time is not worth a sentence. */
#define NO_MORE 0.05
/* Phases that may explain more than this part of idle time are named beside another reason. */
#define PHASES 0.5

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
        "idle, kept out by others", "in MPI", "idle",           "off the CPU inside strands",
        "waiting on the CPU (yields, locks that spin)",
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
    char a[FORMAT_SIZE], b[FORMAT_SIZE], d[FORMAT_SIZE], e[FORMAT_SIZE];
    bool small = f->why == REASON_SMALL_TASKS;
    char *own = limit_own_code(l, m), *libprofs = limit_libprofs(l, f->ns, small ? t->tasks : 1);
    char *start = format_text("The runtime took %s, %.0f %% of %s", format_ns(f->ns, a),
                              100 * f->share, place_of_time(m->profile));
    char *place = f->row ? place_of_row(f->row) : 0, *text;
    char *tasks = f->row ? place_of_tasks(f->row) : 0;
    char *of_that = !*libprofs ? format_text("%s", "")
                    : small    ? format_text(", as measured with libprof (%s)", libprofs)
                               : format_text(" That is as measured with libprof: %s.", libprofs);
    if (f->why == REASON_BARRIERS)
        text = format_text("%s: barriers in inner loops at %s, one each %s of the program's own "
                           "code. Fewer barriers (nowait, larger loops between them), or none on "
                           "one thread.%s",
                           start, place, own, of_that);
    else if (small)
        text = format_text(
            "%s: overhead of tasking. %s tasks have %s of the program's own code "
            "each on average, and the runtime took %s for each of them%s. %s of them, the "
            "most of one site, are %s. %s.",
            start, format_count(t->tasks, b), own, format_short_ns(f->ns / t->tasks, d), of_that,
            format_count(f->row->tasks, e), tasks, limit_coarsen(f->row));
    else
        text = format_text("%s, inside strands %s of it. %s tasks have %s of the program's own "
                           "code each on average.%s",
                           start, format_short_ns(l->ledger.inside, b), format_count(t->tasks, d),
                           own, of_that);
    free(libprofs);
    free(of_that);
    free(start);
    free(own);
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
                       "libprof, which takes less CPU time.",
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
    if (l->taken > 0)
        return format_text("Workers were idle for %s, %.0f %% of %s, perhaps for lack of "
                           "parallelism. How much of it there is without libprof, this profile "
                           "does not show: no more work is left than libprof took off.",
                           format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile));
    if (l->own_part > LIMIT_MOSTLY_LIBPROF)
        return format_text("Workers were idle for %s, %.0f %% of %s, perhaps for lack of "
                           "parallelism. How much of it there is without libprof, this profile "
                           "does not show: %.0f %% of the samples in strands are libprof's.",
                           format_ns(f->ns, a), 100 * f->share, place_of_time(m->profile),
                           100 * l->own_part);
    char most[FORMAT_SIZE];
    if (l->span_too > NO_MORE * f->ns)  /* workers that had no CPU may have had no task, either */
        return format_text("Too little parallelism (%s) explains %s to %s of idle time, %.0f %% to "
                           "%.0f %% of %s.",
                           format_ratio(m->parallelism, b), format_ns(f->ns, a),
                           format_ns(f->ns + l->span_too, most), 100 * f->share,
                           100 * ratio(f->ns + l->span_too, l->ledger.all),
                           place_of_time(m->profile));
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
    if (l->crowded && (l->crowds_itself || !l->busy_machine))
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

/* Are its tasks those of a runtime, not threads alone? */
static bool has_runtime(const struct profile *p)
{
    for (size_t i = 0; i < p->site_count; i++) {
        const char *runtime = profile_string(p, p->sites[i].runtime);
        if (*runtime && strcmp(runtime, "thread") != 0 && strcmp(runtime, "mpi") != 0)
            return true;
    }
    return false;
}

/* A thread starts and ends in less than this: a longer run is no help against a longer absence. */
#define START_NS 100e6

/* May the time of slots without a thread be what threads need to start and end? */
static bool is_short_absence(const struct limits *l, const struct summary *m)
{
    return l->ledger.absent < START_NS * (m->profile->totals.workers - 1.0);
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
    const char *why = summary_of_one(m, NULL)
                          ? "threads started late or ended early, as where regions run in teams of "
                            "one thread"
                      : is_short_absence(l, m)
                          ? "threads started late or ended early, as in a short run"
                          : "threads started late or ended early: see what runs then, and whether "
                            "an arena or a number of threads keeps it to fewer";
    char *text = format_text("for %s of %s, %s: %s.%s%s", format_short_ns(l->ledger.absent, a),
                             part_of(f, l->ledger.absent),
                             m->profile->totals.workers == 2 ? "there was no second worker"
                                                             : "worker slots had no thread",
                             !outside ? why
                             : has_runtime(m->profile)
                                 ? "runtimes start threads with the first tasks"
                                 : "the program had one thread then",
                             outside ? " " : "", outside ? outside : "");
    free(outside);
    return text;
}

/* A function beside which so much of the idle time passed is named. */
#define BESIDE 0.5

/* " By samples, 80 % of the idle time passed while a thread was in nap (x.c:9).", if it was mostly
 * in one function of the program; else "". */
static char *beside(const struct paths *t)
{
    const struct path_node *most = 0;
    double in = 0, ran = 0;
    for (size_t i = 1; t && i < t->node_count; i++)
        if (!most || t->nodes[i].self.idleness > most->self.idleness)
            most = &t->nodes[i];
    int line;
    most = most ? path_called_by(t, most, &line) : 0;
    for (size_t i = 1; most && i < t->node_count; i++) {
        int other;
        const struct path_node *n = path_called_by(t, &t->nodes[i], &other);
        bool same = n->function == most->function && n->file == most->file;
        in += same ? path_metric(&t->nodes[i].self, "idleness") : 0;
        ran += same ? (double)t->nodes[i].self.work + t->nodes[i].self.blocked : 0;
        line = same && t->nodes[i].self.idleness > 0 && other != line ? -1 : line;
    }
    /* a thread that was there for so long had no more idle ones beside it */
    in = most ? fmin(in, (t->summary->profile->totals.workers - 1) * ran) : 0;
    double share = most ? ratio(in, path_metric(&t->total, "idleness")) : 0;
    if (share < BESIDE || !most->file)
        return format_text("%s", "");
    char *place = place_of_call(most, line);
    char *text = format_text(" By samples, %.0f %% of the idle time passed while a thread was "
                             "in %s.", 100 * share, place);
    free(place);
    return text;
}

/* " for up to 3.0 s of it, a thread of the same rank was in MPI.", if that may be most of it; else
 * "". The time of a rank in MPI is exact, but not how many of its other threads idled then. */
static char *beside_mpi(const struct profile *p, const struct finding *f)
{
    char a[FORMAT_SIZE];
    double most = 0;
    for (size_t i = 0; i < p->rank_count; i++) {
        unsigned workers = p->ranks[i].workers;
        most += workers > 1 ? (workers - 1) * profile_rank_in_mpi_ns(&p->ranks[i]) : 0;
    }
    if (most < BESIDE * f->ns)
        return format_text("%s", "");
    return format_text(" for up to %s of it, a thread of the same rank was in MPI, and the rank's "
                       "other threads may have waited for that.",
                       format_short_ns(fmin(most, f->ns), a));
}

/* This profile does not show why workers were idle, but perhaps beside what. */
static char *unknown(const struct limits *l, const struct finding *f, const struct summary *m,
                     const struct paths *t)
{
    bool ready_too = l->ledger.ready >= LIMIT_WORTH * l->ledger.all;
    char *place = beside_mpi(m->profile, f), *rest, *text;
    if (*place && ready_too)
        place[1] = 'F';         /* a sentence of its own */
    if (!*place) {
        free(place);
        place = beside(t);
    }
    rest = *place ? format_text("%s", place + 1)
                  : format_text("%s", "This profile does not show what else kept tasks from the "
                                      "idle workers.");
    text = ready_too ? ready(l, f, rest)
           : *place  ? format_text("%s", place + 1)
                     : format_text("this profile does not show what kept tasks from the idle "
                                   "workers.");
    free(place);
    free(rest);
    return text;
}

/* Regions ran in teams of one thread, most of their work at PLACE. */
static char *of_one(const struct summary *m, const char *place)
{
    char a[FORMAT_SIZE];
    double work;
    summary_of_one(m, &work);
    return format_text("perhaps because parallel regions ran in teams of one thread, with %s of "
                       "the work, most at %s: one thread alone executed each of them. Let them "
                       "have larger teams: see the `if` clause, num_threads, OMP_NUM_THREADS, and "
                       "for a region inside another one OMP_MAX_ACTIVE_LEVELS.",
                       format_short_ns(work, a), place);
}

/* The reason of finding F. TASKS and PLACE are its row's, if it has one. */
static char *why_idle(const struct limits *l, const struct finding *f, const struct summary *m,
                      const struct paths *paths, const char *tasks, const char *place)
{
    const struct row *r = f->row;
    char a[FORMAT_SIZE];
    double mean = r ? profile_ns(m->profile, r->local.work) / (r->parts ? r->parts : 1) : 0;
    double most;
    char *own, *text, *steal;
    switch (f->why) {
    case REASON_BARRIERS:
        own = limit_own_code(l, m);
        text = format_text("its threads wait for each other at the barriers in inner loops at %s, "
                           "one each %s of its threads' own code. Fewer barriers (nowait, larger "
                           "loops between them).",
                           place, own);
        free(own);
        return text;
    case REASON_ONE_THREAD:
    case REASON_UNDEFERRED:
        return alone(f, tasks);
    case REASON_SMALL_TASKS:
        steal = limit_steal(m);
        most = summary_taken_most(m, r) > 0 ? summary_taken(m, r->tasks) / r->parts : 0;
        text = format_text("the %s take %s%s on average, less than a steal, which %s.", tasks,
                           most > 0 ? "at most " : "", format_short_ns(mean + most, a), steal);
        free(steal);
        return text;
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
        return format_text("the %s are unequal, for up to %s of it: together they have only %.2f "
                           "times the work of the longest one. Make them equal: a loop by a "
                           "dynamic schedule or smaller chunks.",
                           tasks,
                           format_short_ns(fmin(limits_unequal(m, r), fmin(l->phases, f->ns)), a),
                           ratio(r->local.work, r->on_local.span));
    case REASON_TEAM_OF_ONE:
        return of_one(m, place);
    case REASON_OFF_CPU:
        return format_text("there was one worker, off the CPU between its strands: it waited, or "
                           "others had the processor.");
    default:
        return unknown(l, f, m, paths);
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

/* So much of the worker time, at least, is worth another figure. */
#define DIFFERS 0.02

/* "194.0 ms, 12 % of the worker time"; where that is only a part of the idle time, and no sentence
 * before this one has the other part: "330.1 ms, 21 % of the worker time, 194 ms of it beside what
 * too little parallelism explains". SPANNED: there is such a finding. *PART: it is that. */
static char *how_long_idle(const struct limits *l, const struct finding *f, const struct summary *m,
                           bool spanned, bool *part)
{
    const struct row *longest;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    double all = l->ledger.idle, waits = summary_exclusion(m, &longest);
    *part = all - f->ns > DIFFERS * l->ledger.all && (spanned || waits > 0);
    if (!*part)
        return format_text("%s, %.0f %% of %s", format_ns(f->ns, a), 100 * f->share,
                           place_of_time(m->profile));
    bool range = spanned && l->span_too > NO_MORE * f->ns;
    return format_text("%s, %.0f %% of %s, %s%s%s of it beside what %s", format_ns(all, a),
                       100 * ratio(all, l->ledger.all), place_of_time(m->profile),
                       range ? format_short_ns(fmax(f->ns - l->span_too, 0), c) : "",
                       range ? " to " : "", format_short_ns(f->ns, b),
                       !spanned ? "waits for critical sections and locks explain"
                       : waits > DIFFERS * l->ledger.all
                           ? "too little parallelism and waits for locks explain"
                           : "too little parallelism explains");
}

static char *idleness(const struct limits *l, const struct finding *f, const struct summary *m,
                      const struct paths *paths)
{
    const struct lpf_totals *t = &m->profile->totals;
    const struct row *r = f->row;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    char *tasks = r ? place_of_tasks(r) : 0, *place = r ? place_of_row(r) : 0,
         *why = with_ready(l, f, why_idle(l, f, m, paths, tasks, place));
    bool spanned = false, part = false;
    bool further = false;       /* a larger part is in a sentence before this one */
    for (const struct finding *other = l->found; other < l->found + l->count; other++) {
        spanned |= other->what == LIMITED_BY_SPAN;
        further |= other < f && other->what == LIMITED_BY_SPAN;
    }
    char *idle = further ? format_text("another %s, %.0f %% of %s", format_ns(f->ns, a),
                                       100 * f->share, place_of_time(m->profile))
                         : how_long_idle(l, f, m, spanned, &part);
    bool span_too = l->span_too > NO_MORE * f->ns;
    /* unequal parts are what makes parallelism small; and teams of one share nothing */
    bool unexplained = t->workers > 1 && !span_too && !l->taken &&
                       !(spanned && (part || f->why == REASON_UNEQUAL)) &&
                       !summary_of_one(m, NULL);
    bool phases = l->phases > PHASES * f->ns;
    char *text = format_text(
        "%s idle for %s%s: %s%s%s%s", t->workers < 2 ? "The worker was" : "Workers were", idle,
        !unexplained ? ""
        : phases     ? ", and the parallelism of the whole run does not explain it, though that of "
                       "its phases may"
                     : ", and parallelism does not explain it", why,
        span_too && !spanned ? " Too little parallelism may explain up to " : "",
        span_too && !spanned ? format_short_ns(l->span_too, b) : "",
        span_too && !spanned ? " of it, too." : "");
    free(idle);
    free(place);
    free(tasks);
    free(why);
    return text;
}

/* ---- MPI ---- */

/* Appends "62 % WHAT", if that is worth it. */
static void add_cause(FILE *f, const char **between, double part, const char *what)
{
    if (part < NO_MORE)
        return;
    fprintf(f, "%s%.0f %% %s", *between, 100 * part, what);
    *between = ", ";
}

/* The rank with most work is named if it has so much more than the mean of all. */
#define UNEVEN 1.25
#define EVEN 1.1
/* Waits at collectives of so much of the time in MPI are worth a reason. */
#define LATE_PART 0.3

/* Appends which rank has the most work, if the others have much less. IN_TURN: much of the time
 * ranks waited for late ones. */
static void add_uneven(FILE *f, const struct summary *m, bool in_turn)
{
    const struct profile *p = m->profile;
    double all = 0, needs;
    const struct lpf_rank *most = 0, *slowest = summary_slowest_rank(m, &needs);
    for (size_t i = 0; i < p->rank_count; i++) {
        all += profile_ns(p, p->ranks[i].work_cost);
        if (!most || p->ranks[i].work_cost > most->work_cost)
            most = &p->ranks[i];
    }
    double times = most ? ratio(profile_ns(p, most->work_cost), all / p->rank_count) : 0;
    if (p->rank_count > 1 && times >= UNEVEN)
        fprintf(f, " Rank %u has %.2f times the mean work of %s ranks.", most->rank, times,
                p->rank_count == most->size ? "the" : "these");
    else if (in_turn && times < EVEN)
        fputs(" All ranks have about as much work, so they may be late in turn.", f);
    char a[FORMAT_SIZE];
    if (slowest)
        fprintf(f, " Rank %u needs %s for its work with its %u worker%s, longer than the critical "
                "path: a shorter path alone does not help there.", slowest->rank,
                format_short_ns(needs, a), slowest->workers, slowest->workers == 1 ? "" : "s");
}

/* Did a rank call MPI_Finalize? A job that is aborted does not. */
static bool ends_mpi(const struct summary *m)
{
    for (size_t i = 0; i < m->call_count; i++)
        if (!strcmp(m->calls[i].construct, "MPI_Finalize"))
            return true;
    return false;
}

static char *in_mpi(const struct finding *f, const struct summary *m)
{
    struct mpi_time t = summary_mpi(m);
    double all = t.late_sender + t.late_receiver + t.collective + t.sent + t.transfer;
    char a[FORMAT_SIZE], *place = f->row ? place_of_row(f->row) : 0, *text = 0;
    size_t size = 0;
    const char *between = ": ";
    FILE *out = format_memory(open_memstream(&text, &size));
    fprintf(out, "%s in MPI for %s, %.0f %% of %s",
            summary_is_one_rank(m) ? "This rank was" : "Ranks were", format_ns(f->ns, a),
            100 * f->share, place_of_time(m->profile));
    add_cause(out, &between, ratio(t.late_sender, all), "for late senders");
    add_cause(out, &between, ratio(t.late_receiver, all), "for late receivers");
    add_cause(out, &between, ratio(t.collective, all), "for ranks late at a collective");
    add_cause(out, &between, ratio(t.sent, all), "in sends, for late receivers or transfers");
    add_cause(out, &between, ratio(t.transfer - t.start_end - t.unknown, all),
              "for transfers and MPI's own work");
    add_cause(out, &between, ratio(t.unknown, all),
              "in polls or calls of files, windows or neighbours, for other ranks or transfers");
    add_cause(out, &between, ratio(t.start_end, all),
              ends_mpi(m) ? "in MPI_Init and MPI_Finalize" : "in MPI_Init");
    if (place && *f->row->construct)
        fprintf(out, "; longest%s: %s at %s",
                t.start_end > profile_ns(m->profile, f->row->top.work)
                    ? " but for its start and end" : "",
                f->row->construct, place);
    fputc('.', out);
    add_uneven(out, m, ratio(t.collective, all) >= LATE_PART);
    uint64_t ready;             /* between strands: in MPI, if the ranks have one thread */
    if (profile_idle_run_delay_ns(m->profile, &ready) && ready > NO_MORE * all)
        fprintf(out, " For up to %s of this they were ready to run, but other ranks or programs "
                "had the processors.", format_ns(fmin(ready, f->ns), a));
    fclose(out);
    free(place);
    return format_memory(text);
}

/* ---- spinning ---- */

static char *spinning(const struct finding *f, const struct summary *m)
{
    char *place = f->caller ? place_of_node(f->caller) : 0;
    char *text = format_text("%.0f %% of the work is in sched_yield, a spinning lock or a loop "
                             "that only waits%s%s: threads wait there for each other. This is not "
                             "work, though work and span contain it.",
                             100 * ratio(f->ns, m->work), place ? ", most of it at " : "",
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
    case LIMITED_BY_MPI:
        return in_mpi(f, m);
    case LIMITED_BY_IDLENESS:
        return idleness(l, f, m, t);
    case LIMITED_BY_SPINNING:
        return spinning(f, m);
    default:
        return wait_sentence(f, m, t, WAIT_ALL);
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
    case REASON_TEAM_OF_ONE:
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
        return f->what == LIMITED_BY_IDLENESS && m->parallelism <= LIMIT_SERIAL
                   ? 0          /* workers with processors would idle as well */
               : l->crowded && l->processors_full
                   ? "Run it with no more threads than processors; but these were busy with it, so "
                     "there is little to gain."
               : l->crowds_itself ? "Run it with no more threads than processors."
                                  : "Run it again where nothing else needs the processors.";
    case REASON_ABSENT:
        return f->row                     ? "Keep the threads, and give each of them more to do."
               : first_thread_waited(l, m) || summary_of_one(m, NULL) || !is_short_absence(l, m)
                   ? 0
                   : "Let it run longer.";
    case REASON_SMALL_TASKS:
        return "Make the grain larger.";
    case REASON_FEW_TASKS:
        return "Make more and smaller tasks there.";
    default:
        return 0;
    }
}
