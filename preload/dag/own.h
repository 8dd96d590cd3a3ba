/* own.h - profiler overhead that is measured, where it is too long or too uneven for a constant:
 * finding a path or a site for the first time, recording the dag, finding what a task depends on.
 * It is charged neither to the running strand nor, between strands, to the runtime. The rest, the
 * short ways of the hooks, is calibrated (engine/burden.h).
 */
#ifndef PRELOAD_OWN_H
#define PRELOAD_OWN_H

#include "dag/task.h"
#include "dag/thread.h"

struct own {
    uint64_t cost, tsc;
    uint64_t measured;          /* own_begin: by then; what nests in it is not measured twice */
};

/* The reading of the clock, NOW, found a sample or an off-CPU gap. They are the running strand's,
 * whose part ends here. */
void own_told(struct thread *th, uint64_t now);

/* [hook] */
static inline struct own own_from(struct thread *th)
{
    bool slow = false;
    uint64_t now = clock_now_telling(&th->clock, &slow);
    if (__builtin_expect(slow, 0))
        own_told(th, now);
    return (struct own){ .cost = now, .tsc = th->clock.last };
}

/* [hook] The strand has just been paused. */
static inline struct own own_since_pause(const struct thread *th)
{
    return (struct own){ .cost = th->t0, .tsc = th->clock.last };
}

/* The overhead that began at FROM has ended. REST: ticks that pass outside of the two readings of
 * the clock; REST_COST: the same in units of the clock. */
static inline void own_until_now(struct thread *th, struct own from, uint64_t rest,
                                 uint64_t rest_cost)
{
    bool slow = false;
    uint64_t now = clock_now_telling(&th->clock, &slow);
    if (th->cur)
        th->t0 += now - from.cost + rest_cost;
    th->measured_tsc += (clock_kind == CLOCK_TSC ? now - from.cost : th->clock.last - from.tsc) +
                        rest;
    if (__builtin_expect(slow, 0))
        own_told(th, now);
}

/* ---- a whole hook ---- */

/* [hook] A hook begins that is long, or that takes longer where memory is cold: the running
 * strand's part ends here. Until own_end the strand is held: what reads its clock meanwhile, for a
 * spawn or an edge, finds it as it was, and charges nothing. Neither the program nor the runtime is
 * called before own_end, and the strand is not paused; one that interrupts it is held in turn. */
extern uint64_t own_rest;       /* calibrated: what a part contains that begins with own_end */
struct own own_begin(struct thread *th);
void own_end(struct thread *th, struct own from);

#endif
