/* between.h - what a thread did between two strands, or inside a call of the runtime. All are
 * [hook]. */
#ifndef PRELOAD_ENGINE_BETWEEN_H
#define PRELOAD_ENGINE_BETWEEN_H

#include "dag/thread.h"

/* What the time between the last strand and the running one was: */
void engine_between_was_idle(struct thread *th);    /* the thread waited for others */
/* The thread waited for others until UNTIL (tsc), when the running strand became ready. The rest,
 * if any, was the runtime's. */
void engine_between_was_idle_until(struct thread *th, uint64_t until);
void engine_between_was_own(struct thread *th);     /* profiler overhead */
void engine_between_was_lent(struct thread *th);    /* another thread ran instead: no slot idled */

/* A function of the runtime returns. TH's running strand called it (TH may be NULL), and only the
 * runtime's code ran since the last reading. If the thread left the CPU there, it waited for a lock
 * of the runtime (after it spun for a while) or for a CPU. No strand is charged for that time. */
void engine_call_waited(struct thread *th);
static inline void engine_call_returns(struct thread *th)
{
    if (__builtin_expect(th && *th->clock.armed != clock_armed_value, 0))
        engine_call_waited(th);
}

#endif
