/* predict.c - see predict.h. */
#define _GNU_SOURCE
#include "predict/predict.h"
#include <stdio.h>
#include <string.h>
#include "analysis/summary.h"
#include "profile/profile.h"
#include "simulation/dag.h"
#include "simulation/expand.h"
#include "simulation/simulate.h"

#define BOUND 1.000001          /* rounding may exceed a bound by this factor */
#define WORKERS_MOST (1u << 20) /* as if there were a worker for each task */

double predict_in_time(const struct predictor *q, double cost)
{
    return cost * (profile_ns(q->profile, 1u << 30) / (1u << 30));
}

/* The runtime's time between strands, in ns. */
static double dispatching(const struct profile *p)
{
    const struct lpf_totals *t = &p->totals;
    const char *clock = profile_string(p, t->clock);
    double own = profile_own_of_tasks_ns(p);
    /* Without samples, dispatch_ns includes the profiler overhead that own_ns lacks, which may be
     * as much again. */
    double ns = t->dispatch_ns - (t->samples_outside ? 0 : own),
           cpu = (double)t->cpu_ns - own - t->search_ns - profile_ns(p, t->work_cost);
    if (!strcmp(clock, "virtual") || ns <= 0)
        return 0;
    /* It also includes time in which the thread was preempted, on a busy machine most of it. The
     * CPU time is an upper bound without that. */
    return t->cpu_ns && !strcmp(clock, "tsc") && ns > cpu ? cpu > 0 ? cpu : 0 : ns;
}

bool predict(struct predictor *q)
{
    const struct profile *p = q->profile;
    const struct lpf_totals *t = &p->totals;
    q->recorded = recorded_of(p);
    predict_waits(q);
    if (t->ns_num && t->tasks)
        q->overhead = dispatching(p) * t->ns_den / t->ns_num / t->tasks;
    struct expanded *s = expanded_new(p, q->overhead, q->limit);
    if (!s)
        return false;
    q->tasks = expanded_tasks(s);
    q->coarse = expanded_coarse(s);
    q->work = predict_in_time(q, q->recorded.work);
    q->all = predict_in_time(q, expanded_work(s));
    unsigned unlimited = q->tasks < WORKERS_MOST ? q->tasks : WORKERS_MOST;
    q->longest = predict_in_time(q, simulate_greedy(s, unlimited).time);
    for (unsigned i = 0; i < q->p_count; i++) {
        struct prediction *o = &q->out[i];
        o->p = q->p[i];
        struct simulated r = simulate_greedy(s, o->p);
        if (r.circle) {
            fprintf(stderr, "prof: %s: damaged: strands of the dag wait for one another\n",
                    p->path);
            expanded_free(s);
            return false;
        }
        o->greedy = predict_in_time(q, r.time);
        for (unsigned k = 0; k < q->seeds; k++) {
            r = simulate_stealing(s, o->p, t->burden_cost, k);
            double time = predict_in_time(q, r.time);
            o->mean += time / q->seeds;
            o->steals += (double)r.steals / q->seeds;
            o->low = !k || time < o->low ? time : o->low;
            o->high = time > o->high ? time : o->high;
            if (o->p == 1) {    /* without a victim, nothing is random */
                o->mean = time;
                o->steals = r.steals;
                break;
            }
        }
        o->lower = summary_lower(&q->summary, o->p);
        o->upper = summary_upper(&q->summary, o->p);
        o->upper_divided = summary_upper_divided(&q->summary, o->p);
    }
    expanded_free(s);
    return true;
}

bool predict_impossible(const struct prediction *o, double speedup)
{
    return speedup > o->upper * BOUND;
}
