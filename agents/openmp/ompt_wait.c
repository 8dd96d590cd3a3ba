/* ompt_wait.c - barriers, taskwait and taskgroup of libomp. See ompt.h. */
#include "lifecycle/thread.h"
#include "ompt.h"
#include "base/forbid.h"

static inline bool is_barrier(ompt_sync_region kind)
{
    return kind <= OMPT_SYNC_BARRIER_IMPLEMENTATION || kind >= OMPT_SYNC_BARRIER_IMPLICIT_WORKSHARE;
}

void ompt_on_sync_region(ompt_sync_region kind, ompt_endpoint endpoint, ompt_data *parallel,
                         ompt_data *task, const void *code)
{
    struct ompt_implicit *im = ompt_implicit_of(task);
    struct thread *th = thread_self();
    if (th)
        ompt_end_what_is_over(th);
    if (kind == OMPT_SYNC_TASKGROUP && endpoint == OMPT_BEGIN &&
        (!ompt_here.modifier || ompt_here.modifier != ompt_running()))
        omp_group_begin();
    if (!im || !is_barrier(kind))
        return;
    if (endpoint == OMPT_BEGIN) {
        if (!im->barrier.data)
            omp_barrier_begin(&im->barrier);
    } else if (parallel && im->barrier.data) {  /* PARALLEL NULL: the region is over */
        omp_barrier_end(&im->barrier);
        im->barrier.data = 0;
    }
}

/* A wait of a strand that is no task of OpenMP's: it has children, but no taskgroups. */
static void wait_outside(struct thread *th, ompt_sync_region kind, ompt_endpoint endpoint)
{
    if (!ompt_here.defers_outside)
        return;
    if (endpoint == OMPT_BEGIN) {
        ompt_here.outside = th->cur && !(th->cur->flags & OMP_TASK) ? omp_wait_begin() : 0;
        return;
    }
    if (ompt_here.outside && !th->cur)
        omp_wait_end(ompt_here.outside, kind == OMPT_SYNC_TASKWAIT);
    if (ompt_here.outside && kind == OMPT_SYNC_TASKGROUP)
        run_lower_bound(ompt_outside_regions);
    ompt_here.outside = 0;
}

void ompt_on_sync_region_wait(ompt_sync_region kind, ompt_endpoint endpoint, ompt_data *parallel,
                              ompt_data *task, const void *code)
{
    struct thread *th = kind == OMPT_SYNC_TASKWAIT || kind == OMPT_SYNC_TASKGROUP ? thread_self()
                                                                                  : 0;
    struct ompt_implicit *im = ompt_implicit_of(task);
    struct task *t = ompt_explicit_of(task);
    if (!th)
        return;
    if (!im && !t) {
        wait_outside(th, kind, endpoint);
        return;
    }
    if (endpoint == OMPT_BEGIN) {
        struct task *strand = omp_wait_begin();
        if (im)
            im->strand = strand;
        else if (strand != t && strand)
            engine_resume(th, strand);  /* another task's: it goes on */
        return;
    }
    struct task *strand = im ? im->strand : t;
    if (th->cur || !strand)
        return;
    if (kind == OMPT_SYNC_TASKGROUP && ompt_here.modifier == strand)
        omp_wait_all_end(strand);
    else if (kind == OMPT_SYNC_TASKGROUP)
        omp_group_end(strand);
    else
        omp_wait_end(strand, true);
}

/* ---- reduction(task, ...) ---- */

/* For reduction(task, ...) libomp makes a taskgroup around the whole region, with barriers inside.
 * It is no taskgroup of the program's, so the model must not see it. */
#define MODIFIER_INIT(name)                                                                     \
    EXPORT void *name(void *location, int gtid, int loop, int n, void *data);                   \
    EXPORT void *name(void *location, int gtid, int loop, int n, void *data)                    \
    {                                                                                           \
        const struct task *outer = ompt_here.modifier;                                          \
        ompt_here.modifier = ompt_running();                                                    \
        void *result = kmpc_entry(__builtin_return_address(0))->name(location, gtid, loop, n,   \
                                                                     data);                     \
        ompt_here.modifier = outer;                                                             \
        return result;                                                                          \
    }
MODIFIER_INIT(__kmpc_task_reduction_modifier_init)
MODIFIER_INIT(__kmpc_taskred_modifier_init)

EXPORT void __kmpc_task_reduction_modifier_fini(void *location, int gtid, int loop);
EXPORT void __kmpc_task_reduction_modifier_fini(void *location, int gtid, int loop)
{
    const struct task *outer = ompt_here.modifier;
    ompt_here.modifier = ompt_running();
    kmpc_entry(__builtin_return_address(0))
        ->__kmpc_task_reduction_modifier_fini(location, gtid, loop);
    ompt_here.modifier = outer;
}
