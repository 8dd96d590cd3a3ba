/* run.h - facts of the whole run that every hook reads. */
#ifndef PRELOAD_DAG_RUN_H
#define PRELOAD_DAG_RUN_H

#include <stdbool.h>
#include <stdint.h>

extern bool engine_recording;   /* set after start-up; cleared at the final snapshot */
/* Scenarios are tried, or the dag is recorded: every spawn, join and end has more to do than the
 * engine's short ways. Set at start-up. */
extern bool engine_extras;
extern uint64_t engine_burden;  /* cost; the current estimate, unless it was set */
extern int burden_measured;     /* setting: 1, the burden is measured from steals */
extern uint64_t engine_start_tsc;

/* Agents report what the report needs to know. [hook], cheap when repeated. */
void engine_workers(uint32_t p);                /* worker slots of a runtime: the maximum counts */
extern uint32_t engine_worker_slots;
void engine_lower_bound(const char *construct); /* static string; counts */
/* The same of a construct for which the span may be too long, too: it is no bound. */
void engine_not_exact(const char *construct);
struct lower_bound {
    const char *construct;
    uint64_t count;
    bool no_bound;
};
extern struct lower_bound engine_lower_bounds[16];

/* Costs are compared in the burdened dag with the burden as known now. */
static inline uint64_t burdened(uint64_t L, uint64_t K)
{
    return L + K * engine_burden;
}

#endif
