/* summary_taken.c - how much libprof took off the strands, beside what is left. See summary.h. */
#include <math.h>
#include <string.h>
#include "analysis/summary.h"
#include "profile/profile.h"

/* Where libprof took more than this for each task on average, most of it is rare work, such as new
 * call paths. That is measured. A calibrated hook takes less. */
#define CALIBRATED_NS 1e3

/* The most that was taken off strands that began or spawned so many TASKS, in ns. */
static double taken_off(const struct summary *m, double tasks)
{
    const struct lpf_totals *t = &m->profile->totals;
    double own = profile_own_of_tasks_ns(m->profile), of_task = ratio(own, t->tasks);
    return t->ns_num && strcmp(profile_string(m->profile, t->clock), "virtual") &&
                   of_task <= CALIBRATED_NS
               ? fmin(of_task * tasks, own)
               : 0;
}

double summary_taken_most(const struct summary *m, const struct row *r)
{
    const struct lpf_totals *t = &m->profile->totals;
    double taken = taken_off(m, r ? (double)r->tasks + r->spawned : t->tasks),
           left = profile_ns(m->profile, r ? r->local.work : t->work_cost);
    return taken >= left ? taken : 0;
}
