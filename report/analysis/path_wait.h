/* path_wait.h - samples in code that waits for a lock, on the CPU or off it. */
#ifndef REPORT_ANALYSIS_PATH_WAIT_H
#define REPORT_ANALYSIS_PATH_WAIT_H

#include <stdint.h>
#include "analysis/paths.h"
#include "analysis/wait_functions.h"

/* What the code at node I of the profile waits for, by its frames below the program's innermost
 * one. The program's own names decide nothing: `locked` may be what a lock protects. */
enum wait path_wait_of(struct paths *t, uint32_t i);

/* How long samples found code that spins, ns of work. *CALLER: the program's code that most of them
 * were called from; NULL if there are none. */
double paths_spinning(const struct paths *t, const struct path_node **caller);
/* The same for code that waits for a lock, off the CPU: ns of that time. */
double paths_locked(const struct paths *t, const struct path_node **caller);

#endif
