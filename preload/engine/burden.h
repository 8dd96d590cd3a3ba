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
/* [init] The same, as SETTING states it: PROF_BURDEN. The clock is set up. Where the burden is a
 * time, it is right to 2 % until burden_settle. */
void burden_configure(const char *setting);
/* [hook, writer] At the first event, and for a profile without one: converts what burden_configure
 * read to ticks again. Waits until their rate is good, 100 us after the start at most. */
void burden_settle(void);
/* [any] The median, in ticks, of a steal histogram of N samples. */
uint64_t histogram_median(const uint64_t *h, uint64_t n);

#endif
