/* ready.h - how many tasks were ready over the run: spawned, and not begun.
 *
 * The sampling thread counts them at each of its ticks, in bins of time like those of timeline.h:
 * when time passes the last bin, each pair of neighbours becomes one. So the memory stays the same
 * however long the run is. The threads count their spawns anyway, and the tasks that began on them
 * (dag/thread.h).
 *
 * Tasks that begin where they are made are never ready: calls, implicit tasks, chunks of OpenMP's
 * loops, items of pipelines. The routine of a thread is not, either: no worker can take it. Some
 * tasks are ready at a time that nobody knows, and do not count: those that had to wait for others
 * when they were created (depend), and those of libgomp's taskloops, whose creation nobody sees.
 */
#ifndef PRELOAD_SAMPLING_READY_H
#define PRELOAD_SAMPLING_READY_H

#include <stdbool.h>
#include <stdint.h>
#include "sampling/timeline.h"

struct ready_bin {
    uint64_t sum, most;         /* of the counts */
    uint64_t samples;           /* counts */
};

struct ready {
    uint32_t version, shift;    /* as in struct timeline */
    struct ready_bin bin[TIMELINE_BINS];
};

/* [any] How many tasks are ready. What begins meanwhile is not among them: so the result is not
 * above the true number at one moment of the call, unless tasks are discarded just then. It may be
 * below 0, as in a child of fork in which tasks begin that the parent spawned. */
int64_t ready_now(void);
/* [any] Has there been a task that ready_now could count? *UNKNOWN: tasks that it does not count,
 * although they waited for a worker at some time. */
bool ready_tasks(uint64_t *unknown);
/* [writer] A tick of the sampling thread, AT ticks since the run began. */
void ready_sample(uint64_t at);
/* The part of ready_sample that adds COUNT to R. Only R's writer calls this. */
void ready_add(struct ready *r, uint64_t at, uint64_t count);
/* [hook] In the child of fork: forgets all counts. */
void ready_forget(void);
/* Adds R's bins to SUM, of TIMELINE_BINS bins that are timeline_width << SHIFT ticks wide. R's
 * writer may write meanwhile. */
void ready_sum(const struct ready *r, uint32_t shift, struct ready_bin *sum);
/* What ready_sample counted. */
const struct ready *ready_counts(void);

#endif
