/* site_tasks.h - the tasks of a spawn site that have work of their own. A parallel region has more
 * tasks than the program wrote: each execution counts as one, and so does each thread's stretch
 * between two barriers. The chunks of a loop are tasks as well, and they may have all the work.
 * With libgomp, libprof sees the call of a taskloop, and counts the call as a task, too.
 */
#ifndef REPORT_ANALYSIS_SITE_TASKS_H
#define REPORT_ANALYSIS_SITE_TASKS_H

#include <stdbool.h>
#include "profile/profile.h"

/* By context of P: the tasks that have its work, as far as P shows it; 0: it has no tasks. The
 * caller frees it. */
uint64_t *site_tasks_of(const struct profile *p);

#endif
