/* parts.h - the tasks of a spawn site that have work of their own. Those of a parallel region are
 * more than the program's: each execution of it is one, and each thread has one from each barrier
 * to the next, though a loop may give all the work to chunks, which are tasks, too.
 */
#ifndef REPORT_ANALYSIS_PARTS_H
#define REPORT_ANALYSIS_PARTS_H

#include "profile/profile.h"

/* By context of P: the tasks that have its work, as far as P tells; 0: it has no tasks. The caller
 * frees it. */
uint64_t *parts_of(const struct profile *p);

#endif
