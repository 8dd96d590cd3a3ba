/* region.h - annotated regions: named parts of a run, between a start and a stop in one task. */
#ifndef PRELOAD_DAG_REGION_H
#define PRELOAD_DAG_REGION_H

#include <stdint.h>
#include "dag/lengths.h"

/* The measurements of all regions of one name. Under regions_lock (engine/region.c). */
struct region_total {
    struct region_total *next;
    char name[256];
    uint64_t count, work, span, max_span;
    struct lengths len;         /* the sums of the growth of L and K; D and T are unused */
    int candidate;              /* whatif/whatif.h; -1: none */
    /* in the strand that begins a rank's path (dag/job.h): ticks, and of these in MPI; work */
    uint64_t elapsed, in_calls, main_work;
};
extern struct region_total *engine_regions;    /* push-only list */

/* A region that is open in a task. */
struct region_instance {
    struct region_instance *next;
    struct region_total *total;
    uint64_t S, work;           /* the task's at the outermost start */
    uint64_t since, in_calls;   /* likewise, in a job: ticks, and the rank's ticks in MPI */
    struct lengths len;
    uint32_t depth;             /* nested starts of the same name */
    int candidate;              /* whatif/whatif.h: that the start has entered; -1: none */
};

#endif
