/* model.c - see model.h. */
#include "model.h"
#include "process/thread.h"
#include "model/block.h"
#include "depend.h"
#include "libprof_format.h"
#include "process/lifecycle.h"
#include "model/own.h"
#include "hooks/wait.h"
#include "base/forbid.h"

/* A taskgroup that is open. */
struct omp_group {
    struct omp_group *outer;
    struct scope *scope;
};

static inline bool is_omp(const struct task *t)
{
    return t && t->flags & TASK_AGENT_OMP;
}

struct omp_data *omp_data_of(struct thread *th, struct task *t)
{
    if (!is_omp(t))
        return 0;
    if (!t->agent) {
        struct omp_data *d = block_new(th, block_class(sizeof *d));
        if (d)
            *d = (struct omp_data){ .region = 0 };
        t->agent = d;
    }
    return t->agent;
}

static inline struct omp_data *data_if_any(const struct task *t)
{
    return is_omp(t) ? t->agent : 0;
}

/* What a task that ends no longer needs. */
static void data_free(struct thread *th, struct omp_data *d)
{
    if (d->flags & OMP_DETACH)
        engine_edge_drop(th, &d->fulfilled);
    if (d->doacross)
        doacross_leave(th, d);
    if (d->table)
        depend_table_free(th, d->table);
    if (d->before)
        depend_list_free(th, d->before);
    while (d->groups) {
        struct omp_group *g = d->groups;
        d->groups = g->outer;
        g->scope->key = 0;
        block_free(th, g);
    }
    block_free(th, d);
}

/* An implicit task's, whichever chunk of its loop creates them. */
struct task *omp_creator(struct task *t)
{
    struct omp_data *d = data_if_any(t);
    return d && d->chunk_of ? d->chunk_of : t;
}

/* The innermost one that T stands in, of its own or of the implicit task whose chunk it is: one that a chunk begins is the chunk's,
 * which also ends it. */
static inline struct omp_group *group_of(struct task *t)
{
    struct omp_data *d = data_if_any(t);
    if (d && d->chunk_of && !d->groups)
        d = data_if_any(d->chunk_of);
    return d ? d->groups : 0;
}

struct scope *omp_scope(struct task *t)
{
    struct omp_group *g = group_of(t);
    return g ? g->scope : &omp_creator(t)->self;
}

/* S has been joined, and will not be used again. What has not ended in spite of that (engine_late_turn) still goes there: then S stays its
 * owner's, until that ends. */
void omp_scope_drop(struct thread *th, struct scope *s)
{
    s->key = 0;
    if (__builtin_expect(scope_is_empty(s) && !__atomic_load_n(&s->rest, __ATOMIC_RELAXED), 1))
        engine_scope_free(th, s);
}

/* ---- regions ---- */

void omp_region_begin(struct omp_region *r, const struct path_point *from, const struct site_style *style, const char *construct)
{
    struct thread *th = engine_self();
    struct task *cur = th ? th->cur : 0;
    *r = (struct omp_region){ .invocation = 0 };
    if (cur && (r->scope = engine_scope_new(th))) {
        struct context *ctx = site_context(cur, path_here(from, task_entry(cur)), style, construct, LPF_SITE_AS_EXECUTED);
        r->scope->key = r;
        r->invocation = engine_spawn(th, r->scope, ctx, TASK_CALL);
        r->strand = engine_pause(th);
        if (r->invocation) {
            r->invocation->entry = from->cfa;
            engine_begin(th, r->invocation);
            engine_pause(th);
            engine_unbias(r->invocation);
        }
        lifecycle_start_checkpoints();
    }
}

void omp_region_end(struct omp_region *r)
{
    struct thread *th = engine_self();
    if (th && r->strand) {
        if (r->invocation) {
            omp_pending_discard(omp_pending_of_team, r);
            engine_join_paused(th, r->invocation);
            engine_end_paused(th, r->invocation);
        }
        if (r->strand->self.thread != th)
            engine_unbias(r->strand);
        engine_resume(th, r->strand);
        engine_gap_was_idle(th);
        engine_join(th, r->scope);
        omp_scope_drop(th, r->scope);
        for (unsigned i = 0; i < OMP_MEETS; i++)
            engine_edge_drop(th, &r->meet[i]);
        doacross_free(th, r);
        engine_count_sync(th);
    }
}

/* The next strand of a thread's implicit task. */
static void implicit_start(struct thread *th, struct omp_data *d, uint32_t flags, uintptr_t entry)
{
    struct omp_region *r = d->region;
    struct task *t = engine_spawn_of(th, r->invocation, d->epoch << 16 | d->num, flags | TASK_AGENT_OMP);
    if (!t) {
        data_free(th, d);
        return;
    }
    t->agent = d;
    t->entry = entry;
    engine_begin(th, t);
}

void omp_implicit_begin(struct omp_region *r, uint32_t num, uint32_t size, uintptr_t entry, bool at)
{
    struct thread *th = r->invocation ? engine_self() : 0;
    struct omp_data *d = th && !th->cur ? block_new(th, block_class(sizeof *d)) : 0;
    if (d) {
        engine_workers(size);
        *d = (struct omp_data){ .region = r, .num = num };
        __atomic_store_n(&r->size, size, __ATOMIC_RELAXED);  /* all say the same */
        implicit_start(th, d, (num ? 0 : TASK_CALL) | (at ? TASK_ENTRY_AT : 0), entry);
        if (num)
            engine_gap_was_idle(th);
        else
            th->spawns++;           /* one of the team's, though no thief can take it */
    }
}

void omp_implicit_end(void)
{
    struct thread *th = engine_self();
    struct omp_data *d = th ? data_if_any(th->cur) : 0;
    if (d) {
        if (d->chunk_of) {
            omp_loop_end();
            d = data_if_any(th->cur);
        }
        engine_end(th);
        data_free(th, d);
    }
}

void omp_barrier_begin(struct omp_barrier *b)
{
    struct thread *th = engine_self();
    struct task *t = th ? th->cur : 0;
    struct omp_data *d = data_if_any(t);
    *b = (struct omp_barrier){ .data = 0 };
    if (d && d->chunk_of) {             /* its loop was cancelled */
        omp_loop_end();
        t = th->cur;
        d = data_if_any(t);
    }
    if (d && d->region && !d->chunk_of) {
        doacross_leave(th, d);
        if (d->table) {
            depend_table_free(th, d->table);
            d->table = 0;
        }
        b->data = d;
        b->regions = engine_regions_take(th);
        t->agent = 0;
        /* where its frames end does not change */
        d->flags = t->flags & TASK_ENTRY_AT;
        d->entry = t->entry;
        engine_end(th);
    }
}

void omp_barrier_end(struct omp_barrier *b)
{
    struct thread *th = engine_self();
    struct omp_data *d = b->data;
    if (th && d && !th->cur) {
        struct omp_region *r = d->region;
        lock_take(&r->lock);            /* the first to leave joins the epoch */
        if (r->epoch == d->epoch++) {
            omp_pending_discard(omp_pending_of_team, r);
            engine_join_paused(th, r->invocation);
            r->epoch++;
            engine_count_sync(th);
        }
        lock_release(&r->lock);
        implicit_start(th, d, TASK_CALL | d->flags, d->entry);
        engine_gap_was_idle(th);
        engine_regions_give(th, b->regions);
    }
}

void omp_barrier_abandon(struct omp_barrier *b)
{
    struct thread *th = engine_self();
    if (th && b->data)
        data_free(th, b->data);
    b->data = 0;
}

void omp_meet_put(enum omp_meet which)
{
    struct thread *th = engine_self();
    struct omp_data *d = th ? data_if_any(th->cur) : 0;
    if (d && d->region)
        engine_edge_put(th, &d->region->meet[which]);
}

void omp_meet_get(enum omp_meet which)
{
    struct thread *th = engine_self();
    struct omp_data *d = th ? data_if_any(th->cur) : 0;
    if (d && d->region)
        engine_edge_get(th, &d->region->meet[which]);
}

/* ---- explicit tasks ---- */

bool omp_pending_place(struct thread *th, struct omp_pending *p)
{
    p->creator = omp_creator(th->cur);
    const struct omp_data *creators = data_if_any(p->creator);
    if (creators) {
        p->team = creators->region ? creators->region : creators->pending.team;
        struct omp_group *group = group_of(th->cur);
        p->within = group ? group : creators->pending.within;
    }
    return creators;
}

bool omp_task_is_final(void)
{
    struct thread *th = engine_self();
    const struct omp_data *d = th ? data_if_any(th->cur) : 0;
    return d && d->flags & OMP_FINAL;
}

struct task *omp_task_new(const struct path_point *from, const struct site_style *style, const char *construct, uint32_t flags)
{
    struct thread *th = engine_self();
    struct task *cur = th ? th->cur : 0, *t = 0;
    if (cur) {
        struct scope *scope = omp_scope(cur);
        struct context *ctx = site_context(cur, path_here(from, task_entry(cur)), style, construct, 0);
        t = engine_spawn(th, scope, ctx, TASK_AGENT_OMP | (flags & OMP_CALL ? TASK_CALL : 0));
        if (t && __builtin_expect(flags & (OMP_FINAL | OMP_DETACH), 0)) {
            struct omp_data *d = omp_data_of(th, t);
            if (d) {
                d->flags = flags;
                d->ends = flags & OMP_DETACH ? 2 : 0;
            }
        }
        if (t && __builtin_expect(omp_cancellation, 0)) {
            struct omp_data *d = omp_data_of(th, t);
            if (d && omp_pending_place(th, &d->pending)) {
                d->pending.task = t;
                omp_pending_add(&d->pending);
            }
        }
        lifecycle_start_checkpoints();
    }
    return t;
}

struct task *omp_task_begin(struct task *t, uintptr_t entry, bool at)
{
    struct thread *th = t ? engine_self() : 0;
    struct task *interrupted = 0;
    if (th) {
        struct omp_data *d = t->agent;
        interrupted = th->cur;
        if (__builtin_expect(omp_cancellation && d && d->pending.at, 0))
            omp_pending_remove(&d->pending);
        if (__builtin_expect(d && d->before, 0)) {
            struct own own = own_from(th);
            depend_apply(th, t, d->before);
            d->before = 0;
            own_until_now(th, own, 0, 0);
        }
        t->entry = entry;
        if (at)
            t->flags |= TASK_ENTRY_AT;
        if (interrupted)
            engine_interrupt(th, t);
        else
            engine_begin(th, t);
    }
    return interrupted;
}

/* T is over for all who wait for it. */
static void task_over(struct thread *th, struct task *t, struct omp_data *d)
{
    if (d) {
        if (d->flags & OMP_DETACH)
            engine_edge_get_paused(th, t, &d->fulfilled);
        if (d->node)
            depend_ended(th, d->node, t);
        t->agent = 0;
        data_free(th, d);
    }
    engine_end_loose_paused(th, t);
}

/* T is a call, or has data. */
static __attribute__((noinline)) void task_end_slow(struct thread *th, struct task *t, struct task *interrupted)
{
    struct omp_data *d = t->agent;
    struct scope *scope = t->scope;
    struct kept kept;
    kept.ctx = 0;
    engine_pause(th);
    struct own own = own_since_pause(th);
    if (t->flags & TASK_CALL)
        engine_keep(th, t, &kept);
    if (!d || !d->ends || !__atomic_sub_fetch(&d->ends, 1, __ATOMIC_ACQ_REL))
        task_over(th, t, d);
    if (interrupted && kept.ctx)
        engine_join_kept(th, interrupted, &kept, scope);
    if (kept.ctx)
        engine_kept_drop(th, &kept);
    if (interrupted) {
        engine_resume(th, interrupted);
        engine_gap_was_own(th);
    } else {
        own_until_now(th, own, 0, 0);
    }
}

void omp_task_end(struct task *interrupted)
{
    struct thread *th = engine_self();
    struct task *t = th ? th->cur : 0;
    if (!is_omp(t))
        return;
    if (__builtin_expect(t->agent || t->flags & TASK_CALL, 0))
        task_end_slow(th, t, interrupted);
    else if (interrupted)
        engine_end_into(th, interrupted);
    else
        engine_end_loose(th);
}

void omp_task_fulfill(struct task *t)
{
    struct thread *th = engine_self();
    struct omp_data *d = th ? t->agent : 0;
    if (d && d->ends) {
        engine_edge_put(th, &d->fulfilled);
        struct own own = own_from(th);
        if (!__atomic_sub_fetch(&d->ends, 1, __ATOMIC_ACQ_REL))
            task_over(th, t, d);
        own_until_now(th, own, 0, 0);
    }
}

void omp_task_detach(void)
{
    struct thread *th = engine_self();
    struct omp_data *d = th ? omp_data_of(th, th->cur) : 0;
    if (d && !(d->flags & OMP_DETACH)) {
        d->flags |= OMP_DETACH;
        d->ends = 2;
    }
}

bool omp_task_has_event(void)
{
    struct thread *th = engine_self();
    const struct omp_data *d = th ? data_if_any(th->cur) : 0;
    return d && __atomic_load_n(&d->ends, __ATOMIC_ACQUIRE) == 2;
}

void omp_task_discard(struct task *t)
{
    struct thread *th = engine_self();
    if (!th || !t)
        return;
    struct omp_data *d = t->agent;
    t->agent = 0;
    if (d) {
        if (d->node)
            depend_ended(th, d->node, 0);
        data_free(th, d);
    }
    engine_discard(th, t);
}

/* ---- waits ---- */

struct task *omp_wait_begin(void)
{
    struct thread *th = engine_self();
    return th ? engine_pause(th) : 0;
}

void omp_wait_end(struct task *strand, bool joins)
{
    struct thread *th = strand ? engine_self() : 0;
    if (th) {
        if (strand->self.thread != th)
            engine_unbias(strand);
        engine_resume(th, strand);
        struct task *c = omp_creator(strand);
        struct omp_data *d = data_if_any(strand), *creators = c == strand ? 0 : data_if_any(c);
        if (joins) {
            omp_pending_discard(omp_pending_of_task, c);
            for (struct omp_group *g = d ? d->groups : 0; g; g = g->outer)
                engine_join(th, g->scope);
            for (struct omp_group *g = creators ? creators->groups : 0; g; g = g->outer)
                engine_join_foreign(th, g->scope);
            if (c == strand)
                engine_join(th, &c->self);
            else
                engine_join_foreign(th, &c->self);
            struct omp_data *table_of = c == strand ? d : creators;
            if (table_of && table_of->table)
                depend_table_joined(th, &table_of->table);
            engine_count_sync(th);
        }
    }
}

void omp_wait_all_end(struct task *strand)
{
    struct thread *th = strand ? engine_self() : 0;
    if (th) {
        omp_wait_end(strand, false);
        if (omp_creator(strand) == strand)
            engine_join_group(th, &strand->self);
        engine_count_sync(th);
    }
}

uint64_t omp_entered(struct task *strand)
{
    struct thread *th = strand ? engine_self() : 0;
    return th ? wait_end(th, strand) : 0;
}

void omp_waited(uint64_t ticks, const struct path_point *from, const struct site_style *style, const char *construct, uint32_t flags)
{
    struct thread *th = engine_self();
    if (th)
        wait_count(th, from, style, construct, flags, ticks);
}

void omp_group_begin(void)
{
    struct thread *th = engine_self();
    struct omp_data *d = th ? omp_data_of(th, th->cur) : 0;
    struct omp_group *g = d ? block_new(th, block_class(sizeof *g)) : 0;
    if (g) {
        g->scope = engine_scope_new(th);
        if (g->scope) {
            g->scope->key = g;
            g->outer = d->groups;
            d->groups = g;
        } else {
            block_free(th, g);
        }
    }
}

void omp_group_end(struct task *strand)
{
    struct thread *th = strand ? engine_self() : 0;
    if (th) {
        if (strand->self.thread != th)
            engine_unbias(strand);
        engine_resume(th, strand);
        struct omp_data *d = data_if_any(strand);
        struct omp_group *g = d ? d->groups : 0;
        if (g) {
            d->groups = g->outer;
            omp_pending_discard(omp_pending_within, g);
            engine_join_group(th, g->scope);
            omp_scope_drop(th, g->scope);
            block_free(th, g);
            engine_count_sync(th);
        }
    }
}

/* ---- chunks of loops ---- */

struct task *omp_chunk_end(void)
{
    struct thread *th = engine_self();
    struct task *t = th ? th->cur : 0;
    struct omp_data *d = data_if_any(t);
    if (!d)
        return 0;
    if (!d->chunk_of)
        return engine_pause(th);
    struct task *strand = d->chunk_of;
    t->agent = 0;
    d->chunk_of = 0;
    engine_end_loose(th);
    data_free(th, d);
    return strand;
}

void omp_chunk_next(struct task *strand, bool got)
{
    struct thread *th = strand ? engine_self() : 0;
    struct omp_data *d = th ? data_if_any(strand) : 0;
    if (d) {
        engine_resume(th, strand);
        if (got && !d->loop && (d->loop = engine_scope_new(th)))
            d->loop->key = d;
        struct task *c = got && d->loop ? engine_spawn(th, d->loop, strand->ctx, TASK_CALL | TASK_INHERIT | TASK_AGENT_OMP) : 0;
        struct omp_data *own = c ? omp_data_of(th, c) : 0;
        if (own) {
            own->region = d->region;
            own->num = d->num;
            own->chunk_of = strand;
            c->base = strand->base;
            c->flags |= strand->flags & (TASK_MOVED | TASK_ENTRY_AT);
            c->entry = strand->entry;
            engine_pause(th);
            engine_begin(th, c);
        } else if (c) {
            engine_discard(th, c);
        }
    }
}

/* The running strand is a chunk or an implicit task that a loop has left: it has none. */
static void chunks_leave(struct thread *th)
{
    struct omp_data *d = data_if_any(th->cur);
    if (d && d->chunk_of) {             /* early */
        struct task *strand = omp_chunk_end();
        omp_chunk_next(strand, false);
        d = data_if_any(th->cur);
    }
    if (d && d->loop) {
        engine_cut(th);
        engine_join_group(th, d->loop);
        omp_scope_drop(th, d->loop);
        d->loop = 0;
    }
}

/* Of the implicit task that runs, or whose chunk does; NULL: there is none. */
static inline struct omp_data *implicit_data(struct thread *th)
{
    struct omp_data *d = th ? data_if_any(omp_creator(th->cur)) : 0;
    return d && d->region ? d : 0;
}

void omp_loop_kind(bool is_static)
{
    struct omp_data *d = implicit_data(engine_self());
    if (d) {
        d->in_loop = true;
        d->static_loop = is_static;
    }
}

void omp_loop_begin(bool is_static)
{
    struct thread *th = engine_self();
    if (implicit_data(th)) {
        chunks_leave(th);               /* the loop before was cancelled, and no barrier told it */
        omp_loop_kind(is_static);
    }
}

bool omp_loop_is_static(void)
{
    const struct omp_data *d = implicit_data(engine_self());
    return !d || d->static_loop;
}

bool omp_in_loop(void)
{
    const struct omp_data *d = implicit_data(engine_self());
    return d && d->in_loop;
}

void omp_loop_end(void)
{
    struct thread *th = engine_self();
    if (th) {
        chunks_leave(th);
        struct omp_data *d = data_if_any(th->cur);
        if (d) {
            d->in_loop = false;
            doacross_leave(th, d);
        }
    }
}
