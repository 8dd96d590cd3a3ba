/* path_wait.h - samples in code that waits for a lock, on the CPU or off it. */
#ifndef REPORT_ANALYSIS_PATH_WAIT_H
#define REPORT_ANALYSIS_PATH_WAIT_H

#include <stdint.h>
#include "analysis/paths.h"
#include "analysis/wait_functions.h"
#include "profile/profile.h"

/* What the code at node I of the profile waits for, by its frames below the program's innermost
 * one, and by the instructions at a leaf of the program's own. The program's own names decide
 * nothing: `locked` may be what a lock protects. */
enum wait path_wait_of(struct paths *t, uint32_t i);

/* The program's innermost code that N is in, or N's outermost code, if it is all the system's.
 * *LINE: of the call there; 0: not known, -1: several. */
const struct path_node *path_called_by(const struct paths *t, const struct path_node *n, int *line);
/* How long samples found code that spins, ns of work. *CALLER: the program's code that most of them
 * were called from; NULL if there are none. */
double paths_spinning(const struct paths *t, const struct path_node **caller);
/* The same for code that waits for a lock, off the CPU: ns of that time. *LINE: of that call; 0:
 * not known, -1: several. *MOST: the part of that time that was called from there. */
double paths_locked(const struct paths *t, const struct path_node **caller, int *line,
                    double *most);

/* How long strands waited where off-CPU samples found them for FOUND ns, with 95 %. Samples also
 * find a strand that has been woken, and has no CPU yet, where it waited. So the time without a
 * CPU, which the kernel counts, may be a part of FOUND, and all waits together are no more than the
 * rest. *LEAST: 0 where that count is not known, or may be too small. Both in ns. */
void path_waited_there(const struct profile *p, double found, double *least, double *most);

#endif
