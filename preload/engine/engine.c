/* engine.c - the work/span rules of fork-join: strands, spawns, ends, joins. See engine.h for the model and
 * its invariants; dag.c has what is not fork-join, thread.c makes and ends threads, snapshot.c reads it all
 * for the writer.
 *
 * Order of the file: spawn, adopting a path, completing a task, joins.
 */
#include "engine/rules.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "engine/region.h"
#include "model/thread.h"

READ_MOSTLY bool engine_recording, engine_extras;
uint32_t engine_worker_slots;
READ_MOSTLY uint64_t engine_burden;
uint64_t engine_start_tsc;
struct lower_bound engine_lower_bounds[16];

/* Snapshots of path prefixes that a scope keeps at most; beyond, none are added (LOSS_PREFIX). */
#define SCOPE_PREFIXES 64

uint64_t strand_slow(struct thread *th, struct task *cur, uint64_t cost)
{
    if (th->clock.off)
        thread_metrics_made(th, cur->ctx->id)->blocked += th->clock.off;
    th->clock.off = 0;
    if (th->sampled)
        sampler_take(th, cur);
    return whatif_cost(th, cur, cost);
}

void engine_cut(struct thread *th)
{
    if (th->cur)
        strand_cut(th, th->cur, 0);
}

/* ---- spawn ---- */

/* T, whose block is new, is spawned by TH's strand CUR, which was cut. */
static inline void task_born(struct thread *th, struct task *t, struct task *cur, struct scope *scope, struct context *ctx,
                             uint32_t flags)
{
    ASSERT_WALK(context_is_valid(ctx));
    task_zero(t);
    t->ctx = ctx;
    t->scope = scope;
    t->spawner = th;
    t->flags = flags;
    t->S = t->birth = t->blk = cur->S;
    t->L = cur->L;
    t->K = cur->K + !(flags & TASK_CALL);
    t->seq = cur->next_seq++;
    t->spawn_tsc = th->clock.last;
    th->spawns += !(flags & TASK_CALL);
}

static inline void scope_count_own(struct scope *s, struct task *owner)
{
    __atomic_store_n(&s->spawned, s->spawned + 1, __ATOMIC_RELEASE);
    scope_births(s, owner);
}

static __attribute__((noinline)) struct task *spawn_slow(struct thread *th, struct scope *scope, struct context *ctx, uint32_t flags)
{
    struct task *cur = th->cur;
    struct task *t = block_new(th, BLOCK_TASK);
    if (__builtin_expect(!t, 0))
        return 0;
    if (cur) {
        strand_cut(th, cur, calibrated.spawn);
        task_born(th, t, cur, scope, ctx, flags);
    } else {
        /* a thread outside every strand: the task can start when the program does */
        struct task start = { .S = 0 };
        clock_now(&th->clock);
        task_born(th, t, &start, scope, ctx, flags | TASK_CALL);
        t->flags = flags;
        th->spawns += !(flags & TASK_CALL);
    }
    whatif_birth(th, t, cur);
    if (DAGREC_ON)
        dagrec_spawn(th, cur, t, scope);
    if (scope && scope->owner == cur && cur) {
        scope_count_own(scope, cur);
    } else if (scope) {
        t->flags |= TASK_FOREIGN;
        lock_take(&scope->lock);
        __atomic_store_n(&scope->spawned_foreign, scope->spawned_foreign + 1, __ATOMIC_RELEASE);
        lock_release(&scope->lock);
    }
    return t;
}

struct task *engine_spawn(struct thread *th, struct scope *scope, struct context *ctx, uint32_t flags)
{
    struct task *cur = th->cur;
    struct block *b = th->free_blocks[BLOCK_TASK];
    ASSERT(!cur || strand_is_valid(cur));
    ASSERT(!scope || scope->owner != cur || !cur || scope_is_valid(th, scope));
    if (__builtin_expect(!cur || !b || !scope || scope->owner != cur || ENGINE_EXTRAS, 0) ||
        !strand_cut_quick(th, cur, calibrated.spawn))
        return spawn_slow(th, scope, ctx, flags);
    struct task *t = block_take(th, BLOCK_TASK, b);
    task_born(th, t, cur, scope, ctx, flags);
    scope_count_own(scope, cur);
    return t;
}

/* Latency of a steal: from the moment when the task was there and the thief had nothing to do. */
static void steal_sample(struct thread *th, const struct task *t, uint64_t begin)
{
    uint64_t since = t->spawn_tsc > th->idle_since ? t->spawn_tsc : th->idle_since;
    if (clock_kind != CLOCK_TSC || !t->spawn_tsc || !th->idle_since || begin <= since)
        return;
    uint64_t ticks = begin - since;
    uint32_t octave = 63 - __builtin_clzll(ticks | 4);
    uint32_t i = octave * 4 + (ticks >> (octave - 2) & 3);
    th->steal_histogram[i < 128 ? i : 127]++;
    uint64_t n = ++th->steal_samples;
    if (n >= 16 && (n & (n - 1)) == 0)
        burden_update(th);
}

static __attribute__((noinline)) void begin_slow(struct thread *th, struct task *t)
{
    strand_start(th, t, calibrated.begin);
    t->self.owner = t;
    t->self.thread = th;
    if (t->spawner != th && !(t->flags & TASK_ROOT)) {
        t->flags |= TASK_STOLEN;
        th->steals++;
        steal_sample(th, t, th->clock.last);
        gap_was_idle(th, th->resume_gap);
    }
}

void engine_begin(struct thread *th, struct task *t)
{
    ASSERT(!th->cur);
    ASSERT(task_is_valid(t) && !(t->flags & (TASK_CLOSED | TASK_REST)));
    if (__builtin_expect(t->spawner != th, 0) || !strand_start_quick(th, t, calibrated.begin)) {
        begin_slow(th, t);
        return;
    }
    t->self.owner = t;
    t->self.thread = th;
}

static inline void interrupted_by(struct thread *th, struct task *t)
{
    th->cur = t;
    t->self.owner = t;
    t->self.thread = th;
    if (__builtin_expect(t->spawner != th, 0)) {
        t->flags |= TASK_STOLEN;
        th->steals++;
    }
}

static __attribute__((noinline)) void interrupt_slow(struct thread *th, struct task *t)
{
    strand_cut(th, th->cur, calibrated.begin);
    interrupted_by(th, t);
}

void engine_interrupt(struct thread *th, struct task *t)
{
    ASSERT(strand_is_valid(th->cur));
    ASSERT(task_is_valid(t) && !(t->flags & (TASK_CLOSED | TASK_REST)));
    if (strand_cut_quick(th, th->cur, calibrated.begin))
        interrupted_by(th, t);
    else
        interrupt_slow(th, t);
}

static __attribute__((noinline)) struct task *pause_slow(struct thread *th)
{
    struct task *cur = th->cur;
    strand_cut(th, cur, 0);
    strand_stop(th);
    return cur;
}

struct task *engine_pause(struct thread *th)
{
    struct task *cur = th->cur;
    if (!cur)
        return 0;
    ASSERT(strand_is_valid(cur));
    ASSERT_ALL(thread_is_valid(th));
    if (!strand_cut_quick(th, cur, 0))
        return pause_slow(th);
    strand_stop(th);
    return cur;
}

static __attribute__((noinline)) void resume_slow(struct thread *th, struct task *task)
{
    strand_start(th, task, calibrated.resume);
}

void engine_resume(struct thread *th, struct task *task)
{
    ASSERT(!task || (!th->cur && strand_is_valid(task)));
    if (task && !strand_start_quick(th, task, calibrated.resume))
        resume_slow(th, task);
}

void engine_move(struct task *t, const struct path_point *point, uintptr_t entry, struct task_place *saved)
{
    *saved = (struct task_place){ t->entry, t->base, t->flags & (TASK_MOVED | TASK_ENTRY_AT) };
    const struct segment *segment = path_here(point, task_entry(t));
    const struct logical_path *base = segment ? context_path_child(task_path(t), segment) : 0;
    t->base = base ? base : task_path(t);
    t->entry = entry;
    t->flags = (t->flags & ~TASK_ENTRY_AT) | TASK_MOVED;
}

void engine_moved_back(struct task *t, const struct task_place *saved)
{
    t->entry = saved->entry;
    t->base = saved->base;
    t->flags = (t->flags & ~TASK_MOVED) | saved->moved;
}

void engine_unbias(struct task *t)
{
    __atomic_store_n(&t->self.thread, (struct thread *)0, __ATOMIC_RELEASE);
    for (struct scope *s = t->scopes; s; s = s->owner_next)
        __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELEASE);
}

/* ---- paths ---- */

__attribute__((noinline)) void task_blocks_renumber(struct task *t)
{
    t->block = 0;
    t->self.born_block = 0;
    for (struct scope *s = t->scopes; s; s = s->owner_next)
        s->born_block = 0;
}

/* Other scopes of T have children born in T's current block, which is about to end: they keep
 * what the path was. */
__attribute__((noinline)) void prefixes_save(struct thread *th, struct task *t)
{
    for (struct scope *s = &t->self; s; s = s == &t->self ? t->scopes : s->owner_next) {
        if (s->born_block != t->block + 1)
            continue;
        struct prefix *p = s->prefix_count < SCOPE_PREFIXES ? block_new(th, BLOCK_PREFIX) : 0;
        if (!p) {
            th->lost[LOSS_PREFIX]++;
            continue;
        }
        p->blk = t->blk;
        p->end = t->S;
        p->loc = t->loc;
        p->bag = bag_copy(th, t->bag);
        p->next = s->prefixes;
        s->prefixes = p;
        s->prefix_count++;
        ASSERT_WALK(bag_is_valid(p->bag));
    }
}

static __attribute__((noinline)) void prefixes_free(struct thread *th, struct scope *s)
{
    while (s->prefixes) {
        struct prefix *p = s->prefixes;
        s->prefixes = p->next;
        bag_free(th, p->bag);
        block_free(th, p);
    }
    s->prefix_count = 0;
}

/* Add the path of C, a finished child, to T's path: C's own part, what it called, its invocation. */
void path_append(struct thread *th, struct task *t, struct task *c)
{
    if (c->bag) {
        bag_merge(th, &t->bag, c->bag);
        c->bag = 0;
    }
    if (c->flags & TASK_INHERIT) {
        t->loc += c->loc;       /* the same invocation as T's */
        return;
    }
    struct on_span *v = bag_at(th, &t->bag, c->ctx->id);
    if (!v)
        return;
    v->count++;
    v->work_local += invocation_work(c);
    v->span_local += c->loc;
    v->work += subtree_work(c);
    v->span += c->S - c->birth - c->late;
}

/* T's path grew through a dependence whose path is not known relative to T's birth: a join of
 * somebody else's child, an edge. The part gained is charged to the context CTX that it came from;
 * MIXED: other contexts have a share in it, so that the split is approximate. */
void path_jump(struct thread *th, struct task *t, uint64_t S, struct context *ctx, bool mixed)
{
    uint64_t excess = S - t->S;
    if (t->fresh)
        prefixes_save(th, t);
    samples_settle(th, t, t->S);
    t->loc += t->S - t->blk;
    if (ctx == t->ctx) {
        t->loc += excess;
    } else {
        struct on_span *v = bag_at(th, &t->bag, ctx->id);
        if (v)
            v->span_local += excess;
        mixed = true;
    }
    th->approximate += mixed;
    t->S = t->blk = S;
    task_block_next(t);
    ASSERT(task_is_valid(t));
}

/* The longest child C (S > T's) becomes T's critical path; C's bag is consumed. */
void path_adopt(struct thread *th, struct task *t, struct task *c, struct scope *joined)
{
    if (__builtin_expect(c->flags & TASK_FOREIGN, 0)) {
        path_jump(th, t, c->S, c->ctx, c->bag != 0);
        return;
    }
    if (__builtin_expect(c->birth >= t->blk, 1)) {
        if (__builtin_expect(t->fresh != 0, 0))
            prefixes_save(th, t);
        samples_settle(th, t, c->birth);
        t->loc += c->birth - t->blk;
    } else {
        struct prefix *p = joined->prefixes;
        while (p && (c->birth < p->blk || c->birth > p->end))
            p = p->next;
        if (!p) {
            path_jump(th, t, c->S, c->ctx, true);
            return;
        }
        if (t->fresh)
            prefixes_save(th, t);
        bag_free(th, t->bag);
        t->bag = p->bag;        /* taken; the scope's prefixes go with the join anyway */
        p->bag = 0;
        samples_settle(th, t, c->birth);
        t->loc = p->loc + (c->birth - p->blk);
    }
    path_append(th, t, c);
    t->S = t->blk = c->S;
    task_block_next(t);
    ASSERT(task_is_valid(t));
}

/* ---- the end of a task ---- */

__attribute__((noinline)) void task_free_slow(struct thread *th, struct task *t)
{
    bag_free(th, t->bag);
    t->bag = 0;
    whatif_free(th, &t->scaled);
    block_free(th, t);
}

/* What half R adds to L, which then holds the result of both. */
__attribute__((noinline)) void half_merge(struct thread *th, struct scope_half *l, struct scope_half *r)
{
    if (r->best) {
        struct task *loser = r->best;
        if (task_longer(r->best, l->best)) {
            loser = l->best;
            l->best = r->best;
        }
        if (loser)
            task_free(th, loser);
    }
    burdened_max(&l->L, &l->K, r->L, r->K);
    whatif_move(th, &l->scaled, &r->scaled);
    l->work += r->work;
    l->inherited_work += r->inherited_work;
    memset(r, 0, sizeof *r);
}

/* The longest task of S, which T has just been joined with, shall be T's path. */
static __attribute__((noinline)) void path_take(struct thread *th, struct task *t, struct task *best, struct scope *s)
{
    path_adopt(th, t, best, s);
    task_free(th, best);
    if (__builtin_expect(s->prefixes != 0, 0))
        prefixes_free(th, s);
}

/* The local half's results into T, the owner (or a joiner that becomes it), but for scenarios; there is no other half. The
 * scope is empty after. */
static inline void scope_take(struct thread *th, struct task *t, struct scope *s)
{
    struct task *best = s->local.best;
    burdened_max(&t->L, &t->K, s->local.L, s->local.K);
    t->joined += s->local.work - s->taken_work;
    t->inherited_work += s->local.inherited_work;
    if (s->born_block == t->block + 1)
        t->fresh--;             /* from here on fresh counts the other scopes */
    s->born_block = 0;
    memset(&s->local, 0, sizeof s->local);
    s->spawned = s->spawned_foreign = s->taken_work = 0;
    if (best && best->S > t->S) {
        path_take(th, t, best, s);
        ASSERT_WALK(scope_is_empty(s) && !s->prefixes && !s->local.done && !s->remote.done);
        return;
    }
    if (__builtin_expect(s->prefixes != 0, 0))
        prefixes_free(th, s);
    if (best)
        task_free(th, best);
}

/* Both halves' results. */
void scope_collect(struct thread *th, struct task *t, struct scope *s)
{
    ASSERT_WALK(scope_is_over(s));
    if (__builtin_expect(s->remote.done != 0, 0))
        half_merge(th, &s->local, &s->remote);
    whatif_move(th, &t->scaled, &s->local.scaled);
    scope_take(th, t, s);
}

/* What the tasks of S left behind belongs to S from now. */
void scope_add_rest(struct thread *th, struct scope *s)
{
    struct scope_rest *r = s->rest;
    s->rest = 0;
    s->spawned_foreign += r->spawned;   /* or a scope without other tasks would count as empty */
    s->local.done += r->half.done;
    half_merge(th, &s->local, &r->half);
    block_free(th, r);
}

/* A task nobody joins: it ends with the program. The longest is kept, one a thread. */
static void detached_keep(struct thread *th, struct task *t)
{
    struct task *loser = t;
    t->scope = 0;
    if (t->S > (th->detached ? th->detached->S : 0)) {
        loser = th->detached;
        th->detached = t;
    }
    if (loser)
        task_free(th, loser);
}

static void detached_add(struct thread *th, struct task *t)
{
    burdened_max(&th->detached_L, &th->detached_K, t->L, t->K);
    whatif_move(th, &th->detached_scaled, &t->scaled);
    detached_keep(th, t);
}

/* A path that ended in a scope without an owner: it counts even if nobody joins it. Its parts stay
 * with the scope, so here the whole stands under the task's own context. */
static void orphan_note(struct thread *th, const struct task *path, uint64_t L, uint64_t K, const uint64_t *scaled)
{
    burdened_max(&th->detached_L, &th->detached_K, L, K);
    whatif_max(th, &th->detached_scaled, scaled);
    if (!path || path->S <= (th->detached ? th->detached->S : 0))
        return;
    struct task *t = th->detached ? th->detached : block_new(th, BLOCK_TASK);
    if (!t)
        return;
    if (th->detached)
        bag_free(th, t->bag);
    task_zero(t);
    t->S = t->blk = path->S;
    t->birth = path->birth;
    t->loc = path->S - path->birth;
    t->ctx = path->ctx;
    t->scope = 0;
    t->flags = 0;
    th->detached = t;
    th->approximate++;
}

/* What T was worth, for its context: M. */
static inline void task_measure(struct metrics *m, const struct task *t)
{
    uint32_t flags = t->flags;
    if (__builtin_expect(flags & TASK_REST, 0))
        return;
    m->work_local += t->own;
    if (__builtin_expect(flags & (TASK_ROOT | TASK_CANCELLED | TASK_STOLEN), 0)) {
        m->steals += (flags & TASK_STOLEN) != 0;
        m->tasks += !(flags & (TASK_ROOT | TASK_CANCELLED));
    } else {
        m->tasks++;
    }
    if (!(flags & (TASK_INHERIT | TASK_ROOT))) {
        m->invocations++;
        m->span_local += t->loc;
        m->work += subtree_work(t);
        m->span += t->S - t->birth - t->late;
    }
}

/* S, all of which has ended, has neither owner nor joiner, and is the caller's alone. TH may be NULL where its results
 * were NOTED before; otherwise they end with the program. */
static void scope_drop(struct thread *th, struct scope *s, bool noted)
{
    ASSERT(!s->owner && s->left && scope_over(s));
    if (s->rest)
        scope_add_rest(th, s);
    half_merge(th, &s->local, &s->remote);
    struct task *best = s->local.best;
    if (best && noted) {
        task_free(th, best);
    } else if (best) {
        burdened_max(&th->detached_L, &th->detached_K, s->local.L, s->local.K);
        detached_keep(th, best);
    }
    if (!noted)
        whatif_move(th, &th->detached_scaled, &s->local.scaled);
    whatif_free(th, &s->local.scaled);
    memset(&s->local, 0, sizeof s->local);
    s->spawned = s->spawned_foreign = s->taken_work = 0;
    engine_scope_free(th, s);
}

/* T goes to a scope that is not this thread's. Returns its owner if T was what its end waited for. */
static struct task *scope_add_remote(struct thread *th, struct scope *s, struct task *t)
{
    ASSERT(block_is_live(t));
    lock_take(&s->lock);
    struct task *owner = s->owner, *next = 0;
    bool left = !owner && s->left;
    if (!owner && !left)
        orphan_note(th, t, t->L, t->K, t->scaled);
    struct task *loser = half_add(th, t->flags & TASK_REST ? &s->rest->half : &s->remote, t);
    if (owner && s == &owner->self && owner->flags & TASK_CLOSED && scope_over(s))
        next = owner;
    left &= scope_over(s);
    lock_release(&s->lock);
    if (loser)
        task_free(th, loser);
    if (__builtin_expect(left, 0))
        scope_drop(th, s, false);
    return next;
}

/* Nothing of T is outstanding. M: its context's. */
static inline void task_close(struct task *t, struct metrics *m)
{
    t->loc += t->S - t->blk;
    t->blk = t->S;
    ASSERT(t->flags & TASK_CANCELLED || task_is_complete(t));   /* a discarded one has no path */
    task_measure(m, t);
}

/* T's body has ended and nothing of self is outstanding: measure it and hand it to its scope;
 * then, perhaps, the owner of that scope in turn. */
__attribute__((noinline)) void task_complete(struct thread *th, struct task *t)
{
    for (;;) {
        if (__builtin_expect(t->self.rest != 0, 0))
            scope_add_rest(th, &t->self);
        if (!scope_is_empty(&t->self))
            scope_collect(th, t, &t->self);
        samples_settle(th, t, t->S);
        task_close(t, thread_metrics_made(th, t->ctx->id));
        if (DAGREC_ON && !(t->flags & TASK_REST))
            dagrec_end(th, t);

        struct scope *s = t->scope;
        if (__builtin_expect(s && __atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th && !(t->flags & TASK_REST), 1)) {
            struct task *loser = half_add(th, &s->local, t);
            if (loser)
                task_free(th, loser);
            return;
        }
        if (__builtin_expect(!s, 0)) {
            detached_add(th, t);
            return;
        }
        t = scope_add_remote(th, s, t);
        if (__builtin_expect(!t, 1))
            return;
    }
}

/* The owner of S, whose strand this is, has taken it off its list and will not come back to it: S is an orphan now, which a
 * joiner may still come for, or nobody's. */
static void scope_give_up(struct thread *th, struct scope *s)
{
    lock_take(&s->lock);
    bool over = s->left && scope_over(s);
    if (!s->left) {
        orphan_note(th, s->local.best, s->local.L, s->local.K, s->local.scaled);
        orphan_note(th, s->remote.best, s->remote.L, s->remote.K, s->remote.scaled);
    }
    s->owner_next = 0;
    s->owner = 0;
    __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELEASE);
    lock_release(&s->lock);
    if (over)                   /* otherwise it is no more ours */
        scope_drop(th, s, false);
}

/* T ends with scopes of its own that it never joined: somebody else may. */
static void scopes_orphan(struct thread *th, struct task *t)
{
    for (struct scope *s = t->scopes, *next; s; s = next) {
        next = s->owner_next;
        if (!s->key && scope_is_empty(s) && !s->rest) {
            s->owner = 0;       /* its key is gone and so is its use */
            engine_scope_free(th, s);
            continue;
        }
        scope_give_up(th, s);
    }
    t->scopes = 0;
}

static __attribute__((noinline)) void task_end_slow(struct thread *th, struct task *t)
{
    if (__builtin_expect(t->regions != 0, 0))
        region_drop_all(th, t);
    if (__builtin_expect(t->scopes != 0, 0))
        scopes_orphan(th, t);
    struct scope *s = &t->self;
    if ((!scope_is_empty(s) && s->local.done != scope_spawned(s)) || s->rest) {
        lock_take(&s->lock);
        __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELAXED);
        bool outstanding = !scope_over(s);
        if (outstanding)
            t->flags |= TASK_CLOSED;
        lock_release(&s->lock);
        if (outstanding)
            return;             /* the last child completes T */
    }
    task_complete(th, t);
}

/* T has nothing left that it could be waited for with, and goes to this thread's half of its scope. */
static inline bool task_ends_alone(const struct thread *th, const struct task *t)
{
    const struct scope *s = t->scope, *self = &t->self;
    return !((uintptr_t)t->regions | (uintptr_t)t->scopes | (uintptr_t)self->rest | scope_spawned(self)) &&
           (!t->bag || !t->bag->fresh_count) && s && __atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th && !(t->flags & TASK_REST) && !ENGINE_EXTRAS;
}

/* T's strand has stopped for good. */
void task_end(struct thread *th, struct task *t)
{
    ASSERT(task_is_valid(t) && t->self.owner == t && !(t->flags & TASK_CLOSED));
    struct metrics *m = thread_metrics(th, t->ctx->id);
    if (__builtin_expect(!m || !task_ends_alone(th, t), 0)) {
        task_end_slow(th, t);
        return;
    }
    task_close(t, m);
    struct task *loser = half_put(&t->scope->local, t);
    if (loser)
        task_free(th, loser);
}

static __attribute__((noinline)) void end_slow(struct thread *th)
{
    struct task *t = th->cur;
    if (!t) {
        th->lost[LOSS_UNBALANCED]++;
        return;
    }
    strand_cut(th, t, 0);
    strand_stop(th);
    task_end(th, t);
}

void engine_end(struct thread *th)
{
    struct task *t = th->cur;
    if (__builtin_expect(!t, 0) || !strand_cut_quick(th, t, 0)) {
        end_slow(th);
        return;
    }
    strand_stop(th);
    task_end(th, t);
}

void engine_end_paused(struct thread *th, struct task *t)
{
    task_end(th, t);
}

void engine_discard(struct thread *th, struct task *t)
{
    /* It did not run: it must lengthen neither span nor burdened span, and not count. */
    t->S = t->birth = t->blk = t->L = t->K = 0;
    whatif_free(th, &t->scaled);
    t->flags |= TASK_CANCELLED | TASK_INHERIT;
    th->spawns -= !(t->flags & TASK_CALL);
    t->self.owner = t;
    task_complete(th, t);
}

/* ---- joins ---- */

struct scope *engine_scope_new(struct thread *th)
{
    struct scope *s = block_new(th, BLOCK_SCOPE);
    if (!s)
        return 0;
    struct task *cur = th->cur;
    s->owner = cur;
    s->thread = th;
    s->key_next = 0;
    s->key = 0;
    s->owner_next = cur->scopes;
    cur->scopes = s;
    ASSERT(scope_is_valid(th, s) && strand_is_valid(cur));
    return s;
}

void engine_scope_free(struct thread *th, struct scope *s)
{
    struct task *owner = s->owner;
    if (owner) {
        struct scope **at = &owner->scopes;
        while (__builtin_expect(*at != s, 0) && *at)
            at = &(*at)->owner_next;
        if (*at)
            *at = s->owner_next;
        if (s->born_block == owner->block + 1 && owner->fresh)
            owner->fresh--;
    }
    s->owner = 0;
    s->thread = 0;
    s->left = false;
    s->born_block = 0;
    s->dag_id = 0;
    s->owner_next = 0;
    if (__builtin_expect(s->prefixes != 0, 0))
        prefixes_free(th, s);
    block_free(th, s);
}

void engine_scope_leave(struct thread *th, struct scope *s)
{
    lock_take(&s->lock);
    ASSERT(!s->left);
    __atomic_store_n(&s->left, true, __ATOMIC_RELAXED);
    bool last = !s->owner && scope_over(s);
    lock_release(&s->lock);
    if (last)
        scope_drop(th, s, true);
}

void engine_scopes_sweep(struct thread *th)
{
    enum { SWEEP_LEAST = 64 };
    struct task *t = th->cur;
    if (!(t->flags & TASK_SWEEPS)) {
        t->flags |= TASK_SWEEPS;
        t->sweep_in = SWEEP_LEAST;
    }
    if (t->sweep_in-- > 1)
        return;
    uint32_t kept = 0;
    for (struct scope **at = &t->scopes, *s; (s = *at);) {
        if (!__atomic_load_n(&s->left, __ATOMIC_RELAXED)) {
            at = &s->owner_next;
            kept++;
            continue;
        }
        *at = s->owner_next;
        t->fresh -= s->born_block == t->block + 1;
        scope_give_up(th, s);
    }
    t->sweep_in = kept > SWEEP_LEAST ? kept : SWEEP_LEAST;
    ASSERT(strand_is_valid(t));
}

/* Patience with late records: it halves with each that did not come, and is whole again when one did, until the program has
 * lost LATE_MOST in vain. Of a model that misses ends, more are missing. Written by anybody. */
enum { LATE_SPINS = 2000, LATE_YIELDS = 200, LATE_NAPS = 2000, LATE_NAP_NS = 20000, LATE_HALVINGS = 12, LATE_SPINS_LEAST = 500,
       LATE_MOST_NS = 400000000 };
static uint32_t late_halvings;
static uint64_t late_in_vain;   /* ns */

static uint64_t late_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

bool engine_late_turn(struct late *l)
{
    if (!l->since) {
        uint32_t halvings = __atomic_load_n(&late_halvings, __ATOMIC_RELAXED);
        l->since = late_clock();
        l->spins = halvings < LATE_HALVINGS ? LATE_SPINS : LATE_SPINS_LEAST;
        l->yields = LATE_YIELDS >> halvings;
        l->naps = LATE_NAPS >> halvings;
    }
    if (l->spins) {
        l->spins--;
        __builtin_ia32_pause();
    } else if (l->yields) {     /* a preempted finisher needs time slices, not spins */
        l->yields--;
        sched_yield();
    } else if (l->naps) {
        l->naps--;
        /* by itself nanosleep is a cancellation point */
        const struct timespec nap = { 0, LATE_NAP_NS };
        syscall(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, &nap, 0L);
    } else {
        return false;
    }
    return true;
}

void engine_late_end(struct thread *th, const struct late *l, bool came)
{
    if (came) {
        if (__atomic_load_n(&late_in_vain, __ATOMIC_RELAXED) < LATE_MOST_NS)
            __atomic_store_n(&late_halvings, 0, __ATOMIC_RELAXED);
        return;
    }
    th->lost[LOSS_LATE_JOIN]++;
    bool most = __atomic_add_fetch(&late_in_vain, late_clock() - l->since, __ATOMIC_RELAXED) >= LATE_MOST_NS;
    uint32_t halvings = __atomic_load_n(&late_halvings, __ATOMIC_RELAXED);
    if (halvings < LATE_HALVINGS)
        __atomic_store_n(&late_halvings, most ? LATE_HALVINGS : halvings + 1, __ATOMIC_RELAXED);
}

/* The runtime lets a waiter go as soon as the last task has decremented its counter, a few
 * instructions before that task's end reaches us. Wait for it; not for ever. The program does nothing meanwhile: the
 * strand does not run, and is idle like one whose join was late for the runtime. */
__attribute__((noinline, cold)) bool scope_settle(struct thread *th, struct scope *s, bool (*over)(const struct scope *))
{
    int saved = errno;
    struct task *strand = engine_pause(th);
    struct late late = { .since = 0 };
    bool settled = false;
    while (!settled && engine_late_turn(&late))
        settled = over(s);
    engine_late_end(th, &late, settled);
    engine_resume(th, strand);
    if (strand)
        gap_was_idle(th, th->resume_gap);
    errno = saved;
    return settled;
}

static void join_settled(struct thread *th, struct scope *s);

static __attribute__((noinline)) void join_slow(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    if (!t)
        return;
    if (s->local.done != s->spawned || s->spawned_foreign) {
        gap_was_idle(th, th->resume_gap);
        if (!scope_done(s) && !scope_settle(th, s, scope_done)) {
            join_settled(th, s);
            return;
        }
        lock_take(&s->lock);    /* the last finisher may still hold it */
        lock_release(&s->lock);
    } else if (!s->spawned) {
        return;
    }
    if (DAGREC_ON)
        dagrec_join(th, t, s);
    scope_collect(th, t, s);
    if (__builtin_expect(engine_publish_wanted && t->flags & TASK_ROOT && th == engine_main, 0))
        engine_publish(t);
}

void engine_join(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    uint64_t n = s->spawned;
    ASSERT(!t || (strand_is_valid(t) && s->owner == t && scope_is_valid(th, s)));
    if (__builtin_expect(!t || !n || s->local.done != n || s->spawned_foreign || ENGINE_EXTRAS || engine_publish_wanted, 0))
        join_slow(th, s);
    else
        scope_take(th, t, s);
}

/* The longest of H, the local half of a scope whose thread may be another one: that puts tasks into it meanwhile, and frees what they
 * outdo, to be born again. A task was H's if nothing has ended there since: who replaces it counts up after that. */
static void local_best(const struct scope_half *h, uint64_t *S, struct context **ctx)
{
    for (uint32_t turns = 0; turns < LOCK_TURNS_MOST; lock_turn(&turns)) {
        uint64_t done = __atomic_load_n(&h->done, __ATOMIC_ACQUIRE);
        const struct task *best = __atomic_load_n(&h->best, __ATOMIC_ACQUIRE);
        uint64_t best_S = best ? __atomic_load_n(&best->S, __ATOMIC_ACQUIRE) : 0;
        struct context *best_ctx = best ? __atomic_load_n(&best->ctx, __ATOMIC_ACQUIRE) : 0;
        if (__atomic_load_n(&h->best, __ATOMIC_ACQUIRE) == best && __atomic_load_n(&h->done, __ATOMIC_ACQUIRE) == done) {
            *S = best_ctx ? best_S : 0;
            *ctx = best_ctx;
            return;
        }
    }
}

/* Takes what S holds, without emptying it unless it is an orphan. */
static void join_settled(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    lock_take(&s->lock);
    uint64_t S = 0;
    struct context *ctx = 0;
    local_best(&s->local, &S, &ctx);
    const struct task *r = s->remote.best;      /* under the lock: a late task may replace it */
    if (r && r->S > S) {
        S = r->S;
        ctx = r->ctx;
    }
    burdened_max(&t->L, &t->K, s->local.L, s->local.K);
    burdened_max(&t->L, &t->K, s->remote.L, s->remote.K);
    whatif_max(th, &t->scaled, s->local.scaled);
    whatif_max(th, &t->scaled, s->remote.scaled);
    uint64_t work = s->local.work + s->remote.work;
    t->joined += work - s->taken_work;
    s->taken_work = work;
    bool orphan = !s->owner;
    lock_release(&s->lock);
    if (S > t->S) {
        path_jump(th, t, S, ctx, true);
        if (DAGREC_ON)
            dagrec_wait(th, t, DAGREC_JOIN);
    }
    if (orphan && scope_done(s)) {
        half_merge(th, &s->local, &s->remote);
        if (s->local.best)
            task_free(th, s->local.best);
        whatif_free(th, &s->local.scaled);
        memset(&s->local, 0, sizeof s->local);
        s->spawned = s->spawned_foreign = s->taken_work = 0;
    }
}

void engine_join_foreign(struct thread *th, struct scope *s)
{
    if (!th->cur || scope_is_empty(s))
        return;
    ASSERT(strand_is_valid(th->cur));
    gap_was_idle(th, th->resume_gap);
    if (!scope_done(s))
        scope_settle(th, s, scope_done);
    join_settled(th, s);
}

void engine_workers(uint32_t p)
{
    if (p > __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED))
        __atomic_store_n(&engine_worker_slots, p, __ATOMIC_RELAXED);
}

void engine_lower_bound(const char *construct)
{
    for (unsigned i = 0; i < 16; i++) {
        const char *none = 0;
        if (engine_lower_bounds[i].construct == construct ||
            __atomic_compare_exchange_n(&engine_lower_bounds[i].construct, &none, construct, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) || none == construct) {
            __atomic_fetch_add(&engine_lower_bounds[i].count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}
