/* valid.h - the invariants of this room's structures, as predicates for assertions (base/debug.h):
 * the equations of task.h and its neighbours. A predicate asserts each equation by itself, so that
 * a failure names the equation that does not hold. A predicate returns true.
 *
 * A predicate may be called only by a thread that may read the structure:
 *   task      the thread that runs its strand, or that has just spawned, paused or ended it
 *   scope     the thread that runs the owner's strand. It reads the local half only if S->thread is
 *             that thread. Until the join has seen a task done, another thread may put the task
 *             there. The remote half: under the lock
 *   half      the scope's thread, or the holder of the scope's lock
 *   bag, path, kept   as their task
 *   edge      under its lock
 *   context, path, segment, node of the tree   any thread: they never change once they are
 *             published, and memos only grow
 *   block     its mark: a thread with a reference that keeps it alive
 *   thread    the thread itself
 * An equation may fail after a loss for lack of memory (an entry of a bag); LOSS_MEMORY counts it.
 */
#ifndef PRELOAD_DAG_VALID_H
#define PRELOAD_DAG_VALID_H

#include "base/debug.h"

#if LIBPROF_DEBUG
#include <stdbool.h>
#include <stdint.h>

struct bag;
struct block;
struct context;
struct critical;
struct edge;
struct kept;
struct logical_path;
struct scope;
struct segment;
struct task;
struct thread;
struct trail;

#pragma GCC visibility push(hidden)
/* OBJECT is the content of a block that is in use. */
bool block_is_live(const void *object);
/* B is zero where the block's next user expects zeros. */
bool block_is_clean(const struct block *b);
/* Overwrites a free block of a class in which the next user expects nothing. Returns true. */
bool block_poison(struct block *b);
bool bag_is_valid(const struct bag *b);
bool task_is_valid(const struct task *t);
/* T's strand runs or is paused. Its body has not ended. */
bool strand_is_valid(const struct task *t);
/* T is complete: it has left its strand and has nothing outstanding. */
bool task_is_complete(const struct task *t);
bool scope_is_valid(const struct thread *th, const struct scope *s);
/* No work of S was credited twice: taken_work <= local.work + remote.work (dag/scope.h). For S's
 * owner, and for a join that keeps the others out. */
bool scope_credit_is_valid(const struct scope *s);
/* All tasks of S have ended, and the caller, who owns both halves, is about to collect S. */
bool scope_is_over(const struct scope *s);
/* S is as new: nothing was spawned into it since its join. */
bool scope_is_zero(const struct scope *s);
bool edge_is_valid(const struct edge *e);
bool critical_put_is_valid(const struct task *t, const struct critical *p);
bool trail_is_valid(const struct trail *r);
bool kept_is_valid(const struct kept *k);
bool segment_is_valid(const struct segment *s);
bool path_is_valid(const struct logical_path *p);
bool node_is_valid(uint32_t node);
bool context_is_valid(const struct context *c);
bool thread_is_valid(const struct thread *th);
/* Was anything lost for lack of memory? Then a sum may be too small. */
bool memory_was_lost(void);
#pragma GCC visibility pop
#endif

#endif
