/* taskloop.c - taskloops (OpenMP 5.2, 12.6). The runtime makes their tasks inside one call, so that nobody sees them
 * before they start. But all are created at the call: the loop is one invocation, and a task is born there, whenever it
 * starts. A token keeps an invocation that nobody waits for from ending before all its tasks have started.
 */
#include "block.h"
#include "lifecycle.h"
#include "model.h"
#include "forbid.h"

struct omp_share {
    struct task *loop, *token;
    struct task *strand;        /* GROUP: the creator, paused */
    struct scope *scope;        /* GROUP: of the loop alone */
    int64_t first, step;
    uint64_t left;              /* iterations that no task has started with */
    bool final;
    uint32_t uses;              /* the creator's call, the tasks to come */
};

static void release(struct thread *th, struct omp_share *s)
{
    if (!__atomic_sub_fetch(&s->uses, 1, __ATOMIC_ACQ_REL))
        block_free(th, s);
}

struct omp_share *omp_share_new(const struct path_point *from, const struct site_style *style, uint64_t n, int64_t first,
                                int64_t step, bool group, bool final)
{
    struct thread *th = engine_self();
    struct task *cur = th ? th->cur : 0;
    struct omp_share *s = cur ? block_new(th, block_class(sizeof *s)) : 0;
    if (s) {
        *s = (struct omp_share){ .first = first, .step = step, .left = n, .final = final, .uses = 2 };
        s->scope = group ? engine_scope_new(th) : 0;
        if (s->scope)
            s->scope->key = s;
        struct context *ctx = site_context(cur, path_here(from, task_entry(cur)), style, "taskloop", 0);
        s->loop = !group || s->scope ? engine_spawn(th, group ? s->scope : omp_scope(cur), ctx, TASK_CALL) : 0;
        if (s->loop) {
            s->strand = engine_pause(th);
            s->loop->entry = from->cfa;
            engine_begin(th, s->loop);
            engine_pause(th);
            engine_unbias(s->loop);
            s->token = engine_spawn_of(th, s->loop, 0, TASK_CALL);
            if (!group) {
                engine_resume(th, s->strand);
                s->strand = 0;
            }
            lifecycle_start_checkpoints();
        } else {
            block_free(th, s);
            s = 0;
        }
    }
    return s;
}

void omp_share_created(struct omp_share *s)
{
    struct thread *th = engine_self();
    if (th && s->strand) {
        engine_resume(th, s->strand);
        engine_gap_was_idle(th);
        engine_join_paused(th, s->loop);
        engine_end_paused(th, s->loop);
        engine_join(th, s->scope);
        engine_scope_free(th, s->scope);
        engine_count_sync(th);
    } else if (th) {
        engine_end_paused(th, s->loop);
    }
    if (th)
        release(th, s);
}

struct task *omp_share_begin(struct omp_share *s, int64_t first, int64_t last, uintptr_t entry)
{
    struct thread *th = engine_self();
    struct task *interrupted = 0;
    if (th) {
        interrupted = engine_pause(th);
        struct task *t = engine_spawn_of(th, s->loop, (uint32_t)((first - s->first) / s->step), TASK_AGENT_OMP);
        struct task *token = s->token;
        bool final = s->final;          /* *S may be gone below */
        if (!__atomic_sub_fetch(&s->left, (uint64_t)((last - first) / s->step), __ATOMIC_ACQ_REL)) {
            if (token)
                engine_discard(th, token);
            release(th, s);
        }
        struct omp_data *d = t && final ? omp_data_of(th, t) : 0;
        if (d)
            d->flags = OMP_FINAL;
        if (t) {
            t->entry = entry;
            engine_begin(th, t);
        }
    }
    return interrupted;
}
