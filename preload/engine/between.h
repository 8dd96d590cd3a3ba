/* between.h - what a thread did between two strands, or inside a call of the runtime. All are
 * [hook]. */
#ifndef PRELOAD_ENGINE_BETWEEN_H
#define PRELOAD_ENGINE_BETWEEN_H

#include "dag/thread.h"

/* What the time between the last strand and the running one was: */
void between_was_idle(struct thread *th);    /* the thread waited for others */
/* The thread waited for tasks of CTX, whose last one ended at ENDED (tsc); 0: not known. */
void between_was_wait_for(struct thread *th, const struct context *ctx, uint64_t ended);
/* When the last child of T ended that ended on a thread other than T's (tsc). 0: there is none, or
 * not all children's ends are recorded. */
uint64_t engine_children_ended(const struct task *t);
/* The thread had no strand until the running one began. There was work for it from READY (tsc) on;
 * what the thread was idle after that is the runtime's start latency. */
void between_was_before(struct thread *th, uint64_t ready);
/* The thread waited for others until UNTIL (tsc), when the running strand became ready. The rest,
 * if any, was the runtime's. KIND: see dag/idle.h. */
void between_was_idle_until(struct thread *th, uint64_t until, enum idle_kind kind);
void between_was_own(struct thread *th);     /* profiler overhead */
void between_was_lent(struct thread *th);    /* another thread ran instead: no slot idled */

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
