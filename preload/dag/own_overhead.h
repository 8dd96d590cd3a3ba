/* own_overhead.h - measured profiler overhead. libprof measures its time where that is too long or
 * too uneven for a constant: to find a path or a site for the first time, to record the dag, to
 * find what a task depends on. It charges this time neither to the running strand nor, between
 * strands, to the runtime. For the short ways of the hooks it uses calibrated constants
 * (engine/calibrated.h).
 */
#ifndef PRELOAD_DAG_OWN_OVERHEAD_H
#define PRELOAD_DAG_OWN_OVERHEAD_H

#include "dag/task.h"
#include "dag/thread.h"

struct own {
    uint64_t cost, tsc;
    uint64_t measured;          /* own_begin: measured_tsc then. So nested spans count once */
    bool nested;                /* own_begin: the strand was already held */
};

/* The reading NOW of the clock found a sample or an off-CPU gap. Both belong to the running strand,
 * whose part ends here. */
void own_slow_reading(struct thread *th, uint64_t now);

/* [hook] */
static inline struct own own_from(struct thread *th)
{
    bool slow = false;
    uint64_t now = clock_now_noting(&th->clock, &slow);
    if (__builtin_expect(slow, 0))
        own_slow_reading(th, now);
    return (struct own){ .cost = now, .tsc = th->clock.last };
}

/* [hook] The strand has just been paused. */
static inline struct own own_since_pause(const struct thread *th)
{
    return (struct own){ .cost = th->t0, .tsc = th->clock.last };
}

/* The overhead that began at FROM has ended. REST: ticks of overhead outside of the two readings of
 * the clock. REST_COST: the same in units of the clock. */
static inline void own_until_now(struct thread *th, struct own from, uint64_t rest,
                                 uint64_t rest_cost)
{
    bool slow = false;
    uint64_t now = clock_now_noting(&th->clock, &slow);
    if (th->cur)
        th->t0 += now - from.cost + rest_cost;
    th->measured_tsc += (clock_kind == CLOCK_TSC ? now - from.cost : th->clock.last - from.tsc) +
                        rest;
    if (__builtin_expect(slow, 0))
        own_slow_reading(th, now);
}

/* ---- a whole hook ---- */

/* [hook] For hooks that are long, or take longer where memory is cold. own_begin ends the running
 * strand's part, and holds the strand until own_end. Meanwhile a spawn or an edge reads no clock
 * and charges nothing. Before own_end the hook must call neither the program nor the runtime, and
 * must not pause the strand. A strand that interrupts the held one is held, too. A nested own_begin
 * does nothing. */
extern uint64_t own_rest;       /* calibrated: overhead in a part that begins at own_end */
struct own own_begin(struct thread *th);
void own_end_at(struct thread *th, const struct own *from);
static inline void own_end(struct thread *th, const struct own *from)
{
    if (!from->nested)
        own_end_at(th, from);
}

#endif
