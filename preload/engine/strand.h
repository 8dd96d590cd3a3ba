/* strand.h - what an agent reports of strands and tasks: spawn, begin, pause, resume, end.
 *
 * A strand runs on one thread (th->cur). It stops when its task ends or pauses. Then no strand runs
 * on the thread until another task begins or resumes. All functions are [hook]: on an application
 * thread, outside signal handlers. TH is the calling thread's state.
 */
#ifndef PRELOAD_ENGINE_STRAND_H
#define PRELOAD_ENGINE_STRAND_H

#include "dag/own_overhead.h"
#include "dag/task.h"
#include "dag/thread.h"

/* The running strand of TH spawns a task into SCOPE (NULL: detached). NULL: no memory. */
struct task *engine_spawn(struct thread *th, struct scope *scope, struct context *ctx,
                          uint32_t flags);
/* begin: TASK starts on TH (th->cur == NULL). end: the running task's body ends. pause: the running
 * strand stops; returns its task. resume: TASK goes on. */
void engine_begin(struct thread *th, struct task *task);
void engine_end(struct thread *th);
/* end, where the strand was held for FROM (dag/own_overhead.h). IS_LONG: one reading ends both.
 * Else the strand ends as of the reading at FROM; what the hook did since is between strands. */
void engine_end_own(struct thread *th, struct own from, bool is_long);
struct task *engine_pause(struct thread *th);
void engine_resume(struct thread *th, struct task *task);
/* engine_end of TASK, whose strand is paused. */
void engine_end_paused(struct thread *th, struct task *task);
/* Two of these with one reading of the clock. interrupt: the running strand pauses, and TASK
 * starts. switch: the running strand pauses, and NEXT, paused, goes on. */
void engine_interrupt(struct thread *th, struct task *task);
void engine_switch(struct thread *th, struct task *next);
/* TASK was spawned and will never run. */
void engine_discard(struct thread *th, struct task *task);
/* From now on TASK may go on on another thread. So nobody uses its scopes' local halves. */
void engine_unbias(struct task *task);
/* TASK, which was unbiased, owns a dag (dependence.h), and only TH will spawn, run and join the
 * strands of this dag. So TH uses the local half of TASK's own scope, which is not made yet. */
void engine_bias(struct thread *th, struct task *task);

/* Ends the current part of the running strand. Then its task's figures are up to date. */
void engine_cut(struct thread *th);

#endif
