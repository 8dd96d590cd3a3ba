/* path_wait.h - samples in code that waits for a lock, on the CPU or off it. */
#ifndef REPORT_ANALYSIS_PATH_WAIT_H
#define REPORT_ANALYSIS_PATH_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include "analysis/paths.h"

/* Is the sample at node I of the profile in code that spins or locks (wait_names.h)? The frames
 * below the program's innermost one count. A wait for a condition variable takes a lock again, but
 * is none. */
bool path_spins(struct paths *t, uint32_t i);
bool path_locks(struct paths *t, uint32_t i);

/* How long the samples in path_spins are, ns of work. *CALLER: the program's code that most of them
 * were called from; NULL if there are none. */
double paths_spinning(const struct paths *t, const struct path_node **caller);

#endif
