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
#include "output/text_page.h"
#include "profile/profile.h"
#include "symbols/names.h"

char *limit_place(const struct row *r)
{
    char *function = text_function(r), *name = name_fit(function, 60), *place = text_place(r);
    char *text = format_text("%s%s%s%s", name, *place ? " (" : "", place, *place ? ")" : "");
    free(function);
    free(name);
    free(place);
    return text;
}

/* "tasks of task_group at fib (fib.cpp:12)" */
static char *tasks_of(const struct row *r)
{
    char *place = limit_place(r);
    char *text = format_text("tasks of %s at %s", *r->construct ? r->construct : "the site", place);
    free(place);
    return text;
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
    char *start = format_text("The runtime took %s, %.0f %% of the worker time",
                              format_ns(f->ns, a), 100 * f->share);
    char *place = f->row ? limit_place(f->row) : 0, *tasks = f->row ? tasks_of(f->row) : 0, *text;
    if (f->why == REASON_BARRIERS)
        text = format_text("%s: barriers in inner loops at %s, one each %s of the program's own "
                           "code. Fewer barriers (nowait, larger loops between them), or none on "
                           "one thread.",
                           start, place, format_short_ns(l->task_own, b));
    else if (f->why == REASON_SMALL_TASKS)
        text = format_text(
            "%s: overhead of tasking. %s tasks have %s of the program's own code "
            "each on average, and the runtime needs %s for each of them. %s of them, the "
            "most of one site, are %s. End the recursion earlier, or make the grain larger.",
            start, format_count(t->tasks, b), format_short_ns(l->task_own, c),
            format_short_ns(f->ns / t->tasks, d), format_count(f->row->tasks, e), tasks);
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
    return format_text("libprof itself took %s, %.0f %% of the worker time, %s for each of %s "
                       "tasks. So idle time and waits differ from those of a run without "
                       "libprof, which is faster.",
                       format_ns(f->ns, a), 100 * f->share,
                       format_short_ns(ratio(f->ns, t->tasks ? t->tasks : 1), b),
                       format_count(t->tasks, c));
}

static char *span(const struct finding *f, const struct summary *m)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return format_text("Too little parallelism (%s) explains up to %s of idle time, %.0f %% of the "
                       "worker time.",
                       format_ratio(m->parallelism, b), format_ns(f->ns, a), 100 * f->share);
}

static char *waits(const struct finding *f)
{
    char a[FORMAT_SIZE], *function = text_function(f->row), *name = name_fit(function, 60),
                         *place = text_place(f->row);
    char *text = format_text(
        "Strands waited %s, %.0f %% of the worker time, to enter critical "
        "sections or locks, longest in %s (%s%s%s). Work and span do not contain this time. So "
        "the program may gain less than its parallelism allows.",
        format_ns(f->ns, a), 100 * f->share, name, place, *place ? ", " : "", f->row->construct);
    free(function);
    free(name);
    free(place);
    return text;
}

/* The reason that one thread executed F's TASKS. */
static char *alone(const struct finding *f, const char *tasks)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const struct row *r = f->row;
    return format_text("one thread executed %s of the %s %s, %.0f %% of their work.%s",
                       format_count(r->busiest_tasks, a), format_count(r->tasks, b), tasks,
                       100 * ratio(r->busiest_work, r->local.work),
                       f->why == REASON_UNDEFERRED
                           ? " OpenMP runtimes run a task at once, in the thread that makes "
                             "it, where too many wait already (libgomp: 64 for each thread): "
                             "make fewer at a time, or let several threads make them."
                           : " See who makes these tasks, and where they may run.");
}

/* "for 2 ms threads could have run, but other threads and programs had the processors": for NS of
 * all time. No part of F, which is not all time, is longer than F. */
static char *ready(const struct finding *f, double ns)
{
    char a[FORMAT_SIZE];
    char *how_long = ns < f->ns ? format_text("for %s", format_short_ns(ns, a))
                                : format_text("for all of it, at least,");
    char *text = format_text("%s threads could have run, but other threads and programs had the "
                             "processors",
                             how_long);
    free(how_long);
    return text;
}

static char *idleness(const struct limits *l, const struct finding *f, const struct summary *m)
{
    const struct lpf_totals *t = &m->profile->totals;
    const struct row *r = f->row;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE];
    char *tasks = r ? tasks_of(r) : 0, *place = r ? limit_place(r) : 0, *others = 0, *why;
    double mean = r ? profile_ns(m->profile, r->local.work) / (r->parts ? r->parts : 1) : 0;
    switch (f->why) {
    case REASON_BARRIERS:
        why = format_text("its threads wait for each other at the barriers in inner loops at %s, "
                          "one each %s of its threads' own code. Fewer barriers (nowait, larger "
                          "loops between them).",
                          place, format_short_ns(l->task_own, b));
        break;
    case REASON_ONE_THREAD:
    case REASON_UNDEFERRED:
        why = alone(f, tasks);
        break;
    case REASON_SMALL_TASKS:
        why = format_text("the %s take %s on average, less than a steal, which takes %s.",
                          tasks, format_short_ns(mean, b), format_short_ns(m->burden, c));
        break;
    case REASON_FEW_TASKS:
        why = format_text("there may be too few tasks at a time: about %.1f %s for %u workers, of "
                          "%s each.",
                          limits_at_a_time(r->parts, r->on_local.count), tasks, t->workers,
                          format_short_ns(mean, d));
        break;
    case REASON_PREEMPTED:
        others = ready(f, fmax(l->preempted, 0) + l->ledger.ready);
        why = format_text("%s. The others may have waited for them.", others);
        break;
    case REASON_ABSENT:
        why = format_text("for %s of all idle time, worker slots had no thread: threads started "
                          "late or ended early, as in a short run.",
                          format_short_ns(l->ledger.absent, b));
        break;
    case REASON_OFF_CPU:
        why = format_text("there was one worker, off the CPU between its strands: it waited, or "
                          "others had the processor.");
        break;
    default:
        if (l->ledger.ready >= LIMIT_WORTH * l->ledger.all) {
            others = ready(f, l->ledger.ready);
            why = format_text("%s. This profile does not show what else kept tasks from the idle "
                              "workers.",
                              others);
            break;
        }
        why = format_text("this profile does not show what kept tasks from the idle workers.");
    }
    char *text = format_text(
        t->workers < 2 ? "The worker was idle for %s, %.0f %% of its time: %s"
                       : "Workers were idle for %s, %.0f %% of the worker time, and parallelism "
                         "does not explain it: %s",
        format_ns(f->ns, a), 100 * f->share, why);
    free(place);
    free(tasks);
    free(others);
    free(why);
    return text;
}

/* ---- off the CPU ---- */

/* The program's function below which strands were blocked longest by the off-CPU samples. *NS: how
 * long. NULL: there are no off-CPU samples. */
static const struct path_node *waits_most(const struct paths *paths, double *ns)
{
    enum { MOST = 256 };
    struct {
        const struct path_node *in;
        double ns;
    } found[MOST];
    size_t count = 0, most = 0;
    for (size_t i = 1; paths && paths->off_cpu_samples && i < paths->node_count; i++) {
        const struct path_node *n = &paths->nodes[i];
        if (!n->self.blocked || *n->function == '[')
            continue;
        double here = n->self.blocked;
        while (n->parent && path_is_system(n->module))
            n = &paths->nodes[n->parent];
        size_t at = 0;
        while (at < count && found[at].in->function != n->function)
            at++;
        if (at == MOST)
            continue;
        if (at == count) {
            found[count].in = n;
            found[count++].ns = 0;
        }
        found[at].ns += here;
        if (found[at].ns > found[most].ns)
            most = at;
    }
    *ns = count ? found[most].ns : 0;
    return count ? found[most].in : 0;
}

/* Sentences that state whether strands off the CPU waited, or could have run but had no CPU. The
 * caller frees them.
 * The kernel counts a wait for a CPU when it is over, and the sampling thread reads that count
 * while the strand lives. Off-CPU samples, one each LPF_OFF_CPU_NS, find blocked strands only. So
 * short strands may be in neither. That strands waited needs samples for half of what the kernel
 * does not explain. */
static char *why_blocked(const struct profile *p, const struct paths *t)
{
    static const char waited[] = "they waited for locks, condition variables, input or output",
                      had_none[] = "other threads and programs had the processors";
    char b[FORMAT_SIZE];
    uint64_t delay;
    if (!profile_run_delay_ns(p, &delay))
        return format_text("Either %s, or %s", waited, had_none);
    double share = ratio(delay, p->totals.blocked_ns),
           seen = t ? (double)t->off_cpu_samples * LPF_OFF_CPU_NS : p->totals.blocked_ns;
    if (share > 0.9)
        return format_text("They could have run, but %s", had_none);
    bool known = ratio(seen, p->totals.blocked_ns) >= 0.5 * (1 - share);
    if (!known && !delay)
        return format_text("Either %s, or %s: too few off-CPU samples found them to show which",
                           waited, had_none);
    if (!known)
        return format_text("For at least %s they could have run, but %s. The cause of the rest is "
                           "unknown: too few off-CPU samples found them",
                           format_ns(delay, b), had_none);
    if (share < 0.1)
        return format_text("T%s", waited + 1);
    return format_text("For %s they could have run, but %s. For the rest, %s", format_ns(delay, b),
                       had_none, waited);
}

/* The site whose strands were off the CPU longest. *MOST: how long, in ns. NULL: there are no
 * sites. */
static const struct row *most_blocked(const struct summary *m, double *most)
{
    const struct profile *p = m->profile;
    double *of = format_memory(calloc(p->site_count + 1, sizeof *of)), own = p->totals.blocked_ns;
    const struct row *where = 0;
    for (size_t i = 0; i < p->context_count; i++)
        if (p->contexts[i].site < p->site_count) {
            of[p->contexts[i].site] += p->contexts[i].blocked_ns;
            own -= p->contexts[i].blocked_ns;
        }
    *most = -1;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        double here = r->root ? own : 0;
        for (uint32_t s = r->first; s < p->site_count; s = m->next_site[s])
            here += of[s];
        if (here > *most) {
            *most = here;
            where = r;
        }
    }
    free(of);
    return where;
}

/* "NAME (FILE:LINE)", or as much of it as is known. */
static char *node_place(const struct path_node *n)
{
    char *name = name_fit(n->function, 60), *file = n->file ? format_clean(n->file) : 0;
    const char *base = file ? strrchr(file, '/') : 0;
    base = base ? base + 1 : file;
    char *text = file && n->line ? format_text("%s (%s:%d)", name, base, n->line)
                 : file          ? format_text("%s (%s)", name, base)
                                 : format_text("%s", name);
    free(name);
    free(file);
    return text;
}

static char *spinning(const struct finding *f, const struct summary *m)
{
    char *place = f->caller ? node_place(f->caller) : 0;
    char *text = format_text("%.0f %% of the work is in sched_yield or a spinning lock%s%s: "
                             "threads wait there for each other. This is not work, and no bound "
                             "contains it.",
                             100 * ratio(f->ns, m->work), place ? ", called from " : "",
                             place ? place : "");
    free(place);
    return text;
}

static char *blocked(const struct finding *f, const struct summary *m, const struct paths *t)
{
    double most, ns;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const struct row *where = most_blocked(m, &most);
    char *tasks = where && !where->root ? tasks_of(where) : 0, *why = why_blocked(m->profile, t);
    const struct path_node *in = waits_most(t, &ns);
    char *largest = 0;
    if (in) {
        char *place = node_place(in);
        largest = format_text(" The largest part of it, %s, was in %s and what it called.",
                              format_short_ns(ns, b), place);
        free(place);
    }
    char *text = format_text("Strands were off the CPU for %s, %.0f %% of the worker time. %.0f %% "
                             "of it was %s%s. %s. Work and span do not contain this time.%s",
                             format_ns(f->ns, a), 100 * f->share, 100 * ratio(fmax(most, 0), f->ns),
                             tasks ? "in " : "", tasks ? tasks : "outside every task", why,
                             largest ? largest : "");
    free(tasks);
    free(why);
    free(largest);
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
        return waits(f);
    case LIMITED_BY_IDLENESS:
        return idleness(l, f, m);
    case LIMITED_BY_SPINNING:
        return spinning(f, m);
    default:
        return blocked(f, m, t);
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

/* States what bounds the parallelism: the algorithm, or a number that somebody chose. A is the
 * parallelism of the typical span, as text: a measured span may include interrupts, and is no
 * bound. */
static char *bound_of(const struct summary *m, const char *a)
{
    switch (summary_limited_by(m)) {
    case SETTING_THREADS:
        return format_text("the number of threads that the program started limits parallelism: the "
                           "program or a setting chose it, so it is no limit of the algorithm");
    case SETTING_TEAM:
        return format_text("the teams of threads limit parallelism: a larger team gets more parts");
    case SETTING_TOKENS:
        return format_text("a pipeline limits parallelism: the number of its tokens, and its "
                           "longest serial filter");
    default:
        return format_text("at this run's costs, no number of cores makes it more than %s times as "
                           "fast as one core. Shorten the critical path",
                           a);
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
                           "about %s (estimated)",
                           a, b);
    if (summary_cut_by_either(m))
        return format_text("Parallelism is %s as the loops were cut; their iterations allow about "
                           "%s (estimated)",
                           a, b);
    return format_text("Parallelism is %s as %sthe loops were cut for %u worker%s; their "
                       "iterations allow about %s (estimated)",
                       a, m->cut.by_program + m->cut.sized ? "some of " : "", p,
                       p == 1 ? "" : "s", b);
}

/* The sentence on loops that were cut, most for this run's P workers, and divide further. */
static char *divisible(const struct summary *m, unsigned p)
{
    char a[FORMAT_SIZE], *loops = limit_loops(m), *text;
    if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p && summary_cut_by_program(m))
        text = format_text("%s, which is ample. A smaller grain or chunk size makes more and "
                           "smaller chunks: %s is the limit of this cut, not of the loops.",
                           loops, format_ratio(m->parallelism, a));
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p && summary_cut_by_either(m))
        text = format_text("%s, which is ample. More workers, or a smaller chunk or grain size if "
                           "the program sets one, make more and smaller chunks: %s is the limit of "
                           "this cut, not of the loops.",
                           loops, format_ratio(m->parallelism, a));
    else if (m->divisible_parallelism >= (double)LIMIT_AMPLE * p)
        text = format_text("%s, which is ample. More workers get more and smaller chunks: %s is no "
                           "limit of the program.",
                           loops, format_ratio(m->parallelism, a));
    else
        text = format_text("%s, less than ten times the workers%s. Shorten the critical path.",
                           loops, p == 1 ? "" : ": load balance begins to cost");
    free(loops);
    return text;
}

/* The sentence on a span with strands that the machine may have made longer. */
static char *without_outliers(const struct summary *m, unsigned p)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const char *plural = p == 1 ? "" : "s";
    format_ratio(m->parallelism, a);
    format_about(m->typical_parallelism, b);
    if (!reads_less(m->typical_parallelism, (double)LIMIT_AMPLE * p))
        return format_text("Parallelism is %s as measured, but about %s if no strand had taken far "
                           "longer than its like, for example by interrupts: ample for %u "
                           "worker%s.",
                           a, b, p, plural);
    char *bound = summary_limited_by(m) == SETTING_NONE ? format_text("Shorten the critical path")
                                                      : bound_of(m, b);
    bound[0] = toupper((unsigned char)bound[0]);
    char *text = format_text("Parallelism is %s as measured, and about %s if no strand had taken "
                             "far longer than its like, for example by interrupts: less than ten "
                             "times its %u worker%s. %s.",
                             a, b, p, plural, bound);
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

static char *allows(const struct limits *l, const struct summary *m)
{
    unsigned p = m->profile->totals.workers ? m->profile->totals.workers : 1;
    const char *plural = p == 1 ? "" : "s";
    char a[FORMAT_SIZE];
    if (summary_loops_divide(m) && m->parallelism < LIMIT_AMPLE * p)
        return divisible(m, p);
    if (summary_has_outliers(m) && m->parallelism < LIMIT_AMPLE * p &&
        m->typical_parallelism > LIMIT_SERIAL)
        return without_outliers(m, p);
    format_ratio(m->parallelism, a);
    if (m->parallelism <= LIMIT_SERIAL && is_team_of_one(m))
        return format_text("Its parallel regions had one thread each. Run it with more threads to "
                           "see their parallelism.");
    if (m->parallelism <= LIMIT_SERIAL)
        return format_text("It is serial: work and span are nearly the same.");
    if (reads_less(m->parallelism, p))
        return format_text("Parallelism %s is less than its %u worker%s: some of them must idle.",
                           a, p, plural);
    if (reads_less(m->parallelism, (double)LIMIT_AMPLE * p)) {
        char most[FORMAT_SIZE], *bound = bound_of(m, format_ratio(m->typical_parallelism, most));
        char *text = p == 1 ? format_text("Parallelism %s keeps one worker busy, but bounds more "
                                          "workers: %s.",
                                          a, bound)
                            : format_text("Parallelism %s is less than ten times its %u workers: "
                                          "load balance begins to cost, and %s.",
                                          a, p, bound);
        free(bound);
        return text;
    }
    return format_text("Parallelism %s is ample for %u worker%s (ten times as much, or more)%s.", a,
                       p, plural,
                       l->count && l->ledger.work < 0.5 * l->ledger.all
                           ? ": it is not what keeps this run from being faster"
                           : "");
}

char *limit_parallelism(const struct limits *l, const struct summary *m)
{
    char *text = allows(l, m), *more = 0;
    /* no bound includes the time that strands wait for others */
    if (m->parallelism > LIMIT_SERIAL && is_found(l, LIMITED_BY_WAITS))
        more = format_text("%s No bound contains the time that strands waited to enter critical "
                           "sections or locks: there, the program gains less.",
                           text);
    else if (m->parallelism > LIMIT_SERIAL && is_found(l, LIMITED_BY_BLOCKING))
        more = format_text("%s No bound contains the time that strands wait for each other: where "
                           "they do, the program gains less.",
                           text);
    if (more)
        free(text);
    return more ? more : text;
}
