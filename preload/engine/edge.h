/* edge.h - dependences that are no join: edges, paths within one invocation, messages, kept paths.
 * dag/edge.h has the structures. [hook] all functions, unless they say otherwise.
 */
#ifndef PRELOAD_ENGINE_EDGE_H
#define PRELOAD_ENGINE_EDGE_H

#include "dag/edge.h"
#include "dag/task.h"
#include "dag/thread.h"

/* ---- edges ---- */

/* put: E becomes the longer of itself and the strand's path. get: the strand starts after what was
 * put. The strand is the running one, or (paused) T's. */
void engine_edge_put(struct thread *th, struct edge *e);
void engine_edge_get(struct thread *th, struct edge *e);
void engine_edge_put_paused(struct thread *th, const struct task *t, struct edge *e);
void engine_edge_get_paused(struct thread *th, struct task *t, struct edge *e);
/* Nobody will use E again. */
void engine_edge_drop(struct thread *th, struct edge *e);

/* ---- a dag inside one invocation ---- */

/* OWNER, paused, is the task of the invocation. Its strands are tasks in OWNER's own scope, born
 * where OWNER stands. The dag spawns them, not a running strand (th->cur == NULL); SEQ orders them.
 * A strand gets what it depends on while it does not run. */
struct task *engine_spawn_of(struct thread *th, struct task *owner, uint32_t seq, uint32_t flags);
/* P becomes the path of T. */
void engine_path_put(struct thread *th, const struct task *t, struct path *p);
/* T starts after P, over BURDENS burdened edges; P is empty after. */
void engine_path_get(struct thread *th, struct task *t, struct path *p, uint32_t burdens);
void engine_path_drop(struct thread *th, struct path *p);
/* engine_end of a strand that is paused. */
void engine_end_paused(struct thread *th, struct task *t);

/* ---- messages (a flow graph) ---- */

/* A, empty, becomes the path of the running strand as it is now. The strand owns SCOPE (then the
 * arrival is a point at which SCOPE's tasks are born) or is a task of SCOPE. */
void engine_arrival_now(struct thread *th, struct scope *scope, struct arrival *a);
/* INTO becomes the later of both. */
void engine_arrival_max(struct thread *th, struct arrival *into, const struct arrival *a);
void engine_trail_drop(struct thread *th, struct trail *trail);
/* [hook] R, which nobody else has, begins at BIRTH. There the task to whose start BEFORE leads
 * spawned R's strand. R becomes a path from BEFORE's birth on, through that task. */
void engine_trail_prepend(struct thread *th, struct trail *r, const struct trail *before,
                          uint64_t birth);
/* A task of SCOPE that its messages make ready, not a running strand. */
struct task *engine_spawn_after(struct thread *th, struct scope *scope, struct context *ctx,
                                uint32_t seq, uint32_t flags);
/* T, not yet begun, starts after A, over BURDENS burdened edges. */
void engine_task_after(struct thread *th, struct task *t, const struct arrival *a,
                       uint32_t burdens);
/* The running strand goes on after A. */
void engine_running_after(struct thread *th, const struct arrival *a);

/* ---- dependences between tasks that one strand spawned ---- */

/* *K becomes the path of T, which has ended or is paused. */
void engine_keep(struct thread *th, struct task *t, struct kept *k);
void engine_kept_drop(struct thread *th, struct kept *k);
/* T, spawned and not yet begun, starts after K; its path then leads through K's, with provenance.
 */
void engine_after(struct thread *th, struct task *t, const struct kept *k);
/* T, paused or just resumed, goes on after K, which it spawned into JOINED. */
void engine_join_kept(struct thread *th, struct task *t, const struct kept *k,
                      struct scope *joined);
/* [any] The order in which a task goes after several: the longest first; of equal ones the one that
 * was spawned first. So its path is the same in every schedule. */
bool engine_keep_longer(const struct kept *k, const struct kept *than);
/* [any] A task that starts after A and then after B has the path that B alone would give it. */
bool engine_keep_covers(const struct kept *a, const struct kept *b);

#endif
