/* burden.h - what events cost: libprof's own, so that strands don't contain it, and a steal, which
 * is the burden. */
#ifndef PRELOAD_ENGINE_BURDEN_H
#define PRELOAD_ENGINE_BURDEN_H

#include <stdint.h>

struct thread;

/* Own cost (clock units) contained in the part of a strand that FOLLOWS the event: the rest of
 * that hook and the beginning of the next one, up to its clock reading. */
struct calibrated {
    uint64_t spawn, begin, resume;
    uint64_t into;              /* engine_end_into */
    uint64_t event;             /* TSC ticks an event costs in all, for the ledger */
};
extern struct calibrated calibrated;

/* [hook] TH has new steal samples: refresh the running estimate, unless the burden was set. */
void burden_update(struct thread *th);
/* [init] BURDEN in cost units; MEASURE: from steals, BURDEN until there are some. */
void burden_setup(uint64_t burden, int measure);
/* [any] ticks below which half of the N samples of a steal histogram lie. */
uint64_t histogram_median(const uint64_t *h, uint64_t n);

#endif
