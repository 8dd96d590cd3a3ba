/* burden.h - the burden: the cost of a steal, its setting and its estimate. dag/lengths.h adds it
 * to the edges of the dag. */
#ifndef PRELOAD_ENGINE_BURDEN_H
#define PRELOAD_ENGINE_BURDEN_H

#include <stdint.h>

struct thread;

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
