/* scope.h - scopes and their joins.
 *
 * A join takes S as of the clock's last reading. So an agent joins right after engine_resume or
 * engine_cut. [hook] all functions, but engine_scope_leave.
 */
#ifndef PRELOAD_ENGINE_SCOPE_H
#define PRELOAD_ENGINE_SCOPE_H

#include "dag/scope.h"
#include "dag/task.h"
#include "dag/thread.h"

/* A new scope of the running strand. NULL: no memory. */
struct scope *engine_scope_new(struct thread *th);
/* SCOPE is empty and joined. */
void engine_scope_free(struct thread *th, struct scope *scope);

/* The running strand, SCOPE's owner, waits for all of SCOPE, which is empty after. The end of a
 * task may be recorded a moment late: then the join waits for it, bounded. */
void engine_join(struct thread *th, struct scope *scope);
/* The same by another task than the owner; SCOPE is not emptied, unless it is an orphan. */
void engine_join_foreign(struct thread *th, struct scope *scope);
/* The two parts of engine_join_foreign, for any strand: the wait; the join of what has ended. */
void engine_join_wait(struct thread *th, struct scope *scope);
void engine_join_ended(struct thread *th, struct scope *scope);

/* SCOPE, if it is an orphan with nothing in it, becomes the running strand's: true. For an agent
 * that keeps its scopes, so that others may spawn into one whose owner has ended. */
bool engine_scope_adopt(struct thread *th, struct scope *scope);

/* Before engine_join, where other strands spawn into SCOPE. Their tasks may be older than SCOPE, so
 * it gets what the owner's other scopes keep of the owner's path. */
void engine_scope_borrow(struct thread *th, struct scope *scope);

/* [any thread, TH may be NULL] Nobody will join SCOPE: what ends there ends with the program, like
 * a task without a scope. The last of its owner (at its end or sweep), its tasks and this call
 * frees SCOPE: the caller must not use it again, nor find it by its key, which is taken off. */
void engine_scope_leave(struct thread *th, struct scope *scope);
/* The running strand is about to make a scope that may be left: it gives up those that were. It
 * walks its scopes when it has made as many as the last walk kept. So a scope costs O(1), and no
 * more of the left ones stay than there are others. */
void engine_scopes_sweep(struct thread *th);

/* A waiter for a record that is a moment late (late.c). All-zero at first. Call turn, ask for the
 * record, and repeat until turn says false or the record came; then call end. Keep errno yourself.
 */
struct late {
    uint64_t since;
    uint32_t spins, yields, naps;
};
bool engine_late_turn(struct late *l);
void engine_late_end(struct thread *th, const struct late *l, bool came);

/* The sync is a statement of the program: it counts in `syncs`. */
static inline void engine_count_sync(struct thread *th)
{
    th->syncs++;
}

#endif
