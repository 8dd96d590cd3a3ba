/* model_task.c - explicit tasks: they are created, begin, and end. See model.h. */
#include "lifecycle/thread.h"
#include "model.h"
#include "dag/block.h"
#include "cancel.h"
#include "depend_table.h"
#include "doacross.h"
#include "dag/own_overhead.h"
#include "base/forbid.h"

static __attribute__((noinline)) void data_empty(struct thread *th, struct omp_data *d)
{
    if (d->more) {
        edge_drop(th, &d->more->fulfilled);
        block_free(th, d->more);
    }
    if (d->doacross)
        doacross_leave(th, d);
    if (d->table)
        depend_table_free(th, d->table);
    while (d->groups) {
        struct omp_group *g = d->groups;
        d->groups = g->outer;
        g->scope->key = 0;
        block_free(th, g);
    }
}

void omp_data_free(struct thread *th, struct omp_data *d)
{
    if (__builtin_expect((uintptr_t)d->more | (uintptr_t)d->doacross | (uintptr_t)d->table |
                             (uintptr_t)d->groups,
                         0))
        data_empty(th, d);
    block_free(th, d);
}

/* For cancel.c: the task of P was dropped. */
static void task_discard(struct omp_pending *p)
{
    omp_task_discard(p->task);
}

void omp_task_record(struct thread *th, struct task *t, struct task *sibling, uint32_t flags)
{
    struct omp_data *d = omp_data_of(th, t);
    if (!d || !omp_more_of(th, d))
        return;
    if (flags & OMP_DETACH) {
        d->flags = OMP_DETACH;
        d->ends = 2;
    }
    struct omp_pending *p = &d->more->pending;
    if (omp_cancellation && omp_pending_place(th, p)) {
        p->task = t;
        if (sibling)
            p->creator = omp_pending_creator(sibling);
        p->discard = task_discard;
        omp_pending_add(p);
    }
}

struct task *omp_task_new(const struct path_point *from, const struct site_style *style,
                          const char *construct, uint32_t flags)
{
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    return cur ? omp_task_new_of(th, cur, from, style, construct, flags) : 0;
}

/* Has T a record, or dependences? */
static inline bool has_more(const struct task *t)
{
    return (uintptr_t)t->agent | (uintptr_t)t->agent_node;
}

static inline void begin(struct thread *th, struct task *t)
{
    if (t->flags & TASK_DIRECT)
        engine_begin_call(th, t);
    else if (th->cur)
        engine_interrupt(th, t);
    else
        engine_begin(th, t);
}

/* T depends on others. */
static __attribute__((noinline)) void begin_after(struct thread *th, struct task *t)
{
    const struct task *interrupted = th->cur;
    struct own own = own_begin(th);
    uint64_t ready = depend_apply(th, t);
    begin(th, t);
    engine_held_begun(th);
    if (ready && !interrupted)
        between_was_idle_until(th, ready, IDLE_WORK);
    own_end(th, &own);
}

/* The same of a task that has a record or dependences, is a call, or is the first that its thread
 * notes. */
static __attribute__((noinline)) struct task *task_begin_slow(struct task *t)
{
    struct thread *th = thread_self();
    if (!th)
        return 0;
    struct task *interrupted = th->cur;
    struct omp_data *d = t->agent;
    if (__builtin_expect(omp_cancellation && d && d->more && d->more->pending.at, 0))
        omp_pending_remove(&d->more->pending);
    if (depend_waits(t))
        begin_after(th, t);
    else
        begin(th, t);
    return interrupted;
}

struct task *omp_task_begin(struct task *t, uintptr_t entry, bool at)
{
    if (__builtin_expect(!t, 0))
        return 0;
    t->entry = entry;
    if (at)
        t->flags |= TASK_ENTRY_AT;
    struct thread *th = thread_self_;
    struct task *interrupted = th ? th->cur : 0;
    if (__builtin_expect(!interrupted || has_more(t) || t->flags & TASK_DIRECT, 0))
        return task_begin_slow(t);
    engine_interrupt(th, t);
    return interrupted;
}

/* T has ended for all strands that wait for it. */
static void task_over(struct thread *th, struct task *t, struct omp_data *d)
{
    if (d && d->flags & OMP_DETACH)
        edge_get_paused(th, t, &d->more->fulfilled);
    depend_ended(th, t);
    t->agent = 0;
    if (d)
        omp_data_free(th, d);
    engine_end_loose_paused(th, t);
}

/* T's body has ended. */
static inline void body_over(struct thread *th, struct task *t)
{
    struct omp_data *d = t->agent;
    if (d && d->ends)           /* before the fulfilment can end the task */
        depend_awaits_event(t);
    if (!d || !d->ends || !__atomic_sub_fetch(&d->ends, 1, __ATOMIC_ACQ_REL))
        task_over(th, t, d);
}

/* The end of a task is over, which began at FROM, where its strand stopped. */
static inline void end_over(struct thread *th, struct own from, struct task *interrupted)
{
    if (interrupted) {
        engine_resume(th, interrupted);
        between_was_own(th);
    } else {
        own_until_now(th, from, 0, 0);
    }
}

/* T, which ends, has a record or dependences. */
static __attribute__((noinline)) void task_end_more(struct thread *th, struct task *t,
                                                    struct task *interrupted)
{
    engine_pause_running(th, t);
    struct own own = own_since_pause(th);
    body_over(th, t);
    end_over(th, own, interrupted);
}

/* T, a call, ends, and is joined here, into the strand that it interrupted. */
static __attribute__((noinline)) void call_end_slow(struct thread *th, struct task *t,
                                                    struct task *interrupted)
{
    struct scope *scope = t->scope;
    struct kept kept;
    engine_pause_running(th, t);
    struct own own = own_since_pause(th);
    kept_take(th, t, &kept);
    body_over(th, t);
    if (interrupted)
        engine_join_kept(th, interrupted, &kept, scope);
    kept_drop(th, &kept);
    end_over(th, own, interrupted);
}

/* The same by a short way, if there is one. */
static __attribute__((noinline)) void call_end(struct thread *th, struct task *t,
                                               struct task *interrupted)
{
    if (t->flags & TASK_DIRECT && !has_more(t) && interrupted &&
        engine_return_call(th, interrupted))
        return;
    /* libomp, which leaves the entry in a word, has long hooks: they are measured */
    bool measured = t->flags & TASK_ENTRY_AT;
    if (has_more(t) || !interrupted || !engine_return_into(th, interrupted, measured))
        call_end_slow(th, t, interrupted);
}

void omp_task_end(struct task *interrupted)
{
    struct thread *th = thread_self_;
    struct task *t = th ? th->cur : 0;
    if (!is_omp(t))
        return;
    if (__builtin_expect(t->flags & TASK_CALL, 0))
        call_end(th, t, interrupted);
    else if (__builtin_expect(has_more(t), 0))
        task_end_more(th, t, interrupted);
    else if (interrupted)
        engine_end_into(th, interrupted);
    else
        engine_end_loose(th);
}

void omp_task_fulfill(struct task *t)
{
    struct thread *th = thread_self();
    struct omp_data *d = th ? t->agent : 0;
    if (d && d->ends) {
        edge_put(th, &d->more->fulfilled);
        struct own own = own_from(th);
        if (!__atomic_sub_fetch(&d->ends, 1, __ATOMIC_ACQ_REL))
            task_over(th, t, d);
        own_until_now(th, own, 0, 0);
    }
}

void omp_task_detach(void)
{
    struct thread *th = thread_self();
    struct omp_data *d = th ? omp_data_of(th, th->cur) : 0;
    if (d && !(d->flags & OMP_DETACH)) {
        d->flags |= OMP_DETACH;
        d->ends = 2;
    }
}

bool omp_task_has_event(void)
{
    struct thread *th = thread_self();
    const struct omp_data *d = th ? omp_data_if_any(th->cur) : 0;
    return d && __atomic_load_n(&d->ends, __ATOMIC_ACQUIRE) == 2;
}

void omp_task_discard(struct task *t)
{
    struct thread *th = thread_self();
    if (!th || !t)
        return;
    struct omp_data *d = t->agent;
    t->agent = 0;
    if (depend_waits(t))
        engine_held_discard(th);
    depend_never_ran(th, t);
    if (d)
        omp_data_free(th, d);
    engine_discard(th, t);
}
