/* own.h - libprof's own time, measured where it is too long or too uneven for a constant: finding a path or a site for the first
 * time, recording the dag. The running strand must not have it, and between strands it is no runtime's. What is neither, the
 * short ways of the hooks, is calibrated.
 */
#ifndef PRELOAD_OWN_H
#define PRELOAD_OWN_H

#include "engine.h"

struct own {
    uint64_t cost, tsc;
};

/* [hook] */
static inline struct own own_from(struct thread *th)
{
    return (struct own){ clock_now(&th->clock), th->clock.last };
}

/* REST: ticks that pass outside the two readings of the clock; REST_COST: the same in units of the clock. */
static inline void own_until_now(struct thread *th, struct own from, uint64_t rest, uint64_t rest_cost)
{
    uint64_t now = clock_now(&th->clock);
    if (th->cur)
        th->t0 += now - from.cost + rest_cost;
    th->dag_tsc += (clock_kind == CLOCK_TSC ? now - from.cost : th->clock.last - from.tsc) + rest;
}

#endif
