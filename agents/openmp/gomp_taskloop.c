/* gomp_taskloop.c - see gomp_taskloop.h.
 *
 * All tasks of a taskloop are created at its call. So the loop is one invocation, and each task is
 * born there, whenever it starts. If the creator waits for the tasks, it ends the invocation. Else
 * the last of the tasks does. A cancellation may drop tasks. Then some iterations never start, and
 * the join that would have waited for them discards them (cancel.h).
 */
#include "lifecycle/thread.h"
#include "gomp_taskloop.h"
#include "dag/block.h"
#include "engine/divide.h"
#include "cancel.h"
#include "lifecycle/lifecycle.h"
#include "model.h"
#include "base/forbid.h"

struct omp_share {
    struct task *loop;
    bool group, final, listed, by_program;
    struct task *strand;        /* GROUP: the creator, paused */
    struct scope *scope;        /* GROUP: holds the loop alone */
    /* team and group of its tasks. LISTED: on the list of cancel.c while iterations are left */
    struct omp_pending pending;
    int64_t first, step;
    uint64_t left;              /* iterations with which no task has started */
    uint32_t uses; /* without GROUP: 1 each for the creator's call, all tasks that have not started,
                    * and each task that runs */
};

/* The last user of a loop that nobody waits for ends the loop. */
static void release(struct thread *th, struct omp_share *s)
{
    if (!__atomic_sub_fetch(&s->uses, 1, __ATOMIC_ACQ_REL)) {
        engine_end_loose_dag(th, s->loop);
        block_free(th, s);
    }
}

/* The tasks that have not started never will. */
static void share_discard(struct omp_pending *p)
{
    struct omp_share *s = (struct omp_share *)((char *)p - offsetof(struct omp_share, pending));
    struct thread *th = thread_self();
    if (th)
        release(th, s);
}

/* The invocation begins, and pauses at once: all its work is done by its tasks. */
static void loop_begin(struct thread *th, struct omp_share *s, uintptr_t entry)
{
    s->strand = engine_pause(th);
    s->loop->entry = entry;
    engine_begin(th, s->loop);
    engine_pause(th);
    engine_unbias(s->loop);
    if (!s->group) {
        engine_resume(th, s->strand);
        s->strand = 0;
    }
}

struct omp_share *omp_share_new(const struct path_point *from, const struct site_style *style,
                                const struct omp_taskloop *what)
{
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    struct omp_share *s = cur ? block_new(th, block_class(sizeof *s)) : 0;
    if (!s)
        return 0;
    bool group = what->group;
    *s = (struct omp_share){ .first = what->first,
                             .step = what->step,
                             .left = what->iterations,
                             .group = group,
                             .final = what->final,
                             .by_program = what->by_program,
                             .uses = 2 };
    if (omp_cancellation && omp_pending_place(th, &s->pending)) {
        s->pending.discard = share_discard;
        s->listed = !group;
        if (group)
            s->pending.within = s;
    }
    s->scope = group ? scope_new(th, s) : 0;
    struct context *ctx = site_context(cur, path_here(from, task_entry(cur)), style, "taskloop", 0);
    s->loop = !group || s->scope
                  ? engine_spawn(th, group ? s->scope : omp_scope(th, cur), ctx, TASK_CALL)
                  : 0;
    if (!s->loop) {
        block_free(th, s);
        return 0;
    }
    loop_begin(th, s, from->cfa);
    if (s->listed)
        omp_pending_add(&s->pending);
    lifecycle_first_event();
    return s;
}

void omp_share_created(struct omp_share *s)
{
    struct thread *th = thread_self();
    if (th && s->group) {
        engine_resume(th, s->strand);
        between_was_wait_for(th, s->loop->ctx, engine_children_ended(s->loop));
        omp_pending_discard(omp_pending_within, s);
        engine_join_paused(th, s->loop);
        engine_end_paused(th, s->loop);
        engine_join(th, s->scope);
        omp_scope_drop(th, s->scope);
        engine_count_sync(th);
        block_free(th, s);
    } else if (th) {
        release(th, s);
    }
}

struct task *omp_share_begin(struct omp_share *s, int64_t first, int64_t last, uintptr_t entry)
{
    struct thread *th = thread_self();
    struct task *interrupted = 0;
    if (th) {
        interrupted = engine_pause(th);
        struct task *t = engine_spawn_of(th, s->loop, (uint32_t)((first - s->first) / s->step),
                                         OMP_TASK | (s->final ? OMP_TASK_FINAL : 0));
        struct omp_data *d = t && s->pending.team ? omp_data_of(th, t) : 0;
        if (d && omp_more_of(th, d)) {
            d->more->pending.team = s->pending.team;
            d->more->pending.within = s->pending.within;
        }
        if (!s->group) {
            __atomic_add_fetch(&s->uses, 1, __ATOMIC_RELAXED);
            if (!__atomic_sub_fetch(&s->left, (uint64_t)((last - first) / s->step),
                                    __ATOMIC_ACQ_REL) &&
                (!s->listed || omp_pending_remove(&s->pending)))
                release(th, s);
        }
        if (t) {
            th->ready_unknown++;        /* since when it could begin */
            t->entry = entry;
            divide_begin(t, (uint64_t)((last - first) / s->step));
            if (s->by_program)
                divide_by_program(t);
            engine_begin(th, t);
        }
    }
    return interrupted;
}

void omp_share_end(struct omp_share *s, struct task *interrupted)
{
    struct thread *th = thread_self();
    omp_task_end(interrupted);
    if (th && !s->group)
        release(th, s);
}
