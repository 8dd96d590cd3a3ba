/* cancel.h - tasks that a cancellation drops (OpenMP 5.2, 11.4). They were created but never start,
 * and no runtime reports this. So where cancellation is on, the model lists tasks that have not
 * started, and taskloops that have such tasks. A join after a cancellation discards the listed
 * tasks that it would wait for: a task that has not started by then never will.
 *
 * [hook] all.
 */
#ifndef AGENTS_OPENMP_CANCEL_H
#define AGENTS_OPENMP_CANCEL_H

#include "model_data.h"

/* May the runtime cancel? An agent sets it before the first task. */
extern bool omp_cancellation;

/* The program has cancelled something. */
void omp_cancelled(void);

/* Fills in P's team, group and creator, for a task or taskloop that the running strand creates.
 * False: the creator has no record. */
bool omp_pending_place(struct thread *th, struct omp_pending *p);

/* The creator of T, for which omp_pending_place was called. */
const struct task *omp_pending_creator(const struct task *t);

/* P was created: puts it on the list. */
void omp_pending_add(struct omp_pending *p);

/* P starts, or if P is a taskloop, its last task starts. False: a join has already discarded P. */
bool omp_pending_remove(struct omp_pending *p);

/* A join of BY is about to happen: discards all listed objects that it joins (JOINED), because they
 * will never start. */
void omp_pending_discard(bool (*joined)(const struct omp_pending *p, const void *by),
                         const void *by);

/* For JOINED: does P belong to the join? The join is the barrier of a team, the end of a taskgroup,
 * or a taskwait of the creator. */
bool omp_pending_of_team(const struct omp_pending *p, const void *team);
bool omp_pending_within(const struct omp_pending *p, const void *group);
bool omp_pending_of_task(const struct omp_pending *p, const void *creator);

#endif
