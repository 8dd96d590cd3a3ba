/* dependence.h - dependences without a join.
 *
 *   dependence_edge.c      edges between any strands; dags inside one invocation: of a pipeline,
 *                         a parallel region, a taskloop
 *   dependence_messages.c  messages of a flow graph
 *   dependence_tasks.c     tasks that start after others of the same creator (depend)
 *
 * dag/edge.h has the structures. [hook] all functions, unless marked otherwise.
 */
#ifndef PRELOAD_ENGINE_DEPENDENCE_H
#define PRELOAD_ENGINE_DEPENDENCE_H

#include "dag/edge.h"
#include "dag/task.h"
#include "dag/thread.h"

/* ---- edges ---- */

/* put: E becomes the maximum of E and the strand's path. get: the strand goes on after the maximum
 * of all that was put. The strand is the running one, or (paused) T's. */
void edge_put(struct thread *th, struct edge *e);
void edge_get(struct thread *th, struct edge *e);
void edge_put_paused(struct thread *th, struct task *t, struct edge *e);
void edge_get_paused(struct thread *th, struct task *t, struct edge *e);
/* Without a lock, for an edge of two strands: put_only, before anybody takes: by the only strand
 * that puts. T is paused, and its chunk ends. take, after that: as get and drop. */
void edge_put_only(struct thread *th, struct task *t, struct edge *e);
void edge_take(struct thread *th, struct edge *e);
/* Nobody will use E again. */
void edge_drop(struct thread *th, struct edge *e);

/* ---- a dag inside one invocation ---- */

/* OWNER, paused, is the task of the invocation. The dag's strands are tasks in OWNER's own scope,
 * born at OWNER's current point. The dag spawns them, not a running strand (th->cur == NULL). They
 * begin at once. SEQ orders them. Before a strand runs, the agent calls critical_get for what
 * it depends on. */
struct task *engine_spawn_of(struct thread *th, struct task *owner, uint32_t seq, uint32_t flags);
/* The running strand ends, and a next one of its dag will go on after it on this thread, with no
 * other strand beside them: a turn. So one task serves for both. pause: the strand stops. False,
 * and nothing has happened: the task has tasks or regions to end. resume: the next strand goes on.
 * If there is none, engine_end_paused ends the task. */
bool engine_turn_pause(struct thread *th);
void engine_turn_resume(struct thread *th, struct task *t);
/* P becomes the path of T. */
void critical_put(struct thread *th, const struct task *t, struct critical *p);
/* T starts after P, over BURDENS burdened edges. Then P is empty. */
void critical_get(struct thread *th, struct task *t, struct critical *p, uint32_t burdens);
void critical_drop(struct thread *th, struct critical *p);

/* ---- messages (a flow graph) ---- */

/* A, empty, becomes the path of the running strand as it is now. Either the strand is a task of
 * SCOPE, or it owns SCOPE. Then SCOPE's tasks are born at this point. */
void arrival_now(struct thread *th, struct scope *scope, struct arrival *a);
/* INTO becomes the later of both. max: they are messages for one task, which is inside of the
 * candidates that both were put inside of. delay: A only delays the message INTO. */
void arrival_max(struct thread *th, struct arrival *into, const struct arrival *a);
void arrival_delay(struct thread *th, struct arrival *into, const struct arrival *a);
void trail_drop(struct thread *th, struct trail *trail);
/* R, which nobody else has, begins at BIRTH, where a task spawned R's strand. BEFORE is the path to
 * that task's start. R becomes the path from BEFORE's birth on, through that task. */
void trail_prepend(struct thread *th, struct trail *r, const struct trail *before,
                   uint64_t birth);
/* A task of SCOPE that the messages A make ready; no running strand spawns it. engine_task_after
 * comes next. */
struct task *engine_spawn_after(struct thread *th, struct scope *scope, struct context *ctx,
                                uint32_t seq, uint32_t flags, const struct arrival *a);
/* T, not yet begun, starts after A, over BURDENS burdened edges. */
void engine_task_after(struct thread *th, struct task *t, const struct arrival *a,
                       uint32_t burdens);
/* arrival_now, engine_spawn_after and engine_task_after in one, for a task that starts after
 * the running strand. NULL: not possible here (scenarios, the recorded dag, no path yet, no
 * memory). Then nothing has happened. */
struct task *engine_spawn_along(struct thread *th, struct scope *scope, struct context *ctx,
                                uint32_t seq, uint32_t flags);
/* The running strand goes on after A. */
void engine_running_after(struct thread *th, const struct arrival *a);

/* ---- dependences between tasks that one strand spawned ---- */

/* *K becomes the path of T, which has ended or is paused. */
void kept_take(struct thread *th, struct task *t, struct kept *k);
void kept_drop(struct thread *th, struct kept *k);
/* T, spawned and not yet begun, starts after K. Its path may then lead through K's, with
 * K's bag. */
void engine_after(struct thread *th, struct task *t, const struct kept *k);
/* T, paused or just resumed, goes on after K, the path of a task that T spawned into JOINED. */
void engine_join_kept(struct thread *th, struct task *t, const struct kept *k,
                      struct scope *joined);
/* [any] Does K come before THAN? A task that starts after several takes the longest first, and of
 * equal ones the one that was spawned first. So its path is the same in every schedule. */
bool kept_longer(const struct kept *k, const struct kept *than);
/* [any] Does A make B superfluous: does a task that starts after A gain nothing from B? */
bool kept_covers(const struct kept *a, const struct kept *b);

#endif
