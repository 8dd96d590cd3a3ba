/* burden.h - the costs of events: libprof's own, which strands must not contain, and that of a
 * steal, which is the burden. */
#ifndef PRELOAD_ENGINE_BURDEN_H
#define PRELOAD_ENGINE_BURDEN_H

#include <stdint.h>

struct thread;

/* Profiler overhead (clock units) in the part of a strand that FOLLOWS the event: the rest of that
 * hook, and the beginning of the next one up to its clock reading. */
struct calibrated {
    uint64_t spawn, begin, resume;
    uint64_t into;              /* engine_end_into */
    uint64_t event;             /* TSC ticks that an event costs in all, for the report */
};
extern struct calibrated calibrated;

/* [hook] TH has new steal samples: estimates the burden from them, unless it was set. */
void burden_update(struct thread *th);
/* [init] BURDEN in cost units. MEASURE: estimate it from steals; BURDEN holds until there are
 * some. */
void burden_setup(uint64_t burden, int measure);
/* [init] The same, as SETTING states it: PROF_BURDEN. The clock is set up. */
void burden_configure(const char *setting);
/* [any] The median, in ticks, of a steal histogram of N samples. */
uint64_t histogram_median(const uint64_t *h, uint64_t n);

#endif
