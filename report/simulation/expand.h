/* expand.h - a recorded dag, made ready for simulation: its contracted subtrees become tasks
 * again.
 *
 * These tasks have the same work, the same longest path, and are no more than there were. A subtree
 * (w, s) becomes a task of length s, and others of at most s each with the rest of w. A bundle
 * becomes the task that ends last, and average tasks.
 *
 * Costs are in the profile's unit.
 */
#ifndef REPORT_SIMULATION_EXPAND_H
#define REPORT_SIMULATION_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/profile.h"

struct expanded;

/* OVERHEAD: the runtime's cost for each task. LIMIT: the number of tasks above which small ones are
 * merged; at least twice the recorded ones. NULL, after a line on stderr: even so there are more
 * tasks than an expanded dag can hold. */
struct expanded *expanded_new(const struct profile *p, double overhead, size_t limit);
void expanded_free(struct expanded *s);
size_t expanded_tasks(const struct expanded *s);       /* their number */
uint64_t expanded_work(const struct expanded *s);      /* with OVERHEAD */
/* Were tasks merged so that the span may be too long? */
bool expanded_coarse(const struct expanded *s);

#endif
