/* ompt_region.c - parallel regions and implicit tasks of libomp. See ompt.h. */
#include "lifecycle/thread.h"
#include "ompt.h"
#include "dag/block.h"
#include "cancel.h"
#include "base/forbid.h"

/* OMPT reports a region's end on the thread where the region began. By then libomp may have given
 * the region's data word to another region. So each thread keeps a list of its regions. */
struct ompt_region {
    struct omp_region model;    /* the data word leads here */
    struct ompt_region *outer;
};

void ompt_on_parallel_begin(ompt_data *encountering, const ompt_frame *frame, ompt_data *parallel,
                            unsigned requested, int flags, const void *code)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    struct ompt_region *r = th ? block_new(th, block_class(sizeof *r)) : 0;
    parallel->ptr = 0;
    if (!r)
        return;
    r->model.invocation = r->model.strand = 0;
    r->outer = ompt_here.region;
    ompt_here.region = r;
    if (th->cur) {
        parallel->ptr = &r->model;
        ompt_program_point(frame, &from);
        const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));
        omp_cancellation = e->omp_get_cancellation && e->omp_get_cancellation();
        omp_region_begin(&r->model, &from, &ompt_style,
                         flags & OMPT_PARALLEL_LEAGUE ? "teams" : "parallel");
    }
}

void ompt_on_parallel_end(ompt_data *parallel, ompt_data *encountering, int flags, const void *code)
{
    struct ompt_region *r = ompt_here.region;
    struct thread *th = r ? thread_self() : 0;
    if (th) {
        ompt_here.region = r->outer;
        omp_region_end(&r->model);
        block_free(th, r);
    }
}

static void implicit_begin(struct thread *th, ompt_data *parallel, ompt_data *task, unsigned size,
                           unsigned index)
{
    /* No region leads to an initial task, of the program or of a league's team. */
    struct omp_region *r = parallel ? parallel->ptr : 0;
    /* In a league of one team, and in serialised regions inside it, the word is another
     * region's. */
    if (!index && !th->cur && ompt_here.region)
        r = &ompt_here.region->model;
    struct ompt_implicit *im = r ? block_new(th, block_class(sizeof *im)) : 0;
    if (!im)
        return;
    *im = (struct ompt_implicit){ .outer = ompt_here.implicit };
    ompt_here.implicit = im;
    struct omp_implicit what = { index, size, ompt_entry_word(task), true };
    omp_implicit_begin(r, &what);
}

void ompt_on_implicit_task(ompt_endpoint endpoint, ompt_data *parallel, ompt_data *task,
                           unsigned size, unsigned index, int flags)
{
    struct thread *th = thread_self();
    if (!th)
        return;
    if (endpoint == OMPT_BEGIN) {
        implicit_begin(th, parallel, task, size, index);
        return;
    }
    struct ompt_implicit *im = ompt_here.implicit;
    if (!im)
        return;
    ompt_here.implicit = im->outer;
    if (im->barrier.data) /* the region's last barrier; another region may have begun here since */
        omp_barrier_abandon(&im->barrier);
    else if (is_omp(th->cur))
        omp_implicit_end();             /* a serialised region: no barrier ended the task */
    block_free(th, im);
}
