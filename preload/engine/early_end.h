/* early_end.h - tasks that end before their children; joins of paused strands. [hook] all.
 *
 * After engine_end, a task ends for its scope when the last of its children has ended. But some
 * joins wait for children and not for THEIR children (OpenMP's taskwait). There a task ends
 * LOOSELY. The join sees the task's own path. The children that it left behind belong to the
 * scope's REST (struct scope_rest). engine_join_group, the end of a taskgroup, joins the scope and
 * its rest. Without that call, the end of the scope's owner joins the rest.
 */
#ifndef PRELOAD_ENGINE_EARLY_END_H
#define PRELOAD_ENGINE_EARLY_END_H

#include "dag/scope.h"
#include "dag/task.h"
#include "dag/thread.h"

/* The running task ends loosely. paused: T does, whose strand is paused. dag: T does, paused, the
 * owner of a dag inside one invocation (dependence.h). All strands of that dag have ended. */
void engine_end_loose(struct thread *th);
void engine_end_loose_paused(struct thread *th, struct task *t);
void engine_end_loose_dag(struct thread *th, struct task *t);

/* The running task ends loosely, and NEXT, paused here, goes on: with one reading of the clock. */
void engine_end_into(struct thread *th, struct task *next);

/* The running task is a call that NEXT, paused here, spawned. It ends, and NEXT joins it and goes
 * on: the short way of such ends. It is open if the call is alone in its scope: then to join the
 * scope is to join the call. False: it is not, and nothing happened. MEASURED: two readings of the
 * clock measure the profiler overhead. Else one reading is enough, and a calibrated constant. */
bool engine_return_into(struct thread *th, struct task *next, bool measured);

/* The running task has TASK_DIRECT (engine_spawn_call). It ends, and NEXT, which waits for it, goes
 * on after it: with one reading of the clock. False: NEXT is not its creator, or it leaves
 * something behind. Then nothing has happened. */
bool engine_return_call(struct thread *th, struct task *next);

/* The running strand joins SCOPE and its rest. */
void engine_join_group(struct thread *th, struct scope *scope);
/* T, paused, joins its own scope and that scope's rest. Any thread may call this, after
 * engine_unbias. */
void engine_join_paused(struct thread *th, struct task *t);

#endif
