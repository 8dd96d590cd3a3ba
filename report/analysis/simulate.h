/* simulate.h - how long a schedule takes on P workers under two schedulers. docs/PREDICT.md has the
 * model.
 *
 * Costs are the profile's units; all is deterministic, and the same for the same seed.
 */
#ifndef REPORT_ANALYSIS_SIMULATE_H
#define REPORT_ANALYSIS_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>
#include "analysis/schedule.h"

struct simulated {
    uint64_t time;              /* T_P */
    uint64_t steals;
    /* strands wait for one another in a circle: the dag is none. They went on all the same */
    bool circle;
};
/* A greedy schedule: no worker is idle while a strand could run; a strand that waits leaves its
 * worker, at no cost. */
struct simulated simulate_greedy(struct schedule *s, unsigned p);
/* Child stealing: a worker takes its own newest task, an idle one the oldest of a random victim,
 * LATENCY after there was one to take and it was idle. A join runs other tasks on top of the strand
 * that waits, which goes on when it is on top again. */
struct simulated simulate_stealing(struct schedule *s, unsigned p, uint64_t latency, uint64_t seed);

#endif
