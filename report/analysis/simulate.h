/* simulate.h - the recorded dag of a profile (libprof_format.h, struct lpf_dag_op), and how long it takes on P workers
 * under two schedulers. docs/PREDICT.md has the model.
 *
 * A SCHEDULE is what is scheduled: tasks whose contracted parts have been given a shape again that has the same work, the
 * same longest path and no more tasks than there were. A subtree (w, s) becomes a task that takes s, beside others of at
 * most s each that take the rest; a bundle becomes that many average tasks and the one that ends last.
 *
 * Costs are the profile's units; all is deterministic, and the same for the same seed.
 */
#ifndef REPORT_ANALYSIS_SIMULATE_H
#define REPORT_ANALYSIS_SIMULATE_H

#include <stdbool.h>
#include "profile/profile.h"

struct schedule;

/* What the recorded dag says by itself, without a scheduler. */
struct recorded {
    uint64_t work, span, tasks;
    size_t records, arcs;       /* arcs: dependences that are no joins */
};
/* P has a dag. */
struct recorded recorded_of(const struct profile *p);

/* OVERHEAD: cost of each task beside its own. LIMIT: tasks simulated; small ones are taken together beyond. NULL, with a line
 * on stderr: it has more tasks that cannot be taken together than a schedule can hold. */
struct schedule *schedule_new(const struct profile *p, double overhead, size_t limit);
void schedule_free(struct schedule *s);
size_t schedule_tasks(const struct schedule *s);
uint64_t schedule_work(const struct schedule *s);      /* overhead included */
bool schedule_coarse(const struct schedule *s);        /* tasks were taken together: the span may be longer */

struct simulated {
    uint64_t time;              /* T_P */
    uint64_t steals;
    bool circle;                /* strands wait for one another in a circle: the dag is none. They went on all the same */
};
/* A greedy schedule: no worker is idle while a strand could run; a strand that waits leaves its worker, at no cost. */
struct simulated simulate_greedy(struct schedule *s, unsigned p);
/* Child stealing: a worker takes its own newest task, an idle one the oldest of a random victim, LATENCY after there was one
 * to take and it was idle. A join runs other tasks on top of the strand that waits, which goes on when it is on
 * top again. */
struct simulated simulate_stealing(struct schedule *s, unsigned p, uint64_t latency, uint64_t seed);

#endif
