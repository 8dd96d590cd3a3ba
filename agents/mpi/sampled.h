/* sampled.h - the samples of the strand that begins this rank's path, with the places where they
 * hit it. A bag adds samples up by node. But the job's critical path may leave a stretch (route.h)
 * at any of the points in it, and then only what was sampled before is on the path.
 */
#ifndef AGENTS_MPI_SAMPLED_H
#define AGENTS_MPI_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

struct bag;
struct thread;

/* [hook] Samples of NODE: they hit a part of the strand that ended at S, in this STRETCH. Ascending
 * by both. The first 261,888 are kept. */
void sampled_keep(uint64_t S, uint32_t stretch, uint32_t node, uint32_t weight, uint64_t squares);
/* [hook] If all samples of STRETCH are kept, and BAG has these alone, adds those up to UNTIL to
 * *INTO. False: they are not, and nothing was added. */
bool sampled_until(struct thread *th, const struct bag *bag, uint32_t stretch, uint64_t until,
                   struct bag **into);

#endif
