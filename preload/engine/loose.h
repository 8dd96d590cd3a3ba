/* loose.h - tasks that end before their children; joins of paused strands; gaps. */
#ifndef PRELOAD_ENGINE_LOOSE_H
#define PRELOAD_ENGINE_LOOSE_H

#include "model/scope.h"
#include "model/task.h"
#include "model/thread.h"

/* [hook] Tasks that end before their children. engine_end lets a task end, for its scope, with the last of
 * them; a runtime whose join waits for children but not for THEIR children (OpenMP's taskwait) ends tasks so:
 * the join sees the task's own path, and the children it left behind belong to the scope's group, which
 * engine_join_group joins with the scope; or to the end of the scope's owner. paused: of a strand that is. */
void engine_end_loose(struct thread *th);
void engine_end_loose_paused(struct thread *th, struct task *t);
/* [hook] The same of T, paused, the owner of a dag inside one invocation, whose strands have all ended. */
void engine_end_loose_dag(struct thread *th, struct task *t);
void engine_join_group(struct thread *th, struct scope *scope);
/* [hook] Joins the group of T's own scope into T, which is paused, whoever calls. T: after engine_unbias. */
void engine_join_paused(struct thread *th, struct task *t);
/* [hook] The gap before the strand that now runs was waiting for others. */
void engine_gap_was_idle(struct thread *th);
/* [hook] The gap before the strand that now runs was libprof's own time. */
void engine_gap_was_own(struct thread *th);
/* [hook] The gap before the strand that now runs was waiting for a thread, which ran instead of this one: no slot idled. */
void engine_gap_was_lent(struct thread *th);

#endif
