/* route.h - which way the critical path takes through the ranks.
 *
 * A rank's path is divided into stretches. Within one it is the rank's own. A stretch begins where
 * a message's path was longer than the rank's: there the path comes from a stretch of another rank.
 * So the job's critical path is found from its end backwards: each rank looks up what one of its
 * stretches is made of, and asks the rank that the stretch came from (route_walk). Nothing but
 * lengths and a stretch's number travels with a message.
 */
#ifndef AGENTS_MPI_ROUTE_H
#define AGENTS_MPI_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

struct point;
struct task;
struct thread;

/* [hook] Before the functions below. */
void route_setup(void);
/* [hook] The number of the current stretch. */
uint32_t route_now(void);
/* [hook] Samples of the strand that begins this rank's path: see struct job. */
void route_sampled(uint64_t S, uint32_t node, uint32_t weight, uint64_t squares);
/* [hook] T, paused, goes on after P, of another rank. */
void route_after(struct thread *th, struct task *t, const struct point *p);
/* [hook] Finds what the job's critical path, which ends at END, is made of. All ranks call it, with
 * the same END. T, paused: the strand that begins this rank's path; NULL: nothing is known of this
 * rank's part. COMM: libprof's communicator. A rank keeps its latest stretches, as many as
 * PROF_MPI_TURNS says. Where the path came from one before, the walk ends: the rest is nobody's
 * part. */
void route_walk(struct thread *th, struct task *t, const struct point *end, uintptr_t comm);

#endif
