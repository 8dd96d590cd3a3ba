/* loose.h - tasks that end before their children; joins of paused strands; gaps. [hook] all.
 *
 * engine_end lets a task end, for its scope, with the last of its children. Some runtimes have a
 * join that waits for children but not for THEIR children (OpenMP's taskwait). There a task ends
 * loosely: the join sees the task's own path, and the children that it left behind belong to the
 * scope's group. engine_join_group joins the group with the scope; without it, the end of the
 * scope's owner does.
 */
#ifndef PRELOAD_ENGINE_LOOSE_H
#define PRELOAD_ENGINE_LOOSE_H

#include "dag/scope.h"
#include "dag/task.h"
#include "dag/thread.h"

/* The running task ends loosely; paused: T, whose strand is paused; dag: T, paused, the owner of a
 * dag inside one invocation whose strands have all ended. */
void engine_end_loose(struct thread *th);
void engine_end_loose_paused(struct thread *th, struct task *t);
void engine_end_loose_dag(struct thread *th, struct task *t);

/* The running strand joins SCOPE and its group. */
void engine_join_group(struct thread *th, struct scope *scope);
/* The group of T's own scope is joined into T, which is paused, by any thread, after engine_unbias.
 */
void engine_join_paused(struct thread *th, struct task *t);

/* What the gap before the running strand was: */
void engine_gap_was_idle(struct thread *th);    /* the thread waited for others */
void engine_gap_was_own(struct thread *th);     /* profiler overhead */
void engine_gap_was_lent(struct thread *th);    /* another thread ran instead: no slot idled */

/* A function of the runtime returns that TH's running strand called (TH may be NULL), and nothing
 * but the runtime's code ran since the last reading. If the thread left the CPU there, it waited
 * for a lock of the runtime, first spinning, or had no CPU: that time is no strand's. */
void engine_call_waited(struct thread *th);
static inline void engine_call_returns(struct thread *th)
{
    if (__builtin_expect(th && *th->clock.armed != clock_armed_value, 0))
        engine_call_waited(th);
}

#endif
