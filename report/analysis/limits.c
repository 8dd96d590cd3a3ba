/* limits.c - see limits.h.
 *
 * Most findings are rows of the ledger. Idle time is divided further, into three:
 *   - the time that strands waited for each other, which is measured;
 *   - the time that the critical path explains. P is the average number of threads, if that is more
 *     than the runtime's workers. The time is at most (P - 1) spans (Graham). For this bound, a
 *     span is longer than the profile's, by the same factor by which the runtime's, libprof's and
 *     blocked time make all strands longer. The time is at least P of the profile's spans less what
 *     the threads executed, for no P threads need less time than the span. Where workers could have
 *     run but had no CPU, they may have lacked a task as well, or not;
 *   - the rest, in which there was no task that could have run.
 */
#define _GNU_SOURCE
#include "analysis/limits.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/path_wait.h"
#include "analysis/stats.h"
#include "profile/profile.h"

/* While more than this many tasks wait for each thread, libgomp runs a new task at once, in its
 * creator. */
#define OPENMP_WAITING 64.0
/* A program that starts so many threads for each worker does not keep its threads. */
#define MANY_THREADS 50
/* With fewer tasks than so many for each worker, a rest that is no multiple of the workers idles
 * some of them for long. */
#define FEW_TASKS 3
/* Processors of which a process had this share of the time have little left for it. */
#define FULL 0.9
/* Less spinning than this share of the work is no finding. */
#define SPINNING 0.05

const char *const limit_names[LIMITS] = {
    [LIMITED_BY_OVERHEAD] = "overhead", [LIMITED_BY_LIBPROF] = "libprof",
    [LIMITED_BY_SPAN] = "span",         [LIMITED_BY_WAITS] = "waits",
    [LIMITED_BY_MPI] = "mpi",
    [LIMITED_BY_IDLENESS] = "idleness", [LIMITED_BY_BLOCKING] = "blocked",
    [LIMITED_BY_SPINNING] = "spinning",
};
const char *const limit_reasons[REASONS] = {
    [REASON_UNKNOWN] = "",
    [REASON_SMALL_TASKS] = "small_tasks",
    [REASON_BARRIERS] = "barriers",
    [REASON_ONE_THREAD] = "one_thread",
    [REASON_UNDEFERRED] = "undeferred",
    [REASON_FEW_TASKS] = "few_tasks",
    [REASON_PREEMPTED] = "preempted",
    [REASON_ABSENT] = "absent",
    [REASON_OFF_CPU] = "off_cpu",
    [REASON_TEAM_OF_ONE] = "team_of_one",
    [REASON_UNEQUAL] = "unequal",
};

double limits_at_a_time(uint64_t tasks, uint64_t on_count)
{
    return ratio(tasks, on_count);
}

bool limits_are_chunks(const struct profile *p, uint64_t tasks, uint64_t busiest_tasks,
                       uint32_t threads)
{
    double chunks = p->loop_count ? p->loops->chunks : 0;
    return chunks > 0.5 * tasks && fabs((double)busiest_tasks * threads - tasks) > 2.0 * threads;
}

/* After each barrier, an implicit task begins a new strand, which counts as a task. */
double limits_barriers(const struct summary *m, const struct row *r)
{
    if (strcmp(r->construct, "parallel") || !r->invocations ||
        limits_are_chunks(m->profile, r->tasks, r->busiest_tasks, r->threads))
        return 0;
    double threads = r->threads ? r->threads : 1;
    double strands = r->tasks / (double)r->invocations / threads;
    return strands > LIMIT_MANY_STRANDS ? strands - 1 : 0;
}

static const struct row *most_of(const struct summary *m, double (*key)(const struct row *))
{
    const struct row *best = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (!m->rows[i].root && (!best || key(&m->rows[i]) > key(best)))
            best = &m->rows[i];
    return best && key(best) > 0 ? best : 0;
}

static double by_tasks(const struct row *r)
{
    return r->tasks;
}
static double by_work(const struct row *r)
{
    return r->local.work;
}

const struct row *limits_most_tasks(const struct summary *m)
{
    return most_of(m, by_tasks);
}

static void explain_overhead(struct limits *l, const struct summary *m, struct finding *f)
{
    const struct row *r = most_of(m, by_tasks);
    if (r && r->tasks > 0.5 * m->profile->totals.tasks && limits_barriers(m, r) > 0) {
        f->why = REASON_BARRIERS;
        f->row = r;
    } else if (r && l->task_own < LIMIT_SMALL_NS) {
        f->why = REASON_SMALL_TASKS;
        f->row = r;
    }
}

/* If threads lacked a CPU for this share of the idle time, the others may have waited for them. So
 * no reason is given that the idle time alone suggests. */
#define PARTLY 0.3

/* Unequal parts of a region are the reason if they explain this much of the idle time. */
#define UNEQUAL_PART 0.5
/* So must regions that ran in teams of one thread. */
#define OF_ONE_PART 0.5
/* Interrupts and the like make one of several short parts longer by up to this share. */
#define NOISE 0.15

double limits_unequal(const struct summary *m, const struct row *r)
{
    return profile_ns(m->profile, r->on_local.span) * r->threads -
           profile_ns(m->profile, r->local.work);
}

/* The parallel region whose threads waited longest for the longest part of it, if that explains
 * most of NS of idle time. Where threads wait for their turn in the order of a loop, they wait for
 * that, too: then NULL. */
static const struct row *unequal(const struct summary *m, double ns)
{
    const struct row *best = NULL;
    double most = UNEQUAL_PART * ns;
    for (size_t i = 0; i < m->wait_count; i++)
        if (m->waits[i].in_order && m->waits[i].top.count)
            return NULL;
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        double waited = limits_unequal(m, r);
        double work = profile_ns(m->profile, r->local.work);
        /* of short parts, noise alone makes one of them longer */
        bool noise = r->tasks && work / r->tasks < LIMIT_FINE_NS && waited < NOISE * work;
        if (!strncmp(r->construct, "parallel", 8) && !strcmp(r->runtime, "openmp") && !noise &&
            waited > most) {
            best = r;
            most = waited;
        }
    }
    return best;
}

/* The region that ran in teams of one thread longest, if the others may have idled beside such
 * regions for most of NS. They took longer than their work, by the factor by which all strands did.
 * Teams of one may run side by side, in different tasks; so this is no more than possible. */
static const struct row *of_one(const struct limits *l, const struct summary *m, double ns)
{
    double work, longer = ratio(l->ledger.between + l->ledger.own + l->ledger.blocked, m->work);
    const struct row *r = summary_of_one(m, &work);
    return (m->profile->totals.workers - 1) * work * (1 + fmax(longer, 0)) >= OF_ONE_PART * ns
               ? r
               : NULL;
}

/* The site that started most threads, if there were far more of them than workers. Then each lived
 * for a small part of the run. */
static const struct row *many_threads(const struct summary *m)
{
    const struct row *best = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (!strcmp(m->rows[i].construct, "pthread_create") &&
            m->rows[i].tasks > MANY_THREADS * m->profile->totals.workers &&
            (!best || m->rows[i].tasks > best->tasks))
            best = &m->rows[i];
    return best;
}

/* Sets the reason why workers were idle although the program has enough tasks. */
static void explain_idleness(struct limits *l, const struct summary *m, struct finding *f)
{
    const struct profile *p = m->profile;
    unsigned workers = p->totals.workers;
    const struct row *r = most_of(m, by_work), *one;
    if (r && r->local.work < 0.5 * p->totals.work_cost)
        r = 0;
    double mean = r ? profile_ns(p, r->local.work) / (r->parts ? r->parts : 1) : 0;
    /* what libprof took off may be too much */
    double taken = r && summary_taken_most(m, r) > 0
                       ? summary_taken(m, r->tasks) / fmax(r->parts, 1)
                       : 0;
    bool tiny = r && workers > 1 && r->tasks && !r->as_executed && mean + taken < m->burden &&
                mean < LIMIT_SMALL_NS;
    bool few = r && r->on_local.count && r->tasks && m->parallelism >= workers &&
               limits_at_a_time(r->parts, r->on_local.count) <
                   (strcmp(r->construct, "parallel") ? LIMIT_AMPLE : 1.0) * workers;
    if (workers < 2) {
        f->why = REASON_OFF_CPU;
    } else if ((one = of_one(l, m, f->ns))) {
        f->why = REASON_TEAM_OF_ONE;
        f->row = one;
    } else if (l->ledger.absent > 0.5 * f->ns && l->ledger.absent > l->ledger.ready) {
        f->why = REASON_ABSENT;
        f->row = many_threads(m);
    } else if (l->busy_machine || l->crowded) {
        f->why = REASON_PREEMPTED;
    } else if (r && limits_barriers(m, r) > 0 && mean < LIMIT_FINE_NS) {
        f->why = REASON_BARRIERS;
        f->row = r;
    } else if (!tiny && r && r->tasks >= 2.0 * workers && r->threads &&
               strcmp(r->construct, "pthread_create") &&
               r->busiest_work >= LIMIT_ALONE * r->local.work) {
        bool openmp = !strcmp(r->construct, "task") || !strcmp(r->construct, "taskloop");
        /* tasks that another thread has stolen were deferred; and tasks that exclude each other,
         * which libprof does not record, are another reason */
        bool creator = r->steals < 0.5 * r->tasks && !r->lower_bound;
        f->why = openmp && creator && r->tasks > OPENMP_WAITING * workers ? REASON_UNDEFERRED
                                                                          : REASON_ONE_THREAD;
        f->row = r;
    } else if (l->partly_busy && (tiny || few)) {
        f->why = REASON_PREEMPTED;
    } else if (tiny) {
        f->why = REASON_SMALL_TASKS;
        f->row = r;
    } else if (few) {
        f->why = REASON_FEW_TASKS;
        f->row = r;
    } else if (l->phases > UNEQUAL_PART * f->ns && (r = unequal(m, f->ns))) {
        f->why = REASON_UNEQUAL;
        f->row = r;
    }
}

/* The site with most of the work, if its tasks are all there at one time, about equal, and too few
 * for the workers to share evenly. */
static const struct row *too_few(const struct summary *m)
{
    const struct profile *p = m->profile;
    unsigned workers = p->totals.workers;
    const struct row *r = most_of(m, by_work);
    if (!r || r->local.work < 0.5 * p->totals.work_cost || r->as_executed ||
        !strcmp(r->construct, "pthread_create") || r->cut.by_runtime || !r->parts ||
        r->parts != r->tasks || r->on_local.count > 1)
        return 0;
    double mean = (double)r->local.work / r->parts;
    bool equal = r->longest && r->longest < 1.25 * mean;
    return equal && profile_ns(p, mean) > LIMIT_FINE_NS && r->tasks > workers &&
                   r->tasks < FEW_TASKS * workers && r->tasks % workers
               ? r
               : 0;
}

/* Has each part of R's a thread of its own, by BY? */
static bool has_own_threads(const struct row *r, enum summary_setting by)
{
    return by == SETTING_TEAM ? r->by_team
                              : by == SETTING_THREADS && !strcmp(r->construct, "pthread_create");
}

double limits_by_span(const struct summary *m, double slots, double longer)
{
    enum summary_setting by = summary_limited_by(m);
    double span = m->span * longer, work = m->work * longer, all = (slots - 1) * span, of_parts = 0,
           ends = 0;
    if (by == SETTING_RANKS)
        return summary_has_parallel_ranks(m) ? all : fmin(all, fmax(slots * span - work, 0));
    for (size_t i = 0; i < m->row_count; i++)
        if (has_own_threads(&m->rows[i], by)) {
            of_parts += longer * profile_ns(m->profile, m->rows[i].on_local.span);
            ends += longer * profile_ns(m->profile, m->rows[i].local.work);
        }
    return fmin(all, fmax(slots * of_parts - ends, 0) + (slots - 1) * fmax(span - of_parts, 0));
}

static struct finding *add(struct limits *l, enum limit what, double ns)
{
    struct finding *f = &l->found[l->count];
    double share = ratio(ns, l->ledger.all);
    if (share < LIMIT_WORTH)
        return 0;
    *f = (struct finding){ .what = what, .ns = ns, .share = share };
    l->count++;
    return f;
}

static int by_size(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    double one = x->ns - x->of_ends, other = y->ns - y->of_ends;
    return one < other ? 1 : one > other ? -1 : (int)x->what - (int)y->what;
}

/* Adds the time that strands waited on the CPU. It is a part of the work, and makes that too large:
 * so its share of the work decides, whatever the worker time is. */
static void find_spinning(struct limits *l, const struct summary *m, const struct paths *t)
{
    const struct path_node *caller;
    double ns = t ? paths_spinning(t, &caller) : 0;
    if (m->work > 0 && ns >= SPINNING * m->work)
        l->found[l->count++] = (struct finding){ .what = LIMITED_BY_SPINNING,
                                                 .ns = ns,
                                                 .share = ratio(ns, l->ledger.all),
                                                 .caller = caller };
}

/* The share of the work in which samples found threads waiting on the CPU; 0: by chance, if any. */
static double spun_part(const struct summary *m, const struct paths *t)
{
    const struct path_node *caller;
    double ns = t && m->work > 0 ? paths_spinning(t, &caller) : 0, part = ratio(ns, m->work);
    return t && t->spin_samples >= LIMIT_SPIN_SAMPLES && part >= LIMIT_SPIN_PART ? part : 0;
}

/* Where ranks were in MPI longest, but for its start and end; NULL: nowhere. */
static const struct row *longest_call(const struct summary *m)
{
    size_t i = 0;
    while (i < m->call_count && summary_starts_or_ends_mpi(&m->calls[i]))
        i++;
    return i < m->call_count ? &m->calls[i] : 0;
}

static void find(struct limits *l, const struct summary *m, const struct paths *paths)
{
    const struct lpf_totals *t = &m->profile->totals;
    const struct ledger *g = &l->ledger;
    const struct row *longest;
    struct finding *f;
    double waits = summary_exclusion(m, &longest), idle = fmax(g->idle - waits, 0);
    double in_strands = m->work + g->between + g->own + g->blocked;
    double slots = fmax(t->workers, ratio(g->all, t->elapsed_ns));
    /* the path took longer than its work by overhead, like all strands; off the CPU, it kept others
     * idle, too, but not for lack of parallelism */
    double longer = m->work > 0 ? (m->work + g->between + g->own) / m->work : 1,
           phases = limits_by_span(m, slots, longer);
    /* while the first thread slept before the first task, slots without a thread waited for that */
    double early = fmin((slots - 1) * profile_waited_alone_ns(m->profile), fmax(g->absent, 0));
    /* workers without a CPU may not have lacked a task */
    double lacking = fmax(idle - fmax(g->ready, 0) - early, 0);
    /* but they need the span at least, whoever had the processors meanwhile */
    double least = fmin(idle, fmax(slots * m->span - in_strands, 0));
    double most = m->parallelism < LIMIT_AMPLE * t->workers ? phases : 0;
    double serial = fmin(most, fmax(least, lacking));
    /* of a run with enough parallelism, unequal parts of a region are not too little of it */
    if (m->parallelism >= t->workers && most > 0 && unequal(m, most))
        serial = most = 0;
    l->phases = fmax(fmin(phases, idle - early) - serial, 0);
    l->span_too = fmin(most, fmax(idle - early, serial)) - serial;
    if ((f = add(l, LIMITED_BY_OVERHEAD, g->inside + g->between)))
        explain_overhead(l, m, f);
    add(l, LIMITED_BY_LIBPROF, g->own);
    if ((f = add(l, LIMITED_BY_SPAN, serial)))
        f->row = too_few(m);
    if ((f = add(l, LIMITED_BY_WAITS, waits))) {
        f->row = longest;
        if (l->partly_busy && l->without_cpu > PARTLY * waits)
            f->why = REASON_PREEMPTED;
    }
    if ((f = add(l, LIMITED_BY_MPI, g->mpi_waits + g->mpi_transfer))) {
        f->row = longest_call(m);
        f->of_ends = fmin(f->ns, summary_mpi(m).start_end);
    }
    if ((f = add(l, LIMITED_BY_IDLENESS, idle - serial)))
        explain_idleness(l, m, f);
    bool room = profile_room_ns(m->profile) >= LIMIT_WORTH * g->all;
    if (room && (f = add(l, LIMITED_BY_BLOCKING, g->blocked)) && l->preempted > 0.5 * g->blocked)
        f->why = REASON_PREEMPTED;
    find_spinning(l, m, paths);
    qsort(l->found, l->count, sizeof l->found[0], by_size);
}

double limits_inside_deviation(const struct summary *m, const struct path_cost *all)
{
    double part = ratio(all->overhead, m->work);
    return m->work * stats_share_deviation(part * all->samples, part * all->squares, all->samples,
                                           all->squares);
}

/* Sets what is known of the program's own code, which is WORK. */
static void set_own_code(struct limits *l, const struct summary *m, const struct paths *t,
                         double work)
{
    const struct lpf_totals *k = &m->profile->totals;
    bool sampled = l->ledger.known && t && t->total.samples;
    l->task_own = ratio(work, k->tasks);
    l->strand_own = work / m->strands;
    l->short_strands = k->spawns && strcmp(profile_string(m->profile, k->clock), "virtual") &&
                       l->strand_own < (k->ns_num ? SHORT_STRAND_NS : SHORT_STRAND_INSTRUCTIONS);
    l->taken = summary_taken_most(m, NULL);
    l->own_error = sampled ? Z95 * limits_inside_deviation(m, &t->total) : m->work;
    l->own_most = fmin(m->work, work + l->own_error) + l->taken;
}

/* A thread has no CPU because of the program's others while these have all processors, and then no
 * more threads than there are beyond the processors. So the CPU time bounds this time; what is
 * beyond that, other programs caused. If nothing shows how long threads had no CPU, the program had
 * at least half of its processors. */
static bool crowds_itself(const struct limits *l, const struct profile *p)
{
    double n = profile_processors(p), cpu = p->totals.cpu_ns;
    if (!l->crowded || l->processors_full)
        return l->crowded;
    return l->preempted < 0 ? cpu >= 0.5 * n * p->totals.elapsed_ns
                            : (p->totals.workers - n) * cpu / n >= 0.5 * l->preempted;
}

void limits_new(struct limits *l, const struct summary *m, const struct paths *t)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    double idle;
    *l = (struct limits){ .ledger = ledger_of(m, t) };
    double work = l->ledger.known ? fmax(l->ledger.work, 0) : m->work;
    set_own_code(l, m, t, work);
    struct own_share in_samples = paths_own_share_all(m, t);
    l->own_part = in_samples.large ? ratio(in_samples.own, in_samples.samples) : 0;
    l->spun = spun_part(m, t);
    l->preempted = profile_has_run_delay(p) ? (double)profile_all_run_delay_ns(p) : -1;
    /* If threads waited for a CPU longer than strands were off the CPU at all, the difference lay
     * between strands, where it looks like sleep. And threads that looked for tasks may have waited
     * for strands that had no CPU. */
    idle = l->ledger.idle - fmax(l->ledger.absent, 0);
    l->processors_full = profile_processors(p) &&
                         k->cpu_ns >= FULL * profile_processors(p) * k->elapsed_ns;
    l->crowded = profile_processors(p) && k->workers > profile_processors(p);
    l->crowds_itself = crowds_itself(l, p);
    l->without_cpu = fmax(fmax(l->preempted - l->ledger.blocked, l->ledger.ready), 0);
    l->busy_machine = l->preempted > idle || l->without_cpu > 0.5 * idle;
    l->partly_busy = l->without_cpu > PARTLY * idle;
    if (l->ledger.known && k->span_cost)
        find(l, m, t);
}
