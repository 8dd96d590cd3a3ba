/* end.c - all ends of tasks. The results of one go to its scope, and may complete the scope's
 * owner.
 *
 * A scope whose owner has ended is an orphan. A joiner may still come for it (engine_join_foreign),
 * or nobody will (scope_leave). Its longest path counts for the program in either case.
 */
#include "engine/between.h"
#include "engine/calibrated.h"
#include "engine/divide.h"
#include "engine/rules.h"
#include "engine/publish.h"
#include "engine/region.h"
#include "base/forbid.h"

__attribute__((noinline)) void task_free_slow(struct thread *th, struct task *t)
{
    bag_free(th, t->bag);
    t->bag = 0;
    whatif_free(th, &t->scaled);
    block_free(th, t);
}

__attribute__((noinline)) void half_settle_alone(struct scope_half *h)
{
    task_count(h->best, &h->work, &h->inherited_work, &h->len);
    __atomic_store_n(&h->alone, 0, __ATOMIC_RELEASE);   /* pairs with half_sums */
}

__attribute__((noinline)) void half_merge(struct thread *th, struct scope_half *l,
                                          struct scope_half *r)
{
    if (!l->done && !l->best) { /* nothing is in *L */
        *l = *r;
        memset(r, 0, sizeof *r);
        return;
    }
    half_settle(l);
    half_settle(r);
    if (r->best) {
        struct task *loser = r->best;
        if (task_longer(r->best, l->best)) {
            loser = l->best;
            l->best = r->best;
        }
        if (loser)
            task_free(th, loser);
    }
    lengths_max(&l->len, &r->len);
    whatif_move(th, &l->scaled, &r->scaled);
    l->work += r->work;
    l->inherited_work += r->inherited_work;
    memset(r, 0, sizeof *r);
}

/* T, the owner, takes the results of S, except for the path. After scope_taking, or under S's lock.
 * Returns the longest task; NULL: none. */
static inline struct task *scope_results(struct thread *th, struct task *t, struct scope *s)
{
    struct scope_half *h = s->local.done ? &s->local : &s->remote;
    if (h == &s->local && s->remote.done)
        half_merge(th, h, &s->remote);
    whatif_move(th, &t->scaled, &h->scaled);
    return scope_empty(t, s, h);
}

void scope_collect(struct thread *th, struct task *t, struct scope *s)
{
    /* If T's body ended before its children, the last of them comes here. All others have left
     * S, and nobody but they knew it. */
    bool alone = t->flags & TASK_CLOSED && s == t->own_scope;
    if (alone)
        scope_taking(s);
    else
        alone = __builtin_expect(!s->remote.done && !scope_taking(s), 1);
    if (!alone) {
        scope_taken(s);
        /* the lock may still be held by the thread that ended the last task, or by a joiner */
        lock_take(&s->lock);
    }
    ASSERT_WALK(scope_is_over(s));
    struct task *best = scope_results(th, t, s);
    if (alone)
        scope_taken(s);
    else
        lock_release(&s->lock);
    scope_path(th, t, s, best);
}

void scope_add_rest(struct thread *th, struct scope *s)
{
    struct scope_rest *r = s->rest;
    s->rest = 0;
    s->spawned_foreign += r->spawned;   /* else a scope of these tasks alone would seem empty */
    s->local.done += r->half.done;
    half_merge(th, &s->local, &r->half);
    block_free(th, r);
}

/* ---- what nobody joins ---- */

/* Nobody joins T. It counts as if it were joined at the program's end. Each thread keeps its
 * longest such task. */
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
    lengths_max(&th->detached_len, &t->len);
    whatif_move(th, &th->detached_scaled, &t->scaled);
    detached_keep(th, t);
}

/* PATH, a task that ended in a scope without an owner, counts even if nobody joins it. Its bag
 * stays with the scope. So the whole path is charged to the task's own context here. */
static void orphan_note(struct thread *th, const struct task *path,
                        const struct lengths *len, const uint64_t *scaled)
{
    lengths_max(&th->detached_len, len);
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

void scope_drop(struct thread *th, struct scope *s, bool noted)
{
    ASSERT(!s->owner && s->left && scope_over(s));
    if (s->rest)
        scope_add_rest(th, s);
    half_merge(th, &s->local, &s->remote);
    half_settle(&s->local);
    struct task *best = s->local.best;
    if (best && noted) {
        task_free(th, best);
    } else if (best) {
        lengths_max(&th->detached_len, &s->local.len);
        detached_keep(th, best);
    }
    if (!noted)
        whatif_move(th, &th->detached_scaled, &s->local.scaled);
    whatif_free(th, &s->local.scaled);
    memset(&s->local, 0, sizeof s->local);
    s->spawned = s->spawned_foreign = s->taken_work = 0;
    s->left = false;
    scope_free(th, s);
}

void scope_give_up(struct thread *th, struct scope *s)
{
    lock_take(&s->lock);
    if (!s->key && !s->rest && scope_is_empty(s))
        s->left = true;         /* no agent can find it again */
    bool over = s->left && scope_over(s);
    if (!s->left) {
        half_settle(&s->local);
        half_settle(&s->remote);
        orphan_note(th, s->local.best, &s->local.len, s->local.scaled);
        orphan_note(th, s->remote.best, &s->remote.len, s->remote.scaled);
    }
    s->owner_next = 0;
    s->born_in = s->owner->ctx;
    s->owner = 0;
    __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELEASE);
    lock_release(&s->lock);
    if (over)                   /* else another thread may have freed S by now */
        scope_drop(th, s, false);
}

/* ---- the end of a task ---- */

/* Adds what T's own strands did to M, its context's metrics on the thread that ended T. */
static inline void measure_own(struct metrics *m, const struct task *t)
{
    uint32_t flags = t->flags;
    m->work_local += t->own;
    if (t->own > m->longest)
        m->longest = t->own;
    if (__builtin_expect(flags & (TASK_ROOT | TASK_CANCELLED | TASK_STOLEN), 0)) {
        m->steals += (flags & TASK_STOLEN) != 0;
        m->tasks += !(flags & (TASK_ROOT | TASK_CANCELLED));
    } else {
        m->tasks++;
    }
}

/* Adds to M what T's invocation did, if T is the first task of it. */
static inline void measure_invocation(struct metrics *m, const struct task *t)
{
    if (!(t->flags & (TASK_INHERIT | TASK_ROOT))) {
        m->invocations++;
        m->span_local += t->loc;
        m->work += subtree_work(t);
        m->span += t->S - t->birth - t->late;
    }
}

/* Has the owner of S ended, and is one task of S outstanding? S is the scope of the caller's task,
 * so it is that task. All others have left S, and its lock. Only they could spawn into S, and only
 * the owner's end uses it from now on. */
static inline bool scope_has_one(const struct scope *s)
{
    const struct task *owner = __atomic_load_n(&s->owner, __ATOMIC_RELAXED);
    if (!owner || __atomic_load_n(&owner->own_scope, __ATOMIC_RELAXED) != s ||
        !(__atomic_load_n(&owner->flags, __ATOMIC_ACQUIRE) & TASK_CLOSED))
        return false;
    /* what `done` counts happened before the rest is read */
    uint64_t done = __atomic_load_n(&s->local.done, __ATOMIC_ACQUIRE) +
                    __atomic_load_n(&s->remote.done, __ATOMIC_ACQUIRE);
    return !__atomic_load_n(&s->lock.word, __ATOMIC_ACQUIRE) && done + 1 == scope_spawned(s) &&
           !s->rest;
}

/* Only T is outstanding of S. OWNER takes the results of the others. Returns the longest of all,
 * and frees the loser. */
static inline struct task *results_and(struct thread *th, struct task *owner, struct scope *s,
                                       struct task *t)
{
    scope_taking(s);
    struct task *best = scope_results(th, owner, s), *loser = t;
    scope_taken(s);
    if (task_longer(t, best)) {
        loser = best;
        best = t;
    }
    if (loser)
        task_free(th, loser);
    return best;
}

/* T is the one task of S. Returns the owner, which has what it waited for: T's, not by way of S. */
static struct task *scope_add_one(struct thread *th, struct scope *s, struct task *t)
{
    struct task *owner = s->owner;
    task_count(t, &owner->joined, &owner->inherited_work, &owner->len);
    whatif_move(th, &owner->scaled, &t->scaled);
    if (s->local.done | s->remote.done | s->taken_work) {
        t = results_and(th, owner, s, t);
    } else {
        owner->fresh -= s->born_block == owner->block + 1;
        s->born_block = 0;
        s->spawned = s->spawned_foreign = 0;
    }
    scope_path(th, owner, s, t);
    return owner;
}

/* scope_add_remote, where others may use S. */
static __attribute__((noinline)) struct task *scope_add_locked(struct thread *th, struct scope *s,
                                                               struct task *t)
{
    lock_take(&s->lock);
    struct task *owner = s->owner, *next = 0;
    bool left = !owner && s->left;
    if (!owner && !left)
        orphan_note(th, t, &t->len, t->scaled);
    struct task *loser = half_add(th, t->flags & TASK_REST ? &s->rest->half : &s->remote, t);
    if (th->clock.last > s->ended)
        __atomic_store_n(&s->ended, th->clock.last, __ATOMIC_RELAXED);
    if (owner && s == owner->own_scope && owner->flags & TASK_CLOSED && scope_over(s))
        next = owner;
    left = left && scope_over(s);
    lock_release(&s->lock);
    if (loser)
        task_free(th, loser);
    if (__builtin_expect(left, 0))
        scope_drop(th, s, false);
    return next;
}

/* T goes to a scope of another thread. Returns the scope's owner if the owner has ended and T was
 * the last task that it waited for. */
static inline struct task *scope_add_remote(struct thread *th, struct scope *s, struct task *t)
{
    ASSERT(block_is_live(t));
    return scope_has_one(s) ? scope_add_one(th, s, t) : scope_add_locked(th, s, t);
}

/* Nothing of T is outstanding, and its path is complete. */
static inline void task_close(struct task *t)
{
    t->loc += t->S - t->blk;
    t->blk = t->S;
    ASSERT(t->flags & TASK_CANCELLED || task_is_complete(t));   /* a discarded one has no path */
}

/* After task_close: adds T's measurements to its context's metrics. If T's body ended before its
 * children, its thread has added what T itself did, and that of the last child adds the rest. */
static inline void task_measure(struct thread *th, const struct task *t)
{
    struct metrics *m = thread_metrics_made(th, t->ctx->id);
    if (t->flags & TASK_REST)
        return;
    if (!(t->flags & TASK_CLOSED))
        measure_own(m, t);
    measure_invocation(m, t);
}

/* T takes what its own scope still has. T needs the scope no more. */
static void scope_take_own(struct thread *th, struct task *t)
{
    struct scope *s = t->own_scope;
    if (__builtin_expect(s->rest != 0, 0))
        scope_add_rest(th, s);
    if (!scope_is_empty(s))
        scope_collect(th, t, s);
    scope_free_own(th, t);
}

/* Measures T and hands it to its scope. If that completes the scope's owner, does the same for the
 * owner, and so on. */
__attribute__((noinline)) void task_complete(struct thread *th, struct task *t)
{
    for (;;) {
        if (t->own_scope)
            scope_take_own(th, t);
        samples_settle(th, t, t->S);
        task_close(t);
        task_measure(th, t);
        if (DAGREC_ON && !(t->flags & TASK_REST))
            dagrec_end(th, t);

        struct scope *s = t->scope;
        if (__builtin_expect(s && __atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th &&
                                 !(t->flags & TASK_REST),
                             1)) {
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

/* T ends and has not joined its scopes. Another task may join them. */
static void scopes_orphan(struct thread *th, struct task *t)
{
    for (struct scope *s = t->scopes, *next; s; s = next) {
        next = s->owner_next;
        scope_give_up(th, s);
    }
    t->scopes = 0;
}

static __attribute__((noinline)) void task_end_slow(struct thread *th, struct task *t)
{
    if (__builtin_expect(t->flags & TASK_DIRECT, 0))
        call_count(th, t);
    if (__builtin_expect(t->regions != 0, 0))
        region_drop_all(th, t);
    if (__builtin_expect(t->scopes != 0, 0))
        scopes_orphan(th, t);
    struct scope *s = t->own_scope;
    if (s && ((!scope_is_empty(s) && s->local.done != scope_spawned(s)) || s->rest)) {
        lock_take(&s->lock);
        __atomic_store_n(&s->thread, (struct thread *)0, __ATOMIC_RELAXED);
        bool outstanding = !scope_over(s);
        if (outstanding && !(t->flags & TASK_REST))
            measure_own(thread_metrics_made(th, t->ctx->id), t);
        if (outstanding)
            __atomic_store_n(&t->flags, t->flags | TASK_CLOSED, __ATOMIC_RELEASE);
        lock_release(&s->lock);
        if (outstanding)
            return;             /* the last child completes T */
    }
    task_complete(th, t);
}

/* Is nothing of T outstanding, and does T only go to its scope? */
static inline bool task_ends_alone(const struct task *t)
{
    return !((uintptr_t)t->regions | (uintptr_t)t->scopes | (uintptr_t)t->own_scope) &&
           (!t->bag || !t->bag->fresh_count) && t->scope && !ENGINE_EXTRAS;
}

/* T, closed, goes to S, its scope, which another thread uses. */
static __attribute__((noinline)) void task_ends_remote(struct thread *th, struct scope *s,
                                                       struct task *t)
{
    struct task *owner = scope_add_remote(th, s, t);
    if (__builtin_expect(owner != 0, 0))
        task_complete(th, owner);
}

/* T, closed, goes to S, which TH uses. */
static ALWAYS_INLINE void task_ends_in(struct thread *th, struct scope *s, struct task *t)
{
    struct task *loser = half_put(&s->local, t);
    if (loser)
        task_free(th, loser);
}

/* The same where S has other tasks: a function of its own, so that the first one saves fewer
 * registers. */
static __attribute__((noinline)) void task_ends_later(struct thread *th, struct scope *s,
                                                      struct task *t)
{
    task_ends_in(th, s, t);
}

/* The end of T, of which nothing is left that a flag stands for (engine_end_paused). SAVES: the
 * caller saves registers anyway. */
static ALWAYS_INLINE void task_end_short(struct thread *th, struct task *t, bool saves)
{
    struct metrics *m;
    if (__builtin_expect(!task_ends_alone(t) || !(m = thread_metrics(th, t->ctx->id)), 0)) {
        task_end_slow(th, t);
        return;
    }
    __asm__("" : "+r"(m));      /* else the compiler computes M anew at each use */
    task_close(t);
    measure_own(m, t);
    measure_invocation(m, t);
    struct scope *s = t->scope;
    if (__builtin_expect(__atomic_load_n(&s->thread, __ATOMIC_RELAXED) != th, 0))
        task_ends_remote(th, s, t);
    else if (saves)
        task_ends_in(th, s, t);
    else if (half_is_new(&s->local, t))
        half_put_first(&s->local, t);
    else
        task_ends_later(th, s, t);
}

/* The same where a flag stands for something. */
static __attribute__((noinline)) void task_end_flags(struct thread *th, struct task *t)
{
    divide_end_last(th, t);
    if (t->flags & (TASK_REST | TASK_DIRECT))
        task_end_slow(th, t);
    else
        task_end_short(th, t, true);
}

void engine_end_paused(struct thread *th, struct task *t)
{
    ASSERT(task_is_valid(t) && !(t->flags & TASK_CLOSED));
    if (t->flags & (TASK_DIVIDES | TASK_CHUNK | TASK_REST | TASK_DIRECT))
        task_end_flags(th, t);
    else
        task_end_short(th, t, false);
}

/* The running strand ends. Returns its task; NULL: none runs. */
static struct task *stop_slow(struct thread *th)
{
    struct task *t = th->cur;
    if (!t) {
        th->lost[LOSS_UNBALANCED]++;
        return 0;
    }
    strand_cut_again(th, t, 0, t->ctx, PART_ENDS);
    strand_stop(th);
    return t;
}

__attribute__((noinline)) void engine_end_slow(struct thread *th)
{
    struct task *t = stop_slow(th);
    if (t)
        engine_end_paused(th, t);
}

void engine_end_own(struct thread *th, struct own from, bool is_long)
{
    struct task *t = th->cur;
    if (__builtin_expect(from.nested || !t, 0)) {
        engine_end(th);
        return;
    }
    if (is_long) {
        own_end(th, &from);
        th->t0 -= own_rest;     /* no part begins */
    } else {
        th->t0 -= STRAND_HELD;
    }
    strand_stop(th);
    engine_end_paused(th, t);
}

/* ---- loose ends ---- */

/* A task with a copy of T's path. Settles T's samples. NULL: no memory. */
static struct task *critical_copy(struct thread *th, struct task *t)
{
    struct task *k = block_new(th, BLOCK_TASK);
    if (!k)
        return 0;
    samples_settle(th, t, t->S);
    t->loc += t->S - t->blk;
    t->blk = t->S;
    *k = *t;
    k->own_scope = k->scopes = 0;
    k->regions = 0;
    k->bag = bag_copy(th, t->bag);
    if (t->bag && !k->bag)
        k->loc = t->S - t->birth;
    k->scaled = 0;
    whatif_max(th, &k->scaled, t->scaled);
    return k;
}

/* T, which has children, ends and does not wait for them. A copy of T completes at once. DAG: the
 * copy first joins T's strands, which have ended. T itself becomes the rest: it keeps its path,
 * where its children's paths begin, but not its work. The rest completes with the children. */
static void split(struct thread *th, struct task *t, bool dag)
{
    struct scope *s = t->scope;
    if (__builtin_expect(t->flags & TASK_DIRECT, 0))
        call_count(th, t);
    struct task *ended = critical_copy(th, t);
    struct scope_rest *fresh = ended ? block_new(th, block_class(sizeof *fresh)) : 0;
    if (!fresh) {
        if (ended)
            task_free(th, ended);
        engine_end_paused(th, t);
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
        scope_collect(th, ended, t->own_scope);
    t->flags |= TASK_REST;
    t->joined = t->inherited_work = 0;
    task_complete(th, ended);
    engine_end_paused(th, t);
}

void engine_end_loose_paused(struct thread *th, struct task *t)
{
    divide_end_cut(th, t);
    const struct scope *s = t->own_scope;
    if (__builtin_expect((!s || (scope_is_empty(s) && !s->rest)) && !t->scopes, 1))
        engine_end_paused(th, t);
    else
        split(th, t, false);
}

void engine_end_loose_dag(struct thread *th, struct task *t)
{
    if (!t->own_scope || !t->own_scope->rest) {
        engine_end_paused(th, t);
        return;
    }
    if (DAGREC_ON)
        dagrec_join(th, t, t->own_scope);
    split(th, t, true);
}

static __attribute__((noinline)) void end_loose_slow(struct thread *th)
{
    struct task *t = stop_slow(th);
    if (t)
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

static __attribute__((noinline)) void end_into_slow(struct thread *th, struct task *t)
{
    strand_cut_again(th, t, calibrated.into, t->ctx, PART_ENDS);
}

void engine_end_into(struct thread *th, struct task *next)
{
    struct task *t = th->cur;
    ASSERT(strand_is_valid(t) && strand_is_valid(next));
    if (!strand_cut_quick(th, t, &calibrated.into))
        end_into_slow(th, t);
    th->cur = next;
    th->between_cost = 0;
    engine_end_loose_paused(th, t);
}

/* Is T, which ends, the only task of S, its scope? And is nothing else to be done for T, or for
 * NEXT, which owns S? Else this way takes longer than the calibrated constant for its cost. */
static inline bool returns_alone(const struct thread *th, const struct task *t,
                                 const struct scope *s, const struct task *next)
{
    const struct scope *own = t->own_scope;
    return s && s->owner == next && __atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th &&
           s->spawned == 1 && !(s->spawned_foreign | s->local.done) &&
           !((uintptr_t)s->rest | (uintptr_t)s->prefixes | (uintptr_t)t->bag |
             (uintptr_t)t->scopes) &&
           (!own || (scope_is_empty(own) && !own->rest)) && next->fresh == 1 && !ENGINE_EXTRAS;
}

bool engine_return_into(struct thread *th, struct task *next, bool measured)
{
    struct task *t = th->cur;
    struct scope *s = t->scope;
    if (!returns_alone(th, t, s, next))
        return false;
    if (measured) {
        engine_pause(th);
        engine_end_loose_paused(th, t);
        engine_resume(th, next);
        between_was_own(th);
    } else {
        engine_end_into(th, next);
    }
    engine_join(th, s);
    return true;
}

/* ---- discard ---- */

void engine_discard(struct thread *th, struct task *t)
{
    /* T did not run, so it must not lengthen a span, and must not count. */
    t->S = t->birth = t->blk = 0;
    t->len = (struct lengths){ 0 };
    whatif_free(th, &t->scaled);
    t->flags |= TASK_CANCELLED | TASK_INHERIT;
    th->spawns -= !(t->flags & TASK_CALL);
    if (__builtin_expect(t->flags & TASK_DIRECT, 0))
        call_count(th, t);
    else
        th->begun += t->flags & TASK_CALL;
    task_complete(th, t);
}

/* ---- turns ---- */

bool engine_turn_pause(struct thread *th)
{
    struct task *t = th->cur;
    const struct scope *own = t->own_scope;
    if (__builtin_expect((uintptr_t)t->regions | (uintptr_t)t->scopes || ENGINE_EXTRAS ||
                             (own && (!scope_is_empty(own) || own->rest)),
                         0))
        return false;
    engine_pause(th);
    divide_end_cut(th, t);
    samples_settle(th, t, t->S);
    return true;
}

static __attribute__((noinline)) void turn_slow(struct thread *th, struct task *t)
{
    strand_start(th, t, calibrated.begin);
}

void engine_turn_resume(struct thread *th, struct task *t)
{
    ASSERT(!th->cur && strand_is_valid(t) && t->flags & TASK_INHERIT);
    struct metrics *m = thread_metrics(th, t->ctx->id);
    measure_own(__builtin_expect(m != 0, 1) ? m : thread_metrics_made(th, t->ctx->id), t);
    t->joined += t->own;
    t->inherited_work += t->own;
    t->own = 0;
    if (!strand_start_quick(th, t, &calibrated.begin))
        turn_slow(th, t);
}

/* ---- calls ---- */

static __attribute__((noinline)) void call_cut_slow(struct thread *th, struct task *t)
{
    strand_cut_again(th, t, calibrated.called, t->ctx, PART_ENDS);
    samples_settle(th, t, t->S);
}

/* Does T, a direct call, end as such? */
static inline bool call_ends_alone(const struct task *t, const struct task *next)
{
    const struct scope *own = t->own_scope;
    ASSERT(t->flags & TASK_DIRECT);
    return t->scope->owner == next &&
           !((uintptr_t)t->regions | (uintptr_t)t->scopes) &&
           (!t->bag || !t->bag->fresh_count) &&
           (!own || (scope_is_empty(own) && !own->rest)) && !ENGINE_EXTRAS;
}

/* NEXT's path goes on through C, a call of NEXT's that begins where NEXT stands. */
static inline void critical_through_call(struct thread *th, struct task *next, struct task *c)
{
    if (__builtin_expect(next->fresh != 0, 0))
        prefixes_save(th, next);
    samples_settle(th, next, next->S);
    next->loc += next->S - next->blk;
    critical_append(th, next, c);
    next->S = next->blk = c->S;
    task_block_next(next);
}

bool engine_return_call(struct thread *th, struct task *next)
{
    struct task *t = th->cur;
    struct metrics *m = thread_metrics(th, t->ctx->id);
    if (__builtin_expect(!m || !call_ends_alone(t, next), 0))
        return false;
    if (!strand_cut_quick(th, t, &calibrated.called))
        call_cut_slow(th, t);
    th->cur = next;
    th->between_cost = 0;
    divide_end_cut(th, t);
    if (t->own_scope)
        scope_free_own(th, t);
    task_close(t);
    measure_own(m, t);
    measure_invocation(m, t);
    ASSERT(t->birth == next->S && !(t->flags & TASK_FOREIGN));
    next->joined += subtree_work(t);
    if (__builtin_expect(t->flags & TASK_INHERIT, 0))
        next->inherited_work += invocation_work(t);
    next->len = t->len;         /* it began as NEXT's, and only grew */
    if (t->S > next->S)
        critical_through_call(th, next, t);
    ASSERT(strand_is_valid(next));
    task_free(th, t);
    if (__builtin_expect(engine_publish_wanted && next->flags & TASK_ROOT && th == engine_main, 0))
        engine_publish(next);
    return true;
}
