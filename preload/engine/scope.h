/* scope.h - scopes and their joins.
 *
 * A join takes S as of the clock's last reading. So an agent joins right after engine_resume or
 * engine_cut. [hook] all functions, but scope_leave.
 */
#ifndef PRELOAD_ENGINE_SCOPE_H
#define PRELOAD_ENGINE_SCOPE_H

#include "dag/block.h"
#include "dag/scope.h"
#include "dag/task.h"
#include "dag/thread.h"

/* A new scope of the running strand. KEY: the agent's; may be NULL. NULL: no memory. */
static inline struct scope *scope_new(struct thread *th, void *key)
{
    struct scope *s = block_new(th, BLOCK_SCOPE);
    if (__builtin_expect(!s, 0))
        return 0;
    struct task *cur = th->cur;
    s->owner = cur;
    s->thread = th;
    s->key_next = 0;
    s->key = key;
    s->owner_next = cur->scopes;
    cur->scopes = s;
    ASSERT(scope_is_valid(th, s) && strand_is_valid(cur));
    return s;
}
/* T's own scope (dag/task.h), made at the first call and freed when T is complete. T is the running
 * strand, or a task that only TH's strands spawn into. NULL: no memory. */
struct scope *scope_make_own(struct thread *th, struct task *t);
static inline struct scope *scope_own(struct thread *th, struct task *t)
{
    struct scope *s = __atomic_load_n(&t->own_scope, __ATOMIC_ACQUIRE);
    return __builtin_expect(s != 0, 1) ? s : scope_make_own(th, t);
}
/* Frees SCOPE, which is empty and joined. */
void scope_free(struct thread *th, struct scope *scope);

/* The running strand, SCOPE's owner, joins all tasks of SCOPE. Then SCOPE is empty. The end of a
 * task may be recorded a moment late. The join waits for it, but not for ever (late_record.c). */
void engine_join(struct thread *th, struct scope *scope);
/* The same for the running strand's own scope, if it has one. */
static inline void engine_join_own(struct thread *th)
{
    struct scope *s = th->cur ? th->cur->own_scope : 0;
    if (s)
        engine_join(th, s);
}
/* The same by another task than the owner. SCOPE is not emptied, unless it is an orphan. */
void engine_join_foreign(struct thread *th, struct scope *scope);
/* The two parts of engine_join_foreign, for any strand: the wait; the join of what has ended. */
void engine_join_wait(struct thread *th, struct scope *scope);
void engine_join_ended(struct thread *th, struct scope *scope);
/* The running strand joins SCOPE and its rest (strand.h). paused: T, paused, does that with its own
 * scope. Any thread may call this, after engine_unbias. */
void engine_join_group(struct thread *th, struct scope *scope);
void engine_join_paused(struct thread *th, struct task *t);

/* Call it before engine_join if other strands spawn into SCOPE. Their tasks may be older than
 * SCOPE. So SCOPE gets the prefixes of the owner's path from the owner's other scopes. */
void scope_borrow(struct thread *th, struct scope *scope);

/* If SCOPE is an empty orphan, makes it the running strand's and returns true. For an agent that
 * keeps its scopes, so that other strands may spawn into one whose owner has ended. */
bool scope_adopt(struct thread *th, struct scope *scope);

/* [any thread, TH may be NULL] Nobody will join SCOPE. Its tasks count as joined at the program's
 * end, like tasks without a scope. SCOPE is freed by whichever comes last: its owner (at its end or
 * sweep), its last task, or this call. The caller must not use SCOPE again, nor find it by its key,
 * which this call clears. */
void scope_leave(struct thread *th, struct scope *scope);
/* The running strand is about to make a scope that may be left. It gives up its scopes that were
 * left. It walks its list only when it has made as many new scopes as the last walk kept. So a
 * scope costs O(1), and at most about half of the scopes in the list were left. */
void scopes_sweep(struct thread *th);

/* Counts a join that is a statement of the program (Cilkview's sync). */
static inline void engine_count_sync(struct thread *th)
{
    th->syncs++;
}

#endif
