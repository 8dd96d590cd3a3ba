/* simulate.h - the time of an expanded dag on P workers, under two schedulers. docs/PREDICT.md
 * describes the model.
 *
 * Costs and times are in the profile's unit. The same seed always gives the same result.
 */
#ifndef REPORT_SIMULATION_SIMULATE_H
#define REPORT_SIMULATION_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>
#include "simulation/expand.h"

struct simulated {
    uint64_t time;              /* T_P */
    uint64_t steals;
    bool circle;                /* strands waited for one another in a circle, which no dag has.
                                 * From then on the simulation ignored all arcs */
};
/* A greedy scheduler. No worker is idle while a strand can run. A strand that waits leaves its
 * worker at no cost. */
struct simulated simulate_greedy(struct expanded *s, unsigned p);
/* Child stealing. A worker takes its own newest task. An idle worker takes the oldest task of a
 * random victim, LATENCY after it could first have done so. At a join, the worker runs other tasks
 * on top of the strand that waits. That strand goes on once it is on top again. */
struct simulated simulate_stealing(struct expanded *s, unsigned p, uint64_t latency, uint64_t seed);

#endif
