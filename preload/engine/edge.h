/* edge.h - dependences that are no join: edges, paths within one invocation, messages, kept paths.
 * model/edge.h has the structures.
 */
#ifndef PRELOAD_ENGINE_EDGE_H
#define PRELOAD_ENGINE_EDGE_H

#include "model/edge.h"
#include "model/task.h"
#include "model/thread.h"

/* [hook] Edges: put the running strand's S; make the running strand start after what was put. paused: T's. */
void engine_edge_put(struct thread *th, struct edge *e);
void engine_edge_get(struct thread *th, struct edge *e);
void engine_edge_put_paused(struct thread *th, const struct task *t, struct edge *e);
void engine_edge_get_paused(struct thread *th, struct task *t, struct edge *e);
/* Nobody will use E again. */
void engine_edge_drop(struct thread *th, struct edge *e);

/* [hook] A dag inside one invocation. OWNER, paused, is the invocation's task: its strands are tasks in
 * OWNER's own scope, born where OWNER stands. They are spawned by the dag, not by a running strand (th->cur
 * == NULL); SEQ orders them. What they depend on is got while they do not run. get empties the path, and
 * adds BURDENS burdened edges to it; put overwrites it. end_paused: engine_end of a strand that is paused. */
struct task *engine_spawn_of(struct thread *th, struct task *owner, uint32_t seq, uint32_t flags);
void engine_path_put(struct thread *th, const struct task *t, struct path *p);
void engine_path_get(struct thread *th, struct task *t, struct path *p, uint32_t burdens);
void engine_path_drop(struct thread *th, struct path *p);
void engine_end_paused(struct thread *th, struct task *t);

/* [hook] A dag whose edges are messages (a flow graph). arrival_now: the path of the running strand as it is now, on top
 * of an empty A; a strand that owns SCOPE is a point at which SCOPE's tasks are born, any other must be a task of SCOPE. max: INTO becomes the
 * later of both. spawn_after: a task of SCOPE, made ready by its messages and not by a running strand; after: T, not
 * yet begun, starts after A, over BURDENS burdened edges; after_running: the running strand goes on after A. */
void engine_arrival_now(struct thread *th, struct scope *scope, struct arrival *a);
void engine_trail_drop(struct thread *th, struct trail *trail);
void engine_arrival_max(struct thread *th, struct arrival *into, const struct arrival *a);
struct task *engine_spawn_after(struct thread *th, struct scope *scope, struct context *ctx, uint32_t seq, uint32_t flags);
void engine_task_after(struct thread *th, struct task *t, const struct arrival *a, uint32_t burdens);
void engine_running_after(struct thread *th, const struct arrival *a);

/* [hook] Dependences between tasks that one strand spawned. keep: the path of T, which has ended or is paused, in *K.
 * after: T, spawned and not yet begun, starts after what was kept; its path then leads through it, with provenance.
 * join_kept: T, paused or just resumed, which spawned it into JOINED, goes on after it. */
void engine_keep(struct thread *th, struct task *t, struct kept *k);
void engine_kept_drop(struct thread *th, struct kept *k);
void engine_after(struct thread *th, struct task *t, const struct kept *k);
void engine_join_kept(struct thread *th, struct task *t, const struct kept *k, struct scope *joined);
/* [any] Of several, whoever comes after them goes first after the longest, of equal ones after the one that was spawned first: so its
 * path is the same in every schedule. covers: who comes after A and then after B comes after B anyhow, with the same path. */
bool engine_keep_longer(const struct kept *k, const struct kept *than);
bool engine_keep_covers(const struct kept *a, const struct kept *b);

#endif
