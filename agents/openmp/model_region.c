/* model_region.c - parallel regions: their implicit tasks, barriers, and meetings. See model.h. */
#include "lifecycle/thread.h"
#include "model.h"
#include <string.h>
#include "dag/block.h"
#include "cancel.h"
#include "depend_table.h"
#include "doacross.h"
#include "libprof_format.h"
#include "lifecycle/lifecycle.h"
#include "base/forbid.h"

/* The work of all regions that have ended on this thread. */
static __thread uint64_t ended_work __attribute__((tls_model("initial-exec")));

void omp_region_begin(struct omp_region *r, const struct path_point *from,
                      const struct site_style *style, const char *construct)
{
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    *r = (struct omp_region){ .before = ended_work };
    if (cur && (r->scope = scope_new(th, r))) {
        struct context *ctx = site_context(cur, path_here(from, task_entry(cur)), style, construct,
                                           LPF_SITE_AS_EXECUTED);
        r->invocation = engine_spawn(th, r->scope, ctx, TASK_CALL);
        r->strand = engine_pause(th);
        r->forked = th->idle_since;
        if (r->invocation) {
            r->invocation->entry = from->cfa;
            engine_begin(th, r->invocation);
            engine_pause(th);
            engine_unbias(r->invocation);
        }
        lifecycle_first_event();
    }
}

static inline bool is_of_one(const struct omp_region *r)
{
    return __atomic_load_n(&r->size, __ATOMIC_RELAXED) == 1;
}

/* The time between two strands of a region's thread: it waited for the others of its team. In a
 * team of one there is nobody to wait for, and this time is the runtime's overhead. */
static void between_in_team(struct thread *th, const struct omp_region *r)
{
    if (!is_of_one(r))
        between_was_idle(th);
}

/* R is about to end, all joined. In a team of one, regions inside it began and ended on the same
 * thread: their work is not R's. */
static void region_count(struct thread *th, const struct omp_region *r)
{
    uint64_t work = r->invocation->own + r->invocation->joined;
    uint64_t inner = ended_work - r->before;
    const struct context *ctx = r->invocation->ctx;
    /* a league of one team may have many threads */
    if (is_of_one(r) && ctx->site && strcmp(ctx->site->construct, "teams") != 0)
        thread_team_of_one(th, ctx->id, work > inner ? work - inner : 0);
    ended_work = r->before + work;
}

void omp_region_end(struct omp_region *r)
{
    struct thread *th = thread_self();
    if (th && r->strand) {
        const struct context *ctx = r->strand->ctx;
        uint64_t ended = 0;
        if (r->invocation) {
            ctx = r->invocation->ctx;
            ended = engine_children_ended(r->invocation);
            omp_pending_discard(omp_pending_of_team, r);
            engine_join_paused(th, r->invocation);
            region_count(th, r);
            engine_end_paused(th, r->invocation);
        }
        if (r->strand->thread != th)
            engine_unbias(r->strand);
        engine_resume(th, r->strand);
        if (!is_of_one(r))
            between_was_wait_for(th, ctx, ended);
        engine_join(th, r->scope);
        omp_scope_drop(th, r->scope);
        for (unsigned i = 0; i < OMP_MEETS; i++)
            edge_drop(th, &r->meet[i]);
        doacross_free(th, r);
        engine_count_sync(th);
    }
}

/* Starts the next strand of a thread's implicit task. */
static void implicit_start(struct thread *th, struct omp_data *d, uint32_t flags, uintptr_t entry)
{
    struct omp_region *r = d->region;
    struct task *t = engine_spawn_of(th, r->invocation, d->epoch << 16 | d->num,
                                     flags | OMP_TASK);
    if (!t) {
        omp_data_free(th, d);
        return;
    }
    t->agent = d;
    t->entry = entry;
    engine_begin(th, t);
}

void omp_implicit_begin(struct omp_region *r, const struct omp_implicit *what)
{
    struct thread *th = r->invocation ? thread_self() : 0;
    struct omp_data *d = th && !th->cur ? block_new(th, block_class(sizeof *d)) : 0;
    if (!d)
        return;
    run_workers(what->size);
    *d = (struct omp_data){ .region = r, .num = what->num };
    __atomic_store_n(&r->size, what->size, __ATOMIC_RELAXED);   /* each thread stores the same */
    /* No other thread takes part in a team of one: no locks, and the short ways of joins. */
    if (what->size == 1 && r->invocation->spawner == th && !r->invocation->own_scope)
        engine_bias(th, r->invocation);
    implicit_start(th, d, (what->num ? 0 : TASK_CALL) | (what->at ? TASK_ENTRY_AT : 0),
                   what->entry);
    if (what->num) {
        between_was_before(th, r->forked);
    } else {
        engine_hold(th);
        th->spawns++;           /* counts as a spawn of the team, although it is a call */
    }
}

void omp_implicit_end(void)
{
    struct thread *th = thread_self();
    if (th && omp_chunk_of(th->cur))
        omp_loop_end();
    struct omp_data *d = th ? omp_data_if_any(th->cur) : 0;
    if (d) {
        engine_end(th);
        omp_data_free(th, d);
    }
}

void omp_barrier_begin(struct omp_barrier *b)
{
    struct thread *th = thread_self();
    struct task *t = th ? th->cur : 0;
    if (__builtin_expect(omp_chunk_of(t) != 0, 0)) {    /* its loop was cancelled */
        omp_loop_end();
        t = th->cur;
    }
    struct omp_data *d = omp_data_if_any(t);
    *b = (struct omp_barrier){ .data = 0 };
    if (d && d->region) {
        if (d->doacross)
            doacross_leave(th, d);
        if (d->table) {
            depend_table_free(th, d->table);
            d->table = 0;
        }
        b->data = d;
        if (is_of_one(d->region) && engine_turn_pause(th)) {
            b->turn = t;
            return;
        }
        b->regions = regions_take(th);
        t->agent = 0;
        /* The next strand's frames end where those of this one do. */
        d->flags = t->flags & TASK_ENTRY_AT;
        d->entry = t->entry;
        engine_end(th);
    }
}

static inline void epoch_join(struct thread *th, struct omp_region *r)
{
    omp_pending_discard(omp_pending_of_team, r);
    engine_join_paused(th, r->invocation);
    r->epoch++;
    engine_count_sync(th);
}

/* The barrier of a team of one, whose strand left no tasks. */
static inline void turn_end(struct thread *th, struct omp_barrier *b)
{
    omp_pending_discard(omp_pending_of_team, b->data->region);
    b->data->epoch++;
    b->data->region->epoch++;
    engine_count_sync(th);
    engine_turn_resume(th, b->turn);
    b->turn = 0;
}

void omp_barrier_end(struct omp_barrier *b)
{
    struct thread *th = thread_self();
    struct omp_data *d = b->data;
    if (th && b->turn && !th->cur) {
        turn_end(th, b);
    } else if (th && d && !th->cur) {
        struct omp_region *r = d->region;
        if (is_of_one(r)) {
            d->epoch++;
            epoch_join(th, r);
        } else {
            lock_take(&r->lock);        /* the first thread that leaves joins the epoch */
            if (r->epoch == d->epoch++)
                epoch_join(th, r);
            lock_release(&r->lock);
        }
        implicit_start(th, d, TASK_CALL | d->flags, d->entry);
        between_in_team(th, r);
        regions_give(th, b->regions);
    }
}

void omp_barrier_abandon(struct omp_barrier *b)
{
    struct thread *th = thread_self();
    if (th && b->turn) {
        b->turn->agent = 0;
        engine_end_paused(th, b->turn);
        b->turn = 0;
    }
    if (th && b->data)
        omp_data_free(th, b->data);
    b->data = 0;
}

void omp_meet_put(enum omp_meet which)
{
    struct thread *th = thread_self();
    struct omp_data *d = th ? omp_data_if_any(omp_creator(th->cur)) : 0;
    if (d && d->region)
        edge_put(th, &d->region->meet[which]);
}

void omp_meet_get(enum omp_meet which)
{
    struct thread *th = thread_self();
    struct omp_data *d = th ? omp_data_if_any(omp_creator(th->cur)) : 0;
    if (d && d->region)
        edge_get(th, &d->region->meet[which]);
}
