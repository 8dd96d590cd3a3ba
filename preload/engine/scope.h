/* scope.h - scopes and their joins. */
#ifndef PRELOAD_ENGINE_SCOPE_H
#define PRELOAD_ENGINE_SCOPE_H

#include "model/scope.h"
#include "model/task.h"
#include "model/thread.h"

/* Joins take S as of the last reading: they stand right after engine_resume, or engine_cut.
 * [hook] A new scope of the running strand; its join, which also empties it (waits, bounded, for
 * tasks whose end has not been recorded yet); a join by another task than the owner. */
struct scope *engine_scope_new(struct thread *th);
void engine_join(struct thread *th, struct scope *scope);
void engine_join_foreign(struct thread *th, struct scope *scope);
void engine_scope_free(struct thread *th, struct scope *scope); /* empty and joined */
/* [any thread, TH may be NULL] Nobody will join SCOPE, whoever owns it: what ends there ends with the program, like a task
 * without a scope. Of its owner (when it ends, or sweeps), its tasks and this call the last one frees it: it is not the
 * caller's any more.
 * [hook] sweep: the running strand, about to make a scope that may be left, gives up those that were. It walks its scopes
 * when it has made as many as the last walk kept: a scope costs O(1), and of those left no more stay than of the others. */
void engine_scope_leave(struct thread *th, struct scope *scope);
void engine_scopes_sweep(struct thread *th);
/* [hook] Who waits for a record that is a moment late asks for it between turns, for as long as there are any; then says whether it
 * came. All-zero at the begin. errno is the caller's to keep. */
struct late {
    uint64_t since;
    uint32_t spins, yields, naps;
};
bool engine_late_turn(struct late *l);
void engine_late_end(struct thread *th, const struct late *l, bool came);
/* [hook] the sync is a statement of the program (counts in syncs). */
static inline void engine_count_sync(struct thread *th) { th->syncs++; }

#endif
