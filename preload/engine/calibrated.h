/* calibrated.h - what an event costs libprof itself, as lifecycle/calibrate.c measures it at the
 * first event. Strands must not contain this. */
#ifndef PRELOAD_ENGINE_CALIBRATED_H
#define PRELOAD_ENGINE_CALIBRATED_H

#include <stdint.h>

/* Profiler overhead (clock units) in the part of a strand that FOLLOWS the event: the rest of that
 * hook, and the beginning of the next one up to its clock reading. Written at the first event,
 * then read only; 0 before. */
struct calibrated {
    uint64_t spawn, begin, resume;
    uint64_t into;              /* engine_end_into */
    uint64_t called;            /* engine_return_call */
    uint64_t call;              /* engine_spawn_call, in the part that it is in */
    uint64_t event;             /* TSC ticks that an event costs in all, for the report */
};
extern struct calibrated calibrated;

#endif
