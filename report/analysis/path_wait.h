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

#endif
