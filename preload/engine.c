/* engine.c - the work/span rules: strands, spawns, ends, joins, edges. See engine.h for the model
 * and its invariants; thread.c makes and ends threads, snapshot.c reads it all for the writer.
 *
 * Order of the file: strand clock, spawn, adopting a path, completing a task, joins, edges.
 */
#include "engine.h"
#include <string.h>
#include <time.h>
#include "bag.h"
#include "block.h"
#include "calibrate.h"
#include "region.h"
#include "sampler.h"
#include "thread.h"

bool engine_recording;
uint32_t engine_worker_slots;
uint64_t engine_burden;
uint64_t engine_start_tsc;
struct lower_bound engine_lower_bounds[16];

/* Snapshots of path prefixes that a scope keeps at most; beyond, none are added (LOSS_PREFIX). */
#define SCOPE_PREFIXES 64

/* ---- strand clock ---- */

/* What only a slow reading can have to tell: a signal or a time off the CPU makes it one. */
static __attribute__((noinline, cold)) void strand_slow(struct thread *th, struct task *cur)
{
    th->metrics[cur->ctx->id].blocked += th->clock.off;
    th->clock.off = 0;
    if (th->sampled != SAMPLED_NONE)
        sampler_take(th, cur);
}

/* End the current part of TH's strand; its cost goes to the running task. OWN: libprof's own cost
 * that the next part will contain (calibrated), taken off by starting it that much later. */
static inline void strand_cut(struct thread *th, struct task *cur, uint64_t own)
{
    bool slow = false;
    uint64_t now = clock_now_telling(&th->clock, &slow);
    int64_t cost = (int64_t)(now - th->t0);
    if (__builtin_expect(cost > 0, 1)) {
        cur->S += cost;
        cur->L += cost;
        cur->own += cost;
    }
    if (__builtin_expect(slow, 0))
        strand_slow(th, cur);
    th->t0 = now + own;
}

/* Returns what the clock counted since the last strand stopped. */
static inline uint64_t strand_start(struct thread *th, struct task *task, uint64_t own)
{
    bool slow = false;
    th->cur = task;
    uint64_t now = clock_now_telling(&th->clock, &slow), gap = now - th->t0;
    if (__builtin_expect(slow, 0))
        th->clock.off = 0;      /* it had no strand then */
    th->t0 = now + own;
    th->strand_tsc = th->clock.last;
    return gap;
}

/* After a cut without own cost: t0 is the clock now. */
static inline void strand_stop(struct thread *th)
{
    uint64_t tsc = th->clock.last;
    th->busy_tsc += tsc - th->strand_tsc;
    th->idle_since = tsc;
    th->cur = 0;
}

/* The gap before the strand that runs now was not the runtime's work: it waited for somebody else's.
 * COST: the clock's part of it. */
static inline void gap_was_idle(struct thread *th, uint64_t cost)
{
    th->idle_gap_tsc += th->strand_tsc - th->idle_since;
    th->idle_gap_cost += cost;
    th->idle_since = th->strand_tsc;    /* counted */
    th->resume_gap = 0;
}

void engine_cut(struct thread *th)
{
    if (th->cur)
        strand_cut(th, th->cur, 0);
}

/* Costs are compared in the burdened dag with the burden as known now. */
static inline uint64_t burdened(uint64_t L, uint64_t K)
{
    return L + K * engine_burden;
}

static inline void burdened_max(uint64_t *L, uint64_t *K, uint64_t l, uint64_t k)
{
    if (burdened(l, k) > burdened(*L, *K)) {
        *L = l;
        *K = k;
    }
}

/* ---- spawn ---- */

static inline void task_zero(struct task *t)
{
    t->loc = t->own = t->joined = t->inherited_work = 0;
    t->bag = 0;
    t->scopes = 0;
    t->regions = 0;
    t->agent = t->agent_node = t->word = 0;
    t->agent_class = 0;
    t->next_seq = t->block = t->fresh = 0;
}

struct task *engine_spawn(struct thread *th, struct scope *scope, struct context *ctx, uint32_t flags)
{
    struct task *cur = th->cur;
    struct task *t = block_new(th, BLOCK_TASK);
    if (__builtin_expect(!t, 0))
        return 0;
    task_zero(t);
    t->ctx = ctx;
    t->scope = scope;
    t->spawner = th;
    t->flags = flags;
    if (__builtin_expect(cur != 0, 1)) {
        strand_cut(th, cur, calibrated.spawn);
        t->S = t->birth = t->blk = cur->S;
        t->L = cur->L;
        t->K = cur->K + !(flags & TASK_CALL);
        t->seq = cur->next_seq++;
    } else {
        /* a thread outside every strand: the task can start when the program does */
        t->S = t->birth = t->blk = t->L = t->K = 0;
        t->seq = 0;
        clock_now(&th->clock);
    }
    t->spawn_tsc = th->clock.last;
    if (__builtin_expect(scope && scope->owner != cur, 0)) {
        t->flags |= TASK_FOREIGN;
        spin_lock(&scope->lock);
        __atomic_store_n(&scope->spawned_foreign, scope->spawned_foreign + 1, __ATOMIC_RELEASE);
        spin_unlock(&scope->lock);
    } else if (__builtin_expect(scope != 0, 1)) {
        __atomic_store_n(&scope->spawned, scope->spawned + 1, __ATOMIC_RELEASE);
        if (scope->born_block != cur->block + 1) {
            scope->born_block = cur->block + 1;
            cur->fresh++;
        }
    }
    th->spawns += !(flags & TASK_CALL);
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

void engine_begin(struct thread *th, struct task *t)
{
    uint64_t gap = strand_start(th, t, calibrated.begin);
    t->self.owner = t;
    t->self.thread = th;
    if (__builtin_expect(t->spawner != th, 0) && !(t->flags & TASK_ROOT)) {
        t->flags |= TASK_STOLEN;
        th->steals++;
        steal_sample(th, t, th->clock.last);
        gap_was_idle(th, gap);
    }
}

struct task *engine_pause(struct thread *th)
{
    struct task *cur = th->cur;
    if (cur) {
        strand_cut(th, cur, 0);
        strand_stop(th);
    }
    return cur;
}

void engine_resume(struct thread *th, struct task *task)
{
    if (task)
        th->resume_gap = strand_start(th, task, calibrated.resume);
}

void engine_move(struct task *t, const struct path_point *point, uintptr_t entry, struct task_place *saved)
{
    *saved = (struct task_place){ t->entry, t->base, t->flags & TASK_MOVED };
    const struct segment *segment = path_here(point, t->entry);
    const struct logical_path *base = segment ? context_path_child(task_path(t), segment) : 0;
    t->base = base ? base : task_path(t);
    t->entry = entry;
    t->flags |= TASK_MOVED;
}

void engine_moved_back(struct task *t, const struct task_place *saved)
{
    t->entry = saved->entry;
    t->base = saved->base;
    if (!saved->moved)
        t->flags &= ~TASK_MOVED;
}

void engine_unbias(struct task *t)
{
    __atomic_store_n(&t->self.thread, (struct thread *)0, __ATOMIC_RELEASE);
    for (struct scope *s = t->scopes; s; s = s->owner_next)
        __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELEASE);
}

/* ---- paths ---- */

/* A finished task, no longer needed. */
static inline void task_free(struct thread *th, struct task *t)
{
    if (__builtin_expect(t->bag != 0, 0)) {
        bag_free(th, t->bag);
        t->bag = 0;
    }
    block_free(th, t);
}

/* The one order of finished tasks, the same in every schedule. */
static inline bool task_longer(const struct task *t, const struct task *than)
{
    return !than ? t->S != 0 : t->S > than->S || (t->S == than->S && t->seq < than->seq);
}

/* The local work of T's invocation, of its subtree. */
static inline uint64_t invocation_work(const struct task *t)
{
    return t->own + t->inherited_work;
}

static inline uint64_t subtree_work(const struct task *t)
{
    return t->own + t->joined;
}

/* Other scopes of T have children born in T's current block, which is about to end: they keep
 * what the path was. */
static __attribute__((noinline)) void prefixes_save(struct thread *th, struct task *t)
{
    for (struct scope *s = &t->self; s; s = s == &t->self ? t->scopes : s->owner_next) {
        if (s->born_block != t->block + 1 || !s->spawned)
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

/* The samples of T's current block up to UNTIL are on its path, the others are not. */
static inline void samples_settle(struct thread *th, struct task *t, uint64_t until)
{
    if (__builtin_expect(t->bag != 0, 0) && t->bag->fresh_count)
        bag_samples_settle(th, &t->bag, until);
}

/* Add the path of C, a finished child, to T's path: C's own part, what it called, its invocation. */
static void path_append(struct thread *th, struct task *t, struct task *c)
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
    v->span += c->S - c->birth;
}

/* T's path grew through a dependence whose path is not known relative to T's birth: a join of
 * somebody else's child, an edge. The part gained is charged to the context CTX that it came from;
 * MIXED: other contexts have a share in it, so that the split is approximate. */
static void path_jump(struct thread *th, struct task *t, uint64_t S, struct context *ctx, bool mixed)
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
    t->block++;
    t->fresh = 0;
}

/* The longest child C (S > T's) becomes T's critical path; C's bag is consumed. */
static void path_adopt(struct thread *th, struct task *t, struct task *c, struct scope *joined)
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
    t->block++;
    t->fresh = 0;
}

/* ---- the end of a task ---- */

/* T, complete, goes to one half of its scope. Returns the task that nobody needs any more: T, the
 * one it outdid, or NULL. T is the joiner's as soon as the caller lets go of the half. */
static inline struct task *half_add(struct scope_half *h, struct task *t)
{
    h->work += subtree_work(t);
    if (t->flags & TASK_INHERIT)
        h->inherited_work += invocation_work(t);
    burdened_max(&h->L, &h->K, t->L, t->K);
    struct task *loser = t, *best = h->best;
    if (task_longer(t, best)) {
        h->best = t;
        loser = best;
    }
    __atomic_store_n(&h->done, h->done + 1, __ATOMIC_RELEASE);
    return loser;
}

/* What the remote half adds to the local one, which then holds the result of both. */
static __attribute__((noinline)) void half_merge(struct thread *th, struct scope *s)
{
    struct scope_half *l = &s->local, *r = &s->remote;
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
    l->work += r->work;
    l->inherited_work += r->inherited_work;
    memset(r, 0, sizeof *r);
}

/* Both halves' results into T, the owner (or a joiner that becomes it); the scope is empty after. */
static inline void scope_collect(struct thread *th, struct task *t, struct scope *s)
{
    if (__builtin_expect(s->remote.done != 0, 0))
        half_merge(th, s);
    burdened_max(&t->L, &t->K, s->local.L, s->local.K);
    t->joined += s->local.work - s->taken_work;
    t->inherited_work += s->local.inherited_work;
    if (s->born_block == t->block + 1)
        t->fresh--;             /* from here on fresh counts the other scopes */
    s->born_block = 0;
    struct task *best = s->local.best;
    if (best) {
        if (best->S > t->S)
            path_adopt(th, t, best, s);
        task_free(th, best);
    }
    if (__builtin_expect(s->prefixes != 0, 0))
        prefixes_free(th, s);
    memset(&s->local, 0, sizeof s->local);
    s->spawned = s->spawned_foreign = s->taken_work = 0;
}

/* A task nobody joins: it ends with the program. The longest is kept, one a thread. */
static void detached_add(struct thread *th, struct task *t)
{
    burdened_max(&th->detached_L, &th->detached_K, t->L, t->K);
    struct task *loser = t;
    if (t->S > (th->detached ? th->detached->S : 0)) {
        loser = th->detached;
        th->detached = t;
    }
    if (loser)
        task_free(th, loser);
}

/* A path that ended in a scope without an owner: it counts even if nobody joins it. Its parts stay
 * with the scope, so here the whole stands under the task's own context. */
static void orphan_note(struct thread *th, const struct task *path, uint64_t L, uint64_t K)
{
    burdened_max(&th->detached_L, &th->detached_K, L, K);
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

/* What T was worth, for its context. */
static inline void task_measure(struct thread *th, const struct task *t)
{
    struct metrics *m = &th->metrics[t->ctx->id];
    uint32_t flags = t->flags;
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
        m->span += t->S - t->birth;
    }
}

/* T goes to a scope that is not this thread's. Returns its owner if T was what its end waited for. */
static struct task *scope_add_remote(struct thread *th, struct scope *s, struct task *t)
{
    spin_lock(&s->lock);
    struct task *owner = s->owner, *next = 0;
    if (!owner)
        orphan_note(th, t, t->L, t->K);
    struct task *loser = half_add(&s->remote, t);
    if (owner && s == &owner->self && owner->flags & TASK_CLOSED &&
        s->local.done + s->remote.done == scope_spawned(s))
        next = owner;
    spin_unlock(&s->lock);
    if (loser)
        task_free(th, loser);
    return next;
}

/* T's body has ended and nothing of self is outstanding: measure it and hand it to its scope;
 * then, perhaps, the owner of that scope in turn. */
static void task_complete(struct thread *th, struct task *t)
{
    for (;;) {
        if (!scope_is_empty(&t->self))
            scope_collect(th, t, &t->self);
        samples_settle(th, t, t->S);
        t->loc += t->S - t->blk;
        t->blk = t->S;
        task_measure(th, t);

        struct scope *s = t->scope;
        if (__builtin_expect(s && __atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th, 1)) {
            struct task *loser = half_add(&s->local, t);
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

/* T ends with scopes of its own that it never joined: somebody else may. */
static void scopes_orphan(struct thread *th, struct task *t)
{
    for (struct scope *s = t->scopes, *next; s; s = next) {
        next = s->owner_next;
        if (!s->key && scope_is_empty(s)) {
            s->owner = 0;       /* its key is gone and so is its use */
            engine_scope_free(th, s);
            continue;
        }
        spin_lock(&s->lock);
        orphan_note(th, s->local.best, s->local.L, s->local.K);
        orphan_note(th, s->remote.best, s->remote.L, s->remote.K);
        s->owner_next = 0;
        s->owner = 0;
        __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELEASE);
        spin_unlock(&s->lock);
    }
    t->scopes = 0;
}

/* T's strand has stopped for good. */
static inline void task_end(struct thread *th, struct task *t)
{
    if (__builtin_expect(t->regions != 0, 0))
        region_drop_all(th, t);
    if (__builtin_expect(t->scopes != 0, 0))
        scopes_orphan(th, t);
    struct scope *s = &t->self;
    if (!scope_is_empty(s) && s->local.done != scope_spawned(s)) {
        spin_lock(&s->lock);
        __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELAXED);
        bool outstanding = s->local.done + s->remote.done != scope_spawned(s);
        if (outstanding)
            t->flags |= TASK_CLOSED;
        spin_unlock(&s->lock);
        if (outstanding)
            return;             /* the last child completes T */
    }
    task_complete(th, t);
}

void engine_end(struct thread *th)
{
    struct task *t = th->cur;
    if (__builtin_expect(!t, 0)) {
        th->lost[LOSS_UNBALANCED]++;
        return;
    }
    strand_cut(th, t, 0);
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
    return s;
}

void engine_scope_free(struct thread *th, struct scope *s)
{
    struct task *owner = s->owner;
    if (owner) {
        struct scope **at = &owner->scopes;
        while (*at && *at != s)
            at = &(*at)->owner_next;
        if (*at)
            *at = s->owner_next;
        if (s->born_block == owner->block + 1 && owner->fresh)
            owner->fresh--;
    }
    s->owner = 0;
    s->thread = 0;
    s->born_block = 0;
    s->owner_next = 0;
    if (__builtin_expect(s->prefixes != 0, 0))
        prefixes_free(th, s);
    block_free(th, s);
}

static inline bool scope_done(const struct scope *s)
{
    return __atomic_load_n(&s->local.done, __ATOMIC_ACQUIRE) +
           __atomic_load_n(&s->remote.done, __ATOMIC_ACQUIRE) ==
           scope_spawned(s);
}

/* The runtime lets a waiter go as soon as the last task has decremented its counter, a few
 * instructions before that task's end reaches us. Wait for it; not for ever. */
static __attribute__((noinline, cold)) bool scope_settle(struct thread *th, struct scope *s)
{
    for (uint32_t i = 0; i < 2000; i++) {
        __builtin_ia32_pause();
        if (scope_done(s))
            return true;
    }
    struct timespec nap = { 0, 20000 };
    for (uint32_t i = 0; i < 5000; i++) { /* a preempted finisher needs time slices, not spins */
        if (i < 200)
            sched_yield();
        else
            nanosleep(&nap, 0);
        if (scope_done(s))
            return true;
    }
    th->lost[LOSS_LATE_JOIN]++;
    return false;
}

static void join_settled(struct thread *th, struct scope *s);

void engine_join(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    if (__builtin_expect(!t, 0))
        return;
    if (__builtin_expect(s->local.done != s->spawned || s->spawned_foreign, 0)) {
        gap_was_idle(th, th->resume_gap);
        if (!scope_done(s) && !scope_settle(th, s)) {
            join_settled(th, s);
            return;
        }
        spin_lock(&s->lock);    /* the last finisher may still hold it */
        spin_unlock(&s->lock);
    } else if (!s->spawned) {
        return;
    }
    scope_collect(th, t, s);
    if (__builtin_expect(engine_publish_wanted && t->flags & TASK_ROOT && th == engine_main, 0))
        engine_publish(t);
}

/* Takes what S holds, without emptying it unless it is an orphan. */
static void join_settled(struct thread *th, struct scope *s)
{
    struct task *t = th->cur;
    spin_lock(&s->lock);
    const struct task *best = s->local.best, *r = s->remote.best;
    if (r && (!best || r->S > best->S))
        best = r;
    uint64_t S = best ? best->S : 0;    /* under the lock: a late task may replace it */
    struct context *ctx = best ? best->ctx : 0;
    burdened_max(&t->L, &t->K, s->local.L, s->local.K);
    burdened_max(&t->L, &t->K, s->remote.L, s->remote.K);
    uint64_t work = s->local.work + s->remote.work;
    t->joined += work - s->taken_work;
    s->taken_work = work;
    bool orphan = !s->owner;
    spin_unlock(&s->lock);
    if (S > t->S)
        path_jump(th, t, S, ctx, true);
    if (orphan && scope_done(s)) {
        half_merge(th, s);
        if (s->local.best)
            task_free(th, s->local.best);
        memset(&s->local, 0, sizeof s->local);
        s->spawned = s->spawned_foreign = s->taken_work = 0;
    }
}

void engine_join_foreign(struct thread *th, struct scope *s)
{
    if (!th->cur || scope_is_empty(s))
        return;
    gap_was_idle(th, th->resume_gap);
    if (!scope_done(s))
        scope_settle(th, s);
    join_settled(th, s);
}

/* ---- edges ---- */

void engine_edge_put(struct thread *th, struct edge *e)
{
    struct task *t = th->cur;
    if (!t)
        return;
    strand_cut(th, t, calibrated.resume);
    spin_lock(&e->lock);
    if (t->S > e->S || !e->ctx) {
        e->S = t->S;
        e->ctx = t->ctx;
        e->mixed = !e->one_invocation || t->bag;
    }
    burdened_max(&e->L, &e->K, t->L, t->K);
    spin_unlock(&e->lock);
}

void engine_edge_get(struct thread *th, struct edge *e)
{
    struct task *t = th->cur;
    if (!t)
        return;
    strand_cut(th, t, calibrated.resume);
    spin_lock(&e->lock);
    uint64_t S = e->S;
    struct context *ctx = e->ctx;
    bool mixed = e->mixed;
    burdened_max(&t->L, &t->K, e->L, e->K);
    spin_unlock(&e->lock);
    if (ctx && S > t->S)
        path_jump(th, t, S, ctx, mixed);
}

/* ---- a dag inside one invocation ---- */

struct task *engine_spawn_of(struct thread *th, struct task *owner, uint32_t seq, uint32_t flags)
{
    struct scope *s = &owner->self;
    struct task *t = block_new(th, BLOCK_TASK);
    if (__builtin_expect(!t, 0))
        return 0;
    task_zero(t);
    t->ctx = owner->ctx;
    t->scope = s;
    t->spawner = th;
    t->spawn_tsc = th->clock.last;
    t->flags = flags | TASK_INHERIT;
    t->S = t->birth = t->blk = owner->S;
    t->L = owner->L;
    t->K = owner->K;
    t->seq = seq;
    spin_lock(&s->lock);
    __atomic_store_n(&s->spawned_foreign, s->spawned_foreign + 1, __ATOMIC_RELEASE);
    spin_unlock(&s->lock);
    th->spawns += !(flags & TASK_CALL);
    return t;
}

void engine_path_put(struct thread *th, const struct task *t, struct path *p)
{
    engine_path_drop(th, p);
    p->S = t->S;
    p->L = t->L;
    p->K = t->K;
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
}

void engine_path_get(struct thread *th, struct task *t, struct path *p, uint32_t burdens)
{
    if (!p->thread)
        return;
    burdened_max(&t->L, &t->K, p->L, p->K + burdens);
    if (p->S > t->S) {
        if (__builtin_expect(t->fresh != 0, 0))
            prefixes_save(th, t);
        bag_free(th, t->bag);
        t->bag = p->bag;
        p->bag = 0;
        t->loc = p->loc;
        t->S = t->blk = p->S;
        t->block++;
        t->fresh = 0;
    }
    engine_path_drop(th, p);
}

void engine_path_drop(struct thread *th, struct path *p)
{
    bag_free(th, p->bag);
    p->bag = 0;
    p->thread = 0;
    p->S = p->tsc = 0;
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
