/* dag.c - what is not fork-join: edges, whole paths that are handed on, dependences between tasks, tasks that end
 * before their children, joins of strands that are paused. engine.h has the contracts.
 */
#include "engine/rules.h"
#include "engine/region.h"

/* ---- edges ---- */

void engine_edge_put(struct thread *th, struct edge *e)
{
    struct task *t = th->cur;
    if (!t)
        return;
    strand_cut(th, t, calibrated.resume);
    engine_edge_put_paused(th, t, e);
}

void engine_edge_put_paused(struct thread *th, const struct task *t, struct edge *e)
{
    lock_take(&e->lock);
    if (t->S > e->S || !e->ctx) {
        e->S = t->S;
        e->ctx = t->ctx;
        e->mixed = !e->one_invocation || t->bag;
    }
    burdened_max(&e->L, &e->K, t->L, t->K);
    whatif_max(th, &e->scaled, t->scaled);
    if (DAGREC_ON)
        e->dag_event = dagrec_both(th, e->dag_event, dagrec_put(th, t));
    ASSERT(edge_is_valid(e));
    lock_release(&e->lock);
}

void engine_edge_get(struct thread *th, struct edge *e)
{
    struct task *t = th->cur;
    if (!t)
        return;
    strand_cut(th, t, calibrated.resume);
    engine_edge_get_paused(th, t, e);
}

void engine_edge_get_paused(struct thread *th, struct task *t, struct edge *e)
{
    lock_take(&e->lock);
    uint64_t S = e->S;
    struct context *ctx = e->ctx;
    bool mixed = e->mixed, later = ctx && S > t->S;
    uint32_t event = e->dag_event;
    ASSERT(edge_is_valid(e));
    burdened_max(&t->L, &t->K, e->L, e->K);
    whatif_max(th, &t->scaled, e->scaled);
    lock_release(&e->lock);
    if (later)
        path_jump(th, t, S, ctx, mixed);
    if (DAGREC_ON)
        dagrec_get(th, t, event, later, DAGREC_EDGE);
}

void engine_edge_drop(struct thread *th, struct edge *e)
{
    whatif_free(th, &e->scaled);
}

/* ---- a dag inside one invocation ---- */

/* A task of S that no running strand spawns, at the program's start as yet. */
static struct task *spawn_free(struct thread *th, struct scope *s, struct context *ctx, uint32_t seq, uint32_t flags)
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
    t->S = t->birth = t->blk = t->L = t->K = 0;
    t->seq = seq;
    lock_take(&s->lock);
    __atomic_store_n(&s->spawned_foreign, s->spawned_foreign + 1, __ATOMIC_RELEASE);
    lock_release(&s->lock);
    th->spawns += !(flags & TASK_CALL);
    return t;
}

struct task *engine_spawn_of(struct thread *th, struct task *owner, uint32_t seq, uint32_t flags)
{
    struct task *t = spawn_free(th, &owner->self, owner->ctx, seq, flags | TASK_INHERIT);
    if (__builtin_expect(!t, 0))
        return 0;
    t->S = t->birth = t->blk = owner->S;
    t->L = owner->L;
    t->K = owner->K;
    whatif_birth(th, t, owner);
    if (DAGREC_ON)
        dagrec_spawn(th, owner, t, &owner->self);
    return t;
}

void engine_path_put(struct thread *th, const struct task *t, struct path *p)
{
    engine_path_drop(th, p);
    p->S = t->S;
    p->L = t->L;
    p->K = t->K;
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
    ASSERT_WALK(path_put_is_valid(t, p));
    if (DAGREC_ON)
        p->dag_event = dagrec_put(th, t);
}

void engine_path_get(struct thread *th, struct task *t, struct path *p, uint32_t burdens)
{
    if (!p->thread)
        return;
    burdened_max(&t->L, &t->K, p->L, p->K + burdens);
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
    engine_path_drop(th, p);
}

void engine_path_drop(struct thread *th, struct path *p)
{
    bag_free(th, p->bag);
    whatif_free(th, &p->scaled);
    p->bag = 0;
    p->thread = 0;
    p->S = p->tsc = 0;
    p->dag_event = 0;
}

/* ---- messages ---- */

void engine_arrival_now(struct thread *th, struct scope *scope, struct arrival *a)
{
    struct task *t = th->cur;
    strand_cut(th, t, calibrated.resume);
    a->L = t->L;
    a->K = t->K;
    if (DAGREC_ON)
        a->dag_event = dagrec_put(th, t);
    struct trail *r = block_new(th, block_class(sizeof *r));
    if (!r)
        return;
    *r = (struct trail){ .S = t->S, .scope = scope, .references = 1 };
    whatif_max(th, &r->scaled, t->scaled);
    a->trail = r;
    if (t == scope->owner) {
        scope_births(scope, t);
        return;
    }
    /* T goes on: its samples and its children's births are left as they are */
    r->birth = t->birth;
    r->ctx = t->ctx;
    r->flags = t->flags & (TASK_INHERIT | TASK_FOREIGN);
    r->seq = t->seq;
    r->late = t->late;
    r->work_local = invocation_work(t);
    r->work = subtree_work(t);
    r->loc = t->loc + (t->S - t->blk);
    if (__builtin_expect(t->bag != 0, 0)) {
        r->bag = bag_copy(th, t->bag);
        if (!r->bag)
            r->loc = t->S - t->birth;
        else if (r->bag->fresh_count)
            bag_samples_settle(th, &r->bag, t->S);
    }
    ASSERT_WALK(trail_is_valid(r));
}

void engine_trail_drop(struct thread *th, struct trail *r)
{
    ASSERT_WALK(!r || trail_is_valid(r));
    if (!r || (__atomic_load_n(&r->references, __ATOMIC_ACQUIRE) != 1 && __atomic_sub_fetch(&r->references, 1, __ATOMIC_ACQ_REL)))
        return;
    bag_free(th, r->bag);
    whatif_free(th, &r->scaled);
    block_free(th, r);
}

/* R, the longer one, with the later of both in every scenario: trails are shared, so in a record of its own. NULL: no memory. */
static struct trail *trail_of_both(struct thread *th, const struct trail *r, const struct trail *other)
{
    struct trail *both = block_new(th, block_class(sizeof *both));
    if (!both)
        return 0;
    *both = *r;
    both->references = 1;
    both->bag = bag_copy(th, r->bag);
    if (r->bag && !both->bag)
        both->loc = r->S - r->birth;
    both->scaled = 0;
    whatif_max(th, &both->scaled, r->scaled);
    whatif_max(th, &both->scaled, other->scaled);
    return both;
}

void engine_arrival_max(struct thread *th, struct arrival *into, const struct arrival *a)
{
    burdened_max(&into->L, &into->K, a->L, a->K);
    if (DAGREC_ON)
        into->dag_event = dagrec_both(th, into->dag_event, a->dag_event);
    struct trail *r = a->trail, *was = into->trail;
    if (WHATIF_ON && r && was && r != was) {
        bool longer = r->S > was->S || (r->S == was->S && r->seq < was->seq);
        struct trail *both = longer ? trail_of_both(th, r, was) : trail_of_both(th, was, r);
        if (both) {
            into->trail = both;
            engine_trail_drop(th, was);
            return;
        }
    }
    if (!r || (was && (r->S < was->S || (r->S == was->S && r->seq >= was->seq))))
        return;
    __atomic_fetch_add(&r->references, 1, __ATOMIC_RELAXED);
    into->trail = r;
    engine_trail_drop(th, was);
}

struct task *engine_spawn_after(struct thread *th, struct scope *scope, struct context *ctx, uint32_t seq, uint32_t flags)
{
    struct task *t = spawn_free(th, scope, ctx, seq, flags);
    if (__builtin_expect(!t, 0))
        return 0;
    whatif_birth(th, t, 0);
    if (DAGREC_ON)
        dagrec_ready(th, scope->owner, t, scope);
    return t;
}

/* R, longer than T's path, is T's path. */
static void path_follow(struct thread *th, struct task *t, const struct trail *r)
{
    if (r->scope != t->scope) {
        t->flags |= TASK_FOREIGN;
        path_jump(th, t, r->S, r->ctx ? r->ctx : t->ctx, true);
        return;
    }
    t->flags = (t->flags & ~TASK_FOREIGN) | (r->flags & TASK_FOREIGN);
    bag_free(th, t->bag);
    t->bag = 0;
    t->loc = t->late = 0;
    t->birth = r->S;
    if (r->ctx) {
        t->birth = r->birth;
        t->late = r->S - r->birth;
        t->bag = bag_copy(th, r->bag);
        uint64_t loc = r->bag && !t->bag ? t->late : r->loc;
        struct on_span *v = bag_at(th, &t->bag, r->ctx->id);
        if (v) {
            v->span_local += loc;
            if (!(r->flags & TASK_INHERIT)) {
                v->count++;
                v->work_local += r->work_local;
                v->work += r->work;
                v->span += r->S - r->birth - r->late;
            }
        }
    }
    t->S = t->blk = r->S;
    ASSERT(task_is_valid(t));
}

void engine_task_after(struct thread *th, struct task *t, const struct arrival *a, uint32_t burdens)
{
    burdened_max(&t->L, &t->K, a->L, a->K + burdens);
    const struct trail *r = a->trail;
    if (r)
        whatif_max(th, &t->scaled, r->scaled);
    bool later = r && r->S > t->S;
    if (later)
        path_follow(th, t, r);
    if (DAGREC_ON)
        dagrec_get(th, t, a->dag_event, later, DAGREC_EDGE);
}

void engine_running_after(struct thread *th, const struct arrival *a)
{
    struct task *t = th->cur;
    strand_cut(th, t, calibrated.resume);
    burdened_max(&t->L, &t->K, a->L, a->K);
    const struct trail *r = a->trail;
    if (r)
        whatif_max(th, &t->scaled, r->scaled);
    bool later = r && r->S > t->S;
    if (later)
        path_jump(th, t, r->S, r->ctx ? r->ctx : t->ctx, true);
    if (DAGREC_ON)
        dagrec_get(th, t, a->dag_event, later, DAGREC_EDGE);
}

/* ---- tasks that end before their children ---- */

/* A copy of T's path as it stands, in a task of its own; T's samples are settled. NULL: no memory. */
static struct task *path_copy(struct thread *th, struct task *t)
{
    struct task *k = block_new(th, BLOCK_TASK);
    if (!k)
        return 0;
    samples_settle(th, t, t->S);
    t->loc += t->S - t->blk;
    t->blk = t->S;
    struct scope empty = { .owner = k };
    *k = *t;
    k->self = empty;
    k->scopes = 0;
    k->regions = 0;
    k->bag = bag_copy(th, t->bag);
    if (t->bag && !k->bag)
        k->loc = t->S - t->birth;
    k->scaled = 0;
    whatif_max(th, &k->scaled, t->scaled);
    return k;
}

/* T, which has children, ends; they do not hold it up. A copy of it completes at once, DAG: with T's strands. T itself becomes what
 * is left: its path, from which its children's begin, without its work. It completes with them. */
static void split(struct thread *th, struct task *t, bool dag)
{
    struct scope *s = t->scope;
    struct task *ended = path_copy(th, t);
    struct scope_rest *fresh = ended ? block_new(th, block_class(sizeof *fresh)) : 0;
    if (!fresh) {
        if (ended)
            task_free(th, ended);
        task_end(th, t);
        return;
    }
    *fresh = (struct scope_rest){ .spawned = 0 };
    if (s) {
        lock_take(&s->lock);
        if (!s->rest) {
            s->rest = fresh;
            fresh = 0;
        }
        s->rest->spawned++;
        lock_release(&s->lock);
    }
    if (fresh)
        block_free(th, fresh);
    if (dag)
        scope_collect(th, ended, &t->self);
    t->flags |= TASK_REST;
    t->joined = t->inherited_work = 0;
    task_complete(th, ended);
    task_end(th, t);
}

void engine_end_loose_paused(struct thread *th, struct task *t)
{
    if (__builtin_expect(scope_is_empty(&t->self) && !t->self.rest && !t->scopes, 1))
        task_end(th, t);
    else
        split(th, t, false);
}

void engine_end_loose_dag(struct thread *th, struct task *t)
{
    if (!t->self.rest) {
        task_end(th, t);
        return;
    }
    if (DAGREC_ON)
        dagrec_join(th, t, &t->self);
    split(th, t, true);
}

static __attribute__((noinline)) void end_loose_slow(struct thread *th)
{
    struct task *t = th->cur;
    if (!t) {
        th->lost[LOSS_UNBALANCED]++;
        return;
    }
    engine_cut(th);
    strand_stop(th);
    engine_end_loose_paused(th, t);
}

void engine_end_loose(struct thread *th)
{
    struct task *t = th->cur;
    if (__builtin_expect(!t, 0) || !strand_cut_quick(th, t, 0)) {
        end_loose_slow(th);
        return;
    }
    strand_stop(th);
    engine_end_loose_paused(th, t);
}

static __attribute__((noinline)) void cut_slow(struct thread *th, struct task *t, uint64_t own)
{
    strand_cut(th, t, own);
}

void engine_end_into(struct thread *th, struct task *next)
{
    struct task *t = th->cur;
    ASSERT(strand_is_valid(t) && strand_is_valid(next));
    if (!strand_cut_quick(th, t, calibrated.into))
        cut_slow(th, t, calibrated.into);
    th->cur = next;
    th->resume_gap = 0;
    engine_end_loose_paused(th, t);
}

/* ---- joins ---- */

void engine_join_group(struct thread *th, struct scope *s)
{
    if (__atomic_load_n(&s->rest, __ATOMIC_ACQUIRE) || !scope_done(s)) {
        gap_was_idle(th, th->resume_gap);
        lock_take(&s->lock);
        bool over = scope_over(s);
        lock_release(&s->lock);
        if (!over)
            scope_settle(th, s, scope_over);
        lock_take(&s->lock);
        over = scope_over(s);
        if (over && s->rest)
            scope_add_rest(th, s);
        lock_release(&s->lock);
    }
    engine_join(th, s);
}

void engine_join_paused(struct thread *th, struct task *t)
{
    struct task *cur = th->cur;
    uint64_t gap = th->resume_gap, idle_since = th->idle_since;
    th->cur = t;
    th->idle_since = th->strand_tsc;    /* whose gap this was is not decided here */
    th->resume_gap = 0;
    engine_join_group(th, &t->self);
    th->cur = cur;
    th->resume_gap = gap;
    th->idle_since = idle_since;
}

void engine_gap_was_idle(struct thread *th)
{
    gap_was_idle(th, th->resume_gap);
}

void engine_gap_was_own(struct thread *th)
{
    th->measured_tsc += th->strand_tsc - th->idle_since;
}

void engine_gap_was_lent(struct thread *th)
{
    th->life_tsc -= th->strand_tsc - th->idle_since;
    th->life_cost -= th->resume_gap;
    th->idle_since = th->strand_tsc;    /* counted */
    th->resume_gap = 0;
}

/* ---- dependences between tasks ---- */

struct kept_more {
    uint64_t *scaled;           /* the path in every scenario; owned */
    struct dag_node *node;
    uint32_t event;
};

void engine_keep(struct thread *th, struct task *t, struct kept *k)
{
    *k = (struct kept){ .S = t->S, .L = t->L, .K = t->K, .birth = t->birth, .late = t->late, .work_local = invocation_work(t),
                        .work = subtree_work(t), .ctx = t->ctx, .flags = t->flags, .seq = t->seq };
    if (__builtin_expect(t->bag != 0, 0)) {
        samples_settle(th, t, t->S);
        k->bag = bag_copy(th, t->bag);
    }
    if (ENGINE_EXTRAS && (k->more = block_new(th, block_class(sizeof *k->more)))) {
        *k->more = (struct kept_more){ .node = t->node };
        whatif_max(th, &k->more->scaled, t->scaled);
        if (DAGREC_ON && !(t->flags & TASK_CALL))   /* whoever comes after a call comes after it anyhow */
            k->more->event = dagrec_put(th, t);
    }
    ASSERT_WALK(kept_is_valid(k));
}

void engine_kept_drop(struct thread *th, struct kept *k)
{
    bag_free(th, k->bag);
    if (__builtin_expect(k->more != 0, 0)) {
        whatif_free(th, &k->more->scaled);
        block_free(th, k->more);
    }
    k->ctx = 0;
}

/* A task that ended with K, as path_append and path_adopt want one; they take its bag. */
static inline void stand_in(struct thread *th, struct task *c, const struct kept *k)
{
    c->S = c->blk = k->S;
    c->birth = k->birth;
    c->late = k->late;
    c->own = 0;
    c->inherited_work = k->work_local;
    c->joined = k->work;
    c->ctx = k->ctx;
    c->flags = k->flags;
    c->bag = bag_copy(th, k->bag);
    c->loc = k->S - k->birth - bag_span(c->bag);
}

/* K's path, longer than T's, is T's path. */
static void path_follow_kept(struct thread *th, struct task *t, const struct kept *k)
{
    if ((t->flags & TASK_FOREIGN) != (k->flags & TASK_FOREIGN)) {
        path_jump(th, t, k->S, k->ctx, true);
        return;
    }
    struct task before;
    stand_in(th, &before, k);
    bag_free(th, t->bag);
    t->bag = 0;
    t->loc = 0;
    t->birth = k->birth;
    if (before.flags & TASK_INHERIT) {
        struct on_span *v = bag_at(th, &t->bag, before.ctx->id);
        if (v)
            v->span_local += before.loc;
        before.loc = 0;
    }
    path_append(th, t, &before);
    t->S = t->blk = k->S;
    t->late = k->S - k->birth;
    ASSERT(task_is_valid(t));
}

void engine_after(struct thread *th, struct task *t, const struct kept *k)
{
    burdened_max(&t->L, &t->K, k->L, k->K + !(t->flags & TASK_CALL));
    bool later = k->S > t->S;
    if (later)
        path_follow_kept(th, t, k);
    if (__builtin_expect(k->more != 0, 0)) {
        whatif_max(th, &t->scaled, k->more->scaled);
        if (DAGREC_ON)
            dagrec_get(th, t, k->more->event, later, DAGREC_DEPEND);
    }
}

bool engine_keep_longer(const struct kept *k, const struct kept *than)
{
    return !than || k->S > than->S || (k->S == than->S && k->seq < than->seq);
}

bool engine_keep_covers(const struct kept *a, const struct kept *b)
{
    return a->S >= b->S && a->L >= b->L && a->K >= b->K && !a->more && !b->more;
}

void engine_join_kept(struct thread *th, struct task *t, const struct kept *k, struct scope *joined)
{
    burdened_max(&t->L, &t->K, k->L, k->K);
    if (__builtin_expect(k->more != 0, 0)) {
        whatif_max(th, &t->scaled, k->more->scaled);
        if (DAGREC_ON)
            dagrec_join_kept(th, t, k->more->node, k->more->event, k->S > t->S ? k->S : 0);
    }
    if (k->S <= t->S)
        return;
    for (const struct prefix *p = k->birth < t->blk ? joined->prefixes : 0; p; p = p->next)
        if (k->birth >= p->blk && k->birth <= p->end) {
            /* the prefix stays: others that were born there are still to be joined */
            path_jump(th, t, k->S, k->ctx, true);
            return;
        }
    struct task c;
    stand_in(th, &c, k);
    path_adopt(th, t, &c, joined);
    bag_free(th, c.bag);
}

/* ---- strands that are one to the program ---- */

struct region_instance *engine_regions_take(struct thread *th)
{
    struct task *t = th->cur;
    struct region_instance *list = t->regions;
    if (!list)
        return 0;
    engine_cut(th);
    for (struct region_instance *i = list; i; i = i->next) {
        i->work -= t->own + t->joined;  /* below zero, until the next strand's is added */
        if (i->candidate >= 0)
            whatif_leave(t, i->candidate);
    }
    t->regions = 0;
    return list;
}

void engine_regions_give(struct thread *th, struct region_instance *list)
{
    struct task *t = th->cur;
    if (!t)
        return;
    t->regions = list;
    if (!WHATIF_ON)
        return;
    for (struct region_instance *done = 0, *i; done != list; done = i) {       /* the oldest, the last, is the outermost */
        for (i = list; i->next != done; i = i->next)
            ;
        if (i->candidate >= 0)
            whatif_enter(t, i->candidate);
    }
}
