/* snapshot_private.h - what the files of the snapshot share. No other file includes it.
 *
 *   snapshot.c          the order of the steps; the sums over threads; the burden
 *   snapshot_open.c     strands that run or wait at this moment: the work that no task has reported
 *   snapshot_span.c     which path is the longest
 *   snapshot_path.c     which contexts that path comes from
 *   snapshot_time.c     where the time of the threads and of the worker slots went
 *
 * Other threads may run. Each word of theirs is read by one aligned 64-bit load.
 */
#ifndef PRELOAD_OUTPUT_SNAPSHOT_PRIVATE_H
#define PRELOAD_OUTPUT_SNAPSHOT_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include "clock/clock.h"
#include "dag/scope.h"
#include "dag/task.h"
#include "dag/snapshot.h"

/* Other threads change their chains while we follow them, so a chain may lead in a circle. We stop
 * after as many steps as the longest real chain may have. */
enum { CHAIN_MOST = 1 << 24 };

static inline uint64_t at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

/* Does the clock show off-CPU gaps? */
static inline bool on_cpu_clock(void)
{
    return clock_kind == CLOCK_TSC && clock_gap;
}

/* CONTEXT as an index of the tables of S. Contexts made after these were sized share the root's
 * entries. */
static inline uint32_t snapshot_index(const struct snapshot *s, uint32_t context)
{
    return context < s->context_count ? context : 0;
}

/* The id of T's context. The block of a task that ended may be a new task by now, without a context
 * yet. Then 0, the program's. */
static inline uint32_t context_of(const struct task *t)
{
    const struct context *ctx = __atomic_load_n(&t->ctx, __ATOMIC_RELAXED);
    return ctx ? ctx->id : 0;
}

/* ---- snapshot_open.c ---- */

/* [writer] Finds the strands of other threads that run now, and their cost since their last reading
 * of the clock: thread.open_task, open, open_blocked. They go on meanwhile. If a strand takes a
 * reading, we try again. */
void snapshot_find_open(struct snapshot *s);
/* [writer] Adds work that no completed task has reported: that of strands that run or wait. */
void snapshot_add_open(struct snapshot *s);

/* ---- snapshot_span.c: both need the strands that snapshot_find_open found ---- */

/* [writer] The span of the final snapshot, and the contexts that it comes from. */
void snapshot_span(struct snapshot *s);
/* [writer] The same for a checkpoint: at least the path that the main strand last published. */
void snapshot_span_so_far(struct snapshot *s);

/* ---- snapshot_path.c ---- */

/* [writer] Adds the path to the current point of T, a strand that runs or waits, to on_span. OPEN:
 * the cost of T's strand since it last read its clock. */
void snapshot_add_live_path(struct snapshot *s, const struct task *t, uint64_t open);
/* [writer] Adds the path of T, a finished task that nobody joined. SCOPE: where T ended. NULL:
 * detached. */
void snapshot_add_ended_path(struct snapshot *s, const struct task *t, const struct scope *scope);

/* ---- snapshot_time.c ---- */

/* [writer] Divides the time of threads and of worker slots. S has all its work by now, and in
 * own_tsc libprof's estimate of all its overhead. */
void snapshot_time(struct snapshot *s);

#endif
