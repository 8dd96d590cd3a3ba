/* path_verdict.c - what to do about a function, and how sure its share of the samples is.
 *
 * A verdict on grain rests on how many tasks execute the function, how long they are, and on how
 * many threads (struct path_grain); one on idleness, on a ledger whose idle time is not that of
 * threads that had no processor.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include "analysis/limits.h"
#include "analysis/model.h"
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "base/format.h"
#include "profile/profile.h"

/* A tenth of a whole is what a person would act on first; below it, measurements of idleness by
 * some hundred samples do not tell zero from something. Overhead is judged against the function's
 * own effort: more than a fifth of it, and tasks are too small for what each costs. */
#define HIGH_SHARE 0.10
#define HIGH_OVERHEAD 0.20
#define IDLE_SAMPLES 4
/* A task that is so much longer than the mean, where there are few, is what the others wait for. */
#define UNEVEN 1.5
/* One thread that has so much of the tasks' work has executed them alone. */
#define ALONE 0.9
/* So many barriers in a region are those of an inner loop. */
#define MANY_BARRIERS 100
/* With so many times the workers as parallelism, any greedy schedule has two thirds of them
 * busy. */
#define SCALES 2.0

struct judged {
    const struct path_cost *c;
    const struct path_grain *g; /* NULL: the program's own strands, outside every task */
    double span, work, idle;    /* shares of all */
    bool idles;                 /* others idle beside it, and had a processor */
    double mean;                /* of its tasks, ns */
    unsigned workers;
};

/* Its longest task is far above the mean, and a good part of the critical path by itself, or one of
 * few; NULL: no. Whether others idled meanwhile does not matter, but for chunks of a loop: a
 * runtime makes some larger than others, and that costs nothing until somebody waits for them. */
static char *of_imbalance(const struct paths *t, const struct judged *j, bool few)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE];
    double longest = profile_ns(t->model->profile, g->longest);
    if (longest < UNEVEN * j->mean || g->tasks <= 1 || (g->cut && !j->idles) ||
        (!few && longest < HIGH_SHARE * t->model->span))
        return 0;
    return format_text(g->cut ? "uneven chunks: %s, longest %.1f x the mean: cut smaller ones"
                              : "imbalanced: %s tasks, longest %.1f x the mean",
                       format_count(g->tasks, a), ratio(longest, j->mean));
}

/* What the tasks that execute it are like; NULL: nothing stands out. */
static char *of_grain(const struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    double at_a_time = limits_at_a_time(g->tasks, g->on_count);
    if (g->tasks >= 2.0 * j->workers && g->busiest_work >= ALONE * g->work)
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

/* TEXT, a fresh string or NULL, as a name of T's. */
static const char *kept(struct paths *t, char *text)
{
    const char *name = text ? path_intern(t, text) : 0;
    free(text);
    return name;
}

static const char one_share[] = "one thread's share of a region on the critical path: balance it";

static const char *of_idleness(struct paths *t, const struct judged *j)
{
    const struct path_cost *c = j->c;
    bool region = c->executed > MOST * c->span, even = region && c->even > MOST * c->executed;
    bool high = j->span >= HIGH_SHARE;
    if (c->blocked > c->work)
        return "off the CPU while others idle: shorten or overlap the wait";
    if (c->excluded > MOST * c->idleness)
        return "runs while others wait for a critical section or lock: shorten it";
    if (high && region && !even)
        return one_share;
    if (region)
        return even ? 0 : "idle beside a region's share, off the critical path";
    if (!j->g) /* mostly there, be it little of it */
        return high || c->span > MOST * c->work
                   ? "serial on the critical path: parallelise"
                   : "serial beside the critical path, while others idle";
    const char *grain = kept(t, of_grain(t, j));
    if (grain)
        return grain;
    if (high && c->work <= LIMIT_SERIAL * c->span)
        return limits_at_a_time(j->g->tasks, j->g->on_count) <= LIMIT_SERIAL
                   ? "serial on the critical path: parallelise"
                   : "in few of its tasks, on the critical path: shorten it there";
    return 0;
}

/* Overhead is high. */
static const char *of_overhead(const struct judged *j, bool spawns)
{
    if (j->g && !spawns && j->mean >= LIMIT_FINE_NS)
        return "overhead, though its tasks are long: fewer calls of the runtime";
    return j->idles ? "idleness and overhead both high: change the decomposition"
                    : "fine-grained: coarsen";
}

/* A region's strands between barriers, many and short. */
static const char *of_barriers(struct paths *t, const struct judged *j)
{
    const struct path_grain *g = j->g;
    char a[FORMAT_SIZE];
    if (!g || !g->regions || g->strands < MANY_BARRIERS * g->regions || j->mean >= LIMIT_FINE_NS)
        return 0;
    return kept(
        t, format_text("barriers in inner loops: %s", format_count(g->strands - g->regions, a)));
}

/* It has a good part of the span, and not enough work beside that for all workers, be some of it in
 * tasks. NULL: it has, or its loops were cut for these workers, and allow more. */
static char *of_parallelism(const struct paths *t, const struct judged *j)
{
    char a[FORMAT_SIZE];
    double own = ratio(j->c->work, j->c->span);
    return j->span >= HIGH_SHARE && own > LIMIT_SERIAL && own < SCALES * j->workers &&
                   !model_loops_divide(t->model)
               ? format_text("parallelism of its own %s: shorten its part of the critical path",
                             format_ratio(own, a))
               : 0;
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
    if (j->g && !region && j->span >= HIGH_SHARE && (said = kept(t, of_imbalance(t, j, false))))
        return said;
    if (j->span >= HIGH_SHARE && j->span > 2 * j->work)
        return "on the critical path: limits larger machines";
    /* too few workers, or none beside it, to see any idle */
    if (j->span >= HIGH_SHARE && !region && c->work <= LIMIT_SERIAL * c->span &&
        (!j->g || limits_at_a_time(j->g->tasks, j->g->on_count) <= LIMIT_SERIAL))
        return "serial on the critical path: parallelise";
    if (region && c->even <= MOST * c->executed && j->span >= HIGH_SHARE)
        return one_share;
    if (!region && (said = kept(t, of_parallelism(t, j))))
        return said;
    return j->work >= HIGH_SHARE ? "scales: optimise serially" : "";
}

void paths_make_verdicts(struct paths *t)
{
    const struct profile *p = t->model->profile;
    struct limits l;
    limits_new(&l, t->model, t);
    /* idleness matters when the workers idle at all, and for want of work; a sample or two are
     * none */
    bool matters = t->idle_scaled && t->idle_ns > LIMIT_WORTH * profile_slots_ns(p) &&
                   !l.busy_machine;
    for (size_t i = 0; i < t->function_count; i++) {
        struct path_row *r = &t->functions[i];
        const struct path_node *n = &t->nodes[r->node];
        const struct path_grain *g = n->owner ? &t->private->grain[n->owner] : 0;
        struct judged j = { .c = &r->self,
                            .g = g && g->tasks ? g : 0,
                            .span = ratio(r->self.span, t->total.span),
                            .work = ratio(r->self.work, t->total.work),
                            .idle = t->idle_scaled ? ratio(r->self.idleness, t->idle_ns) : 0,
                            .workers = p->totals.workers };
        j.idles = matters && j.idle >= HIGH_SHARE && j.idle * t->idle_samples >= IDLE_SAMPLES;
        j.mean = j.g ? profile_ns(p, g->work) / g->tasks : 0;
        r->verdict = verdict(t, &j, r->self.tasks != 0);
    }
}
