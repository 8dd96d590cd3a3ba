/* dependence_edge.c - edges between any strands; and dags inside one invocation, whose strands hand
 * on whole paths. See dependence.h.
 */
#include "engine/calibrated.h"
#include "engine/divide.h"
#include "engine/rules.h"
#include "base/forbid.h"

/* ---- edges ---- */

void edge_put(struct thread *th, struct edge *e)
{
    struct task *t = th->cur;
    if (!t)
        return;
    strand_cut(th, t, calibrated.resume);
    divide_end_cut(th, t);
    edge_put_paused(th, t, e);
}

/* What T has executed so far may be on the path that comes back to it (critical_jump). */
static inline void note_put(struct task *t)
{
    if (__builtin_expect(t->bag != 0, 0))
        t->bag->put = t->S;
}

void edge_put_paused(struct thread *th, struct task *t, struct edge *e)
{
    note_put(t);
    lock_take(&e->lock);
    if (t->S > e->S || !e->ctx) {
        e->S = t->S;
        e->ctx = t->ctx;
        e->mixed = !e->one_invocation || t->bag;
    }
    lengths_max(&e->len, &t->len);
    whatif_max(th, &e->scaled, t->scaled);
    if (DAGREC_ON)
        e->dag_event = dagrec_both(th, e->dag_event, dagrec_put(th, t));
    ASSERT(edge_is_valid(e));
    lock_release(&e->lock);
}

void edge_get(struct thread *th, struct edge *e)
{
    struct task *t = th->cur;
    if (!t)
        return;
    strand_cut(th, t, calibrated.resume);
    edge_get_paused(th, t, e);
}

void edge_get_paused(struct thread *th, struct task *t, struct edge *e)
{
    divide_end_cut(th, t);
    lock_take(&e->lock);
    uint64_t S = e->S;
    struct context *ctx = e->ctx;
    bool mixed = e->mixed, later = ctx && S > t->S;
    uint32_t event = e->dag_event;
    ASSERT(edge_is_valid(e));
    lengths_max(&t->len, &e->len);
    whatif_max(th, &t->scaled, e->scaled);
    lock_release(&e->lock);
    if (later)
        critical_jump(th, t, S, ctx, mixed);
    if (DAGREC_ON)
        dagrec_get(th, t, event, later, DAGREC_EDGE);
}

void edge_put_only(struct thread *th, struct task *t, struct edge *e)
{
    divide_end_cut(th, t);
    if (ENGINE_EXTRAS) {
        edge_put_paused(th, t, e);
        return;
    }
    note_put(t);
    e->S = t->S;
    e->len = t->len;
    e->ctx = t->ctx;
    e->mixed = !e->one_invocation || t->bag;
}

static __attribute__((noinline)) void take_slow(struct thread *th, struct edge *e)
{
    edge_get(th, e);
    edge_drop(th, e);
}

void edge_take(struct thread *th, struct edge *e)
{
    struct task *t = th->cur;
    if (__builtin_expect(!t || ENGINE_EXTRAS || !strand_cut_quick(th, t, &calibrated.resume), 0)) {
        take_slow(th, e);
        return;
    }
    divide_end_cut(th, t);
    lengths_max(&t->len, &e->len);
    if (e->ctx && e->S > t->S)
        critical_jump(th, t, e->S, e->ctx, e->mixed);
}

void edge_drop(struct thread *th, struct edge *e)
{
    whatif_free(th, &e->scaled);
}

/* ---- a dag inside one invocation ---- */

/* A task of S, which nobody has counted. Its S and its lengths are not set. NULL: no memory. */
static inline struct task *spawned_free(struct thread *th, struct scope *s, struct context *ctx,
                                        uint32_t seq, uint32_t flags)
{
    struct task *t = block_new(th, BLOCK_TASK);
    if (__builtin_expect(!t, 0))
        return 0;
    task_zero(t);
    t->ctx = ctx;
    t->scope = s;
    t->spawner = th;
    t->spawn_tsc = th->clock.last;
    t->flags = flags;
    t->seq = seq;
    th->spawns += !(flags & TASK_CALL);
    return t;
}

struct task *task_spawned_free(struct thread *th, struct scope *s, struct context *ctx,
                               uint32_t seq, uint32_t flags)
{
    struct task *t = spawned_free(th, s, ctx, seq, flags);
    if (__builtin_expect(!t, 0))
        return 0;
    th->begun -= flags & TASK_CALL;
    t->S = t->birth = t->blk = 0;
    t->len = (struct lengths){ 0 };
    scope_count_foreign(s, t);
    return t;
}

struct task *engine_spawn_of(struct thread *th, struct task *owner, uint32_t seq, uint32_t flags)
{
    struct scope *s = scope_own_paused(th, owner);
    struct task *t = s ? spawned_free(th, s, owner->ctx, seq, flags | TASK_INHERIT) : 0;
    if (__builtin_expect(!t, 0))
        return 0;
    if (__atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th)    /* engine_bias */
        __atomic_store_n(&s->spawned, s->spawned + 1, __ATOMIC_RELEASE);
    else
        scope_count_foreign(s, t);
    th->never_ready += !(flags & TASK_CALL);
    engine_skip_begin(th);
    t->S = t->birth = t->blk = owner->S;
    t->len = owner->len;
    whatif_birth(th, t, owner);
    if (DAGREC_ON)
        dagrec_spawn(th, owner, t, s);
    return t;
}

void critical_put(struct thread *th, const struct task *t, struct critical *p)
{
    critical_drop(th, p);
    p->S = t->S;
    p->len = t->len;
    whatif_max(th, &p->scaled, t->scaled);
    p->loc = t->loc + (t->S - t->blk);
    if (__builtin_expect(t->bag != 0, 0)) {
        p->bag = bag_copy(th, t->bag);
        if (!p->bag)
            p->loc = t->S - t->birth;
        else if (p->bag->fresh_count)
            bag_samples_settle(th, &p->bag, t->S);
    }
    p->thread = th;
    p->tsc = th->clock.last;
    ASSERT_WALK(critical_put_is_valid(t, p));
    if (DAGREC_ON)
        p->dag_event = dagrec_put(th, t);
}

void critical_get(struct thread *th, struct task *t, struct critical *p, uint32_t burdens)
{
    if (!p->thread)
        return;
    divide_end_cut(th, t);
    lengths_max_burdened(&t->len, &p->len, burdens);
    whatif_max(th, &t->scaled, p->scaled);
    bool later = p->S > t->S;
    if (later) {
        if (__builtin_expect(t->fresh != 0, 0))
            prefixes_save(th, t);
        bag_free(th, t->bag);
        t->bag = p->bag;
        p->bag = 0;
        t->loc = p->loc;
        t->S = t->blk = p->S;
        task_block_next(t);
        ASSERT(task_is_valid(t));
    }
    if (DAGREC_ON)
        dagrec_get(th, t, p->dag_event, later, DAGREC_PIPELINE);
    critical_drop(th, p);
}

void critical_drop(struct thread *th, struct critical *p)
{
    bag_free(th, p->bag);
    whatif_free(th, &p->scaled);
    p->bag = 0;
    p->thread = 0;
    p->S = p->tsc = 0;
    p->dag_event = 0;
}
