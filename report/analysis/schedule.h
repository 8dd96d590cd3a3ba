/* schedule.h - a recorded dag, made ready for simulation: its contracted subtrees become tasks
 * again.
 *
 * These tasks have the same work, the same longest path, and are no more than there were. A subtree
 * (w, s) becomes a task of length s, and others of at most s each with the rest of w. A bundle
 * becomes the task that ends last, and average tasks.
 *
 * Costs are in the profile's unit.
 */
#ifndef REPORT_ANALYSIS_SCHEDULE_H
#define REPORT_ANALYSIS_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

struct schedule;

/* OVERHEAD: the runtime's cost for each task. LIMIT: the number of tasks above which small ones are
 * merged; at least twice the recorded ones. NULL, after a line on stderr: even so there are more
 * tasks than a schedule can hold. */
struct schedule *schedule_new(const struct profile *p, double overhead, size_t limit);
void schedule_free(struct schedule *s);
size_t schedule_tasks(const struct schedule *s);       /* their number */
uint64_t schedule_work(const struct schedule *s);      /* with OVERHEAD */
/* Were tasks merged so that the span may be too long? */
bool schedule_coarse(const struct schedule *s);

#endif
