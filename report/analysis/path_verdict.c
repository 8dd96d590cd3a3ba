/* path_verdict.c - what to do about a function or a path, and how sure its share of the samples
 * is. */
#define _GNU_SOURCE
#include <math.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "profile/profile.h"

/* A tenth of a whole is what a person would act on first; below it, measurements of idleness by
 * some hundred samples do not tell zero from something. Overhead is judged against the function's
 * own effort: more than a fifth of it, and tasks are too small for what each costs. */
#define HIGH_SHARE 0.10
#define HIGH_OVERHEAD 0.20
#define IDLE_SAMPLES 4
/* So much more work than span, and a function still is serial: the two are split by different
 * samples. */
#define SERIAL 1.05
/* Parallelism that is enough for a worker, as the first words of the report say of the
 * program's. */
#define AMPLE 10

/* Work W and span S: do workers idle because it is serial, and not for want of something else to
 * run? */
static bool is_serial(const struct paths *t, double w, double s, bool high)
{
    unsigned p = t->model->profile->totals.workers;
    return high ? w < AMPLE * p * s : w < p * s;
}

const char *path_verdict(const struct paths *t, const struct path_cost *c)
{
    double span = ratio(c->span, t->total.span), work = ratio(c->work, t->total.work);
    double idle = t->idle_scaled ? ratio(c->idleness, t->idle_ns) : 0;
    /* idleness matters when the workers idle at all; a sample or two are none */
    bool idles = t->idle_scaled && t->idle_ns > 0.05 * profile_slots_ns(t->model->profile) &&
                 idle >= HIGH_SHARE && idle * t->idle_samples >= IDLE_SAMPLES;
    bool fine = ratio(c->overhead, c->work) >= HIGH_OVERHEAD &&
                (work >= HIGH_SHARE || span >= HIGH_SHARE);
    if (idles && fine)
        return "idleness and overhead both high: change the decomposition";
    if (fine)
        return "fine-grained: coarsen";
    if (idles && c->blocked > profile_ns(t->model->profile, c->work))
        return "off the CPU while others idle: shorten or overlap the wait";
    if (idles && c->excluded > MOST * c->idleness)
        return "runs while others wait for a critical section or lock: shorten it";
    bool region = c->executed > MOST * c->span, even = region && c->even > MOST * c->executed;
    if (idles && span >= HIGH_SHARE && region && !even)
        return "one thread's share of a region on the critical path: balance it";
    if (idles && !region && is_serial(t, c->work, c->span, span >= HIGH_SHARE))
        return "serial on the critical path: parallelise";
    if (idles && !region && span >= HIGH_SHARE)
        return "idle here though parallel enough: too coarse for P";
    if (idles && !even)
        return "idle here though off the critical path: too coarse for P";
    if (span >= HIGH_SHARE && span > 2 * work)
        return "on the critical path: limits larger machines";
    /* too few workers, or none beside it, to see any idle */
    if (span >= HIGH_SHARE && !region && c->work <= SERIAL * c->span)
        return "serial on the critical path: parallelise";
    if (work >= HIGH_SHARE)
        return "scales: optimise serially";
    return "";
}

double path_margin(uint64_t hits, uint64_t all)
{
    const double z = 1.96;
    if (!all)
        return 1;
    double p = (double)hits / all;
    return z / (1 + z * z / all) * sqrt(p * (1 - p) / all + z * z / (4.0 * all * all));
}
