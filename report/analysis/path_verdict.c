/* path_verdict.c - verdicts: what to do about a function.
 *
 * A verdict on grain depends on the number of tasks that execute the function, on their length and
 * on the number of threads (struct path_grain). A verdict on idleness needs a ledger whose idle
 * time is not that of threads without a CPU.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include "analysis/limits.h"
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "profile/profile.h"

/* A share of the whole that is worth a verdict. Below it, some hundred samples cannot distinguish
 * idleness from none. */
#define HIGH_SHARE 0.10
/* Overhead is a share of the function's own work. Above this, tasks are too small for their
 * cost. */
#define HIGH_OVERHEAD 0.20
/* Fewer samples than this show no idleness. */
#define IDLE_SAMPLES 4
/* If tasks are few, the others wait for one that is so many times longer than the mean. */
#define UNEVEN 1.5
/* A thread with at least this share of the tasks' work has executed them alone. */
#define ALONE 0.9
/* A region with at least so many barriers has them in an inner loop. */
#define MANY_BARRIERS 100
/* A function of a region is balanced if its own work is about this share of the threads times its
 * own span: samples split both, each with an error. */
#define BALANCED 0.9
/* If parallelism is so many times the workers, any greedy schedule keeps two thirds of them
 * busy. */
#define SCALES 2.0

struct judged {
    const struct path_cost *c;
    const struct path_grain *g; /* NULL: the program's own strands, outside every task */
    double span, work, idle;    /* shares of the program's, 0 to 1 */
    bool recursive;             /* a part of it is in tasks of a recursion */
    bool idles;                 /* workers idle while it runs, and not for want of a CPU */
    double mean;                /* ns of a mean task */
    double waits;               /* inside strands, of it and its callees, per time of their work */
    unsigned workers;
};

static const char serial[] = "serial on the critical path: parallelise";
/* All of it is on one path, so no two threads execute it at a time. Whether that is all of its
 * tasks in turn, as of a serial filter, or few of them, is not known. */
static const char one_at_a_time[] = "one at a time on the critical path: parallelise or shorten it";

/* Did one thread do nearly all the work of a region's own strands? */
static bool alone(const struct path_grain *g)
{
    return g->regions && g->busiest_work >= ALONE * g->work;
}

/* The verdict on code that nothing else runs beside. It is a step of a recursion, or the work of
 * one thread of a region while the others execute tasks. A recursion's tasks get smaller with every
 * level, so the length of the first ones shows no imbalance. NULL: the code is neither, or there is
 * ample parallelism. */
static const char *of_step(const struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    double ample = LIMIT_AMPLE * j->workers;
    if (j->span < HIGH_SHARE || t->summary->parallelism >= ample)
        return 0;
    return (g && alone(g)) || (j->recursive && ratio(j->c->work, j->c->span) < ample) ? serial : 0;
}

/* The verdict on tasks of which the longest is far above the mean, and is a good part of the
 * critical path or one of FEW. NULL: it is not. If no worker idles, long tasks cost nothing where
 * parallelism is ample, and chunks of a loop never: a runtime makes some larger than others. */
static char *of_imbalance(const struct paths *t, const struct judged *j, bool few)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE];
    double longest = profile_ns(t->summary->profile, g->longest);
    if (longest < UNEVEN * j->mean || g->tasks <= 1 || j->recursive || alone(g) ||
        (g->cut && !j->idles) || (!few && longest < HIGH_SHARE * t->summary->span) ||
        (!j->idles && t->summary->parallelism >= (double)LIMIT_AMPLE * j->workers))
        return 0;
    /* a task has the joins that its thread executes up the tree; how much they are is not known */
    if (g->reduces)
        return format_text("longest of %s tasks %.1f x the mean, perhaps by its joins: then a "
                           "cheaper join, or fewer parts",
                           format_count(g->tasks, a), ratio(longest, j->mean));
    return format_text(g->cut ? "uneven chunks: %s, longest %.1f x the mean: cut smaller ones"
                              : "imbalanced: %s tasks, longest %.1f x the mean",
                       format_count(g->tasks, a), ratio(longest, j->mean));
}

/* The verdict on the tasks that execute the function. NULL: nothing stands out. */
static char *of_grain(const struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    double at_a_time = limits_at_a_time(g->tasks, g->on_count);
    if (g->tasks >= 2.0 * j->workers && !g->started && g->busiest_work >= ALONE * g->work)
        return format_text("one thread executed %s of %s tasks", format_count(g->busiest_tasks, a),
                           format_count(g->tasks, b));
    bool few = g->on_count && at_a_time < LIMIT_AMPLE * j->workers;
    char *uneven = of_imbalance(t, j, few && at_a_time >= 2);
    if (uneven)
        return uneven;
    if (few && at_a_time > LIMIT_SERIAL && j->mean >= LIMIT_FINE_NS)
        return format_text("too coarse for P: about %.1f tasks at a time, of %s", at_a_time,
                           format_short_ns(j->mean, a));
    return 0;
}

/* Interns TEXT among T's names and frees it. NULL stays NULL. */
static const char *kept(struct paths *t, char *text)
{
    const char *name = text ? path_intern(t, text) : 0;
    free(text);
    return name;
}

static const char one_share[] = "one thread's share of a region on the critical path: balance it";

/* Did all threads of a region have about as much of it? The region itself may be uneven by what is
 * beside it. */
static bool balanced(const struct judged *j)
{
    double threads = j->g && j->g->threads > 1 ? j->g->threads : j->workers;
    return threads > 1 && j->c->work >= BALANCED * threads * j->c->span;
}

/* Is it in a region whose threads had unequal shares of it? */
static bool uneven(const struct judged *j)
{
    return j->c->executed > MOST * j->c->span && j->c->even <= MOST * j->c->executed &&
           !balanced(j);
}

/* Is nearly all of it on the critical path, so that its own parallelism is 1? */
static bool in_turn(const struct judged *j)
{
    return j->span >= HIGH_SHARE && j->c->work <= LIMIT_SERIAL * j->c->span;
}

/* The verdict on code that is in_turn. */
static const char *of_turns(const struct judged *j)
{
    return !j->g || limits_at_a_time(j->g->tasks, j->g->on_count) <= LIMIT_SERIAL ? serial
                                                                                  : one_at_a_time;
}

/* The verdict on a function beside which workers idle. NULL: nothing stands out. */
static const char *of_idleness(struct paths *t, const struct judged *j)
{
    const struct path_cost *c = j->c;
    bool region = c->executed > MOST * c->span, high = j->span >= HIGH_SHARE;
    if (c->blocked > c->work)
        return "off the CPU while others idle: shorten or overlap the wait";
    if (c->excluded > MOST * c->idleness)
        return "runs while others wait for a critical section or lock: shorten it";
    if (region && !uneven(j))
        return 0;
    if (region)
        return high ? one_share : "idle beside a region's share, off the critical path";
    if (!j->g) /* on the critical path if it has a good part of it, or is mostly there */
        return high || c->span > MOST * c->work
                   ? serial
                   : "serial beside the critical path, while others idle";
    const char *step = of_step(t, j);
    return step ? step : in_turn(j) ? of_turns(j) : kept(t, of_grain(t, j));
}

/* The verdict on a function with high overhead. SPAWNS: the function spawns tasks. */
static const char *of_overhead(const struct judged *j, bool spawns)
{
    if (j->g && !spawns && j->mean >= LIMIT_FINE_NS)
        return "overhead, though its tasks are long: fewer calls of the runtime";
    return j->idles ? "idleness and overhead both high: change the decomposition"
                    : "fine-grained: coarsen";
}

/* The verdict on a region with many short strands between barriers. NULL: it has none. */
static const char *of_barriers(struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE];
    if (!g || !g->regions || g->strands < MANY_BARRIERS * g->regions || j->mean >= LIMIT_FINE_NS ||
        limits_are_chunks(t->summary->profile, g->tasks, g->busiest_tasks, g->threads))
        return 0;
    return kept(
        t, format_text("barriers in inner loops: %s", format_count(g->strands - g->regions, a)));
}

/* The verdict on a function with a good part of the span, and too little work beside that to keep
 * all workers busy, even if some of it is in tasks. NULL: it has enough work, or it is in a loop
 * that was cut for these workers, kept them busy, and allows more. */
static char *of_parallelism(const struct judged *j)
{
    char a[FORMAT_SIZE];
    double own = ratio(j->c->work, j->c->span);
    bool cut = j->g && j->g->cut;
    if (j->c->executed > MOST * j->c->span) /* balanced, perhaps in a team of few threads */
        return j->span >= HIGH_SHARE && j->c->even <= MOST * j->c->executed &&
                       own < BALANCED * j->workers
                   ? format_text("parallelism of its own %s: a larger team, or less of the "
                                 "critical path",
                                 format_ratio(own, a))
                   : 0;
    if (j->span < HIGH_SHARE || own <= LIMIT_SERIAL || own >= (cut ? 1 : SCALES) * j->workers)
        return 0;
    return format_text(cut ? "parallelism of its own %s: cut its loop into smaller chunks"
                           : "parallelism of its own %s: shorten its part of the critical path",
                       format_ratio(own, a));
}

static const char *verdict(struct paths *t, const struct judged *j, bool spawns)
{
    const struct path_cost *c = j->c;
    bool region = c->executed > MOST * c->span;
    const char *said = j->work >= HIGH_SHARE || j->span >= HIGH_SHARE ? of_barriers(t, j) : 0;
    if (said)
        return said;
    if (ratio(c->overhead, c->work) >= HIGH_OVERHEAD &&
        (j->work >= HIGH_SHARE || j->span >= HIGH_SHARE))
        return of_overhead(j, spawns);
    if (j->idles && (said = of_idleness(t, j)))
        return said;
    if (!region && (said = of_step(t, j)))
        return said;
    /* no idle worker shows it: there are too few workers, or none idles beside it */
    if (j->g && !region && in_turn(j))
        return of_turns(j);
    if (j->g && !region && j->span >= HIGH_SHARE && (said = kept(t, of_imbalance(t, j, false))))
        return said;
    if (j->span >= HIGH_SHARE && j->span > 2 * j->work)
        return "on the critical path: limits larger machines";
    if (!j->g && !region && in_turn(j))
        return serial;
    if (region && j->span >= HIGH_SHARE && uneven(j))
        return one_share;
    if ((said = kept(t, of_parallelism(j))))
        return said;
    if (j->work < HIGH_SHARE)
        return "";
    return j->waits < HIGH_SHARE ? "scales: optimise serially"
                                 : "off the CPU inside its strands: shorten or overlap the wait";
}

/* The part of the strands' time off the CPU in which they waited for something else than a CPU, 0
 * to 1. 0 as well where it is not known. */
static double waited_part(const struct profile *p, const struct limits *l)
{
    uint64_t delay;
    return profile_run_delay_ns(p, &delay)
               ? fmax(0, 1 - ratio(fmin(delay, l->ledger.blocked), l->ledger.blocked))
               : 0;
}

void paths_make_verdicts(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    struct limits l;
    limits_new(&l, t->summary, t);
    /* idleness matters only if workers idle at all, and for want of work */
    bool matters = t->idle_scaled && t->idle_ns > LIMIT_WORTH * profile_slots_ns(p) &&
                   !l.busy_machine;
    double waited = l.ledger.blocked > 0 ? waited_part(p, &l) : 0;
    for (size_t i = 0; i < t->function_count; i++) {
        struct path_row *r = &t->functions[i];
        const struct path_node *n = &t->nodes[r->node];
        const struct path_grain *g = n->owner ? &t->private->grain[n->owner] : 0;
        struct judged j = { .c = &r->self,
                            .g = g && g->tasks ? g : 0,
                            .recursive = r->recursive,
                            .span = ratio(r->self.span, t->total.span),
                            .work = ratio(r->self.work, t->total.work),
                            .idle = t->idle_scaled ? ratio(r->self.idleness, t->idle_ns) : 0,
                            .waits = waited * ratio(r->all.blocked, profile_ns(p, r->all.work)),
                            .workers = p->totals.workers };
        j.idles = matters && j.idle >= HIGH_SHARE && j.idle * t->idle_samples >= IDLE_SAMPLES;
        j.mean = j.g ? profile_ns(p, g->work) / g->tasks : 0;
        r->verdict = verdict(t, &j, r->self.tasks != 0);
    }
}
