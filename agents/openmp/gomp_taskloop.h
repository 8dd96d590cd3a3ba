/* gomp_taskloop.h - taskloops (OpenMP 5.2, 12.6): a runtime makes their tasks inside one call, so
 * the agent does not see a task before it starts. gomp_taskloop.c describes their dag.
 *
 * [hook] all.
 */
#ifndef AGENTS_OPENMP_GOMP_TASKLOOP_H
#define AGENTS_OPENMP_GOMP_TASKLOOP_H

#include "callsite/site.h"
#include "engine/engine.h"

/* A taskloop, as the program calls it. */
struct omp_taskloop {
    uint64_t iterations;
    int64_t first, step;
    bool group;                 /* the call waits for the tasks */
    bool final;                 /* the tasks are final */
    bool by_program;            /* a clause of the program's decides on the number of tasks */
};

/* The running strand calls a taskloop. NULL: it is not recorded. */
struct omp_share *omp_share_new(const struct path_point *from, const struct site_style *style,
                                const struct omp_taskloop *what);

/* The call is over. */
void omp_share_created(struct omp_share *s);

/* A task with the iterations [FIRST, LAST) begins: as omp_task_begin. */
struct task *omp_share_begin(struct omp_share *s, int64_t first, int64_t last, uintptr_t entry);

/* Such a task ends: as omp_task_end. */
void omp_share_end(struct omp_share *s, struct task *interrupted);

#endif
