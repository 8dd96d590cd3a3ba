/* schedule.h - what is scheduled of a recorded dag: tasks whose contracted parts have been given a
 * shape again.
 *
 * That shape has the same work, the same longest path and no more tasks than there were. A subtree
 * (w, s) becomes a task that takes s, beside others of at most s each that take the rest; a bundle
 * becomes that many average tasks and the one that ends last.
 *
 * Costs are the profile's units.
 */
#ifndef REPORT_ANALYSIS_SCHEDULE_H
#define REPORT_ANALYSIS_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

struct schedule;

/* OVERHEAD: cost of each task beside its own. LIMIT: tasks simulated; small ones are taken together
 * beyond. NULL, with a line on stderr: it has more tasks that cannot be taken together than a
 * schedule can hold. */
struct schedule *schedule_new(const struct profile *p, double overhead, size_t limit);
void schedule_free(struct schedule *s);
size_t schedule_tasks(const struct schedule *s);
uint64_t schedule_work(const struct schedule *s);      /* overhead included */
/* tasks were taken together: the span may be longer */
bool schedule_coarse(const struct schedule *s);

#endif
