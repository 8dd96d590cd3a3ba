/* cancel.h - tasks that a cancellation drops (OpenMP 5.2, 11.4): they were created, they never
 * start, and no runtime reports it. So where cancellation is on, tasks that have not started are
 * listed, and so are taskloops some of whose tasks have not. A join after a cancellation discards
 * the listed tasks that it would have waited for: a task that has not started by then never will.
 *
 * [hook] all.
 */
#ifndef AGENTS_OPENMP_CANCEL_H
#define AGENTS_OPENMP_CANCEL_H

#include "data.h"

/* May the runtime cancel? An agent sets it before the first task. */
extern bool omp_cancellation;

/* The program has cancelled something. */
void omp_cancelled(void);

/* Fills in team, group and creator for what the running strand creates. False: the creator has no
 * record. */
bool omp_pending_place(struct thread *th, struct omp_pending *p);

/* P was created: it is listed. */
void omp_pending_add(struct omp_pending *p);

/* P starts; a taskloop: its last task does. False: a join has discarded it. */
bool omp_pending_remove(struct omp_pending *p);

/* A join of BY is about to happen: everything listed that it joins (JOINED) never starts, and is
 * discarded. */
void omp_pending_discard(bool (*joined)(const struct omp_pending *p, const void *by),
                         const void *by);

/* For JOINED: does the barrier of a team join P, the end of a taskgroup, the taskwait of a task? */
bool omp_pending_of_team(const struct omp_pending *p, const void *team);
bool omp_pending_within(const struct omp_pending *p, const void *group);
bool omp_pending_of_task(const struct omp_pending *p, const void *creator);

#endif
