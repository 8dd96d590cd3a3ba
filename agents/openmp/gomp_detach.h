/* gomp_detach.h - events of detachable tasks (OpenMP 5.2, 12.5.2), found by the handle that the
 * runtime gives them.
 *
 * The handle becomes known twice, to the creator of the task and to its body, in either order. The
 * program may fulfil the event as soon as one of them knows it.
 *
 * [hook] all.
 */
#ifndef AGENTS_OPENMP_GOMP_DETACH_H
#define AGENTS_OPENMP_GOMP_DETACH_H

#include "engine/engine.h"

/* Makes the event of T, which is detachable. AWAITED is not NULL if T is undeferred, so that its
 * creator goes on when the event is fulfilled: an edge, all zero, that lives until
 * omp_event_awaited. Returns NULL if there is no memory. */
struct omp_event *omp_event_new(struct task *t, struct edge *awaited);

/* The creator, or the body, knows the handle. Each calls this once. It is the creator's last call
 * for E. */
void omp_event_known(struct omp_event *e, uintptr_t handle);

/* The running strand fulfils the event of HANDLE. */
void omp_event_fulfill(uintptr_t handle);

/* The creator of an undeferred task has waited for the event, and goes on after the strand that
 * fulfilled it. */
void omp_event_awaited(struct omp_event *e);

#endif
