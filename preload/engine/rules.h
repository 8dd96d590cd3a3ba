/* rules.h - the small rules that the engine's files share. No file outside engine/ includes it.
 * [hook] everything here.
 */
#ifndef PRELOAD_ENGINE_RULES_H
#define PRELOAD_ENGINE_RULES_H

#include <stddef.h>
#include <string.h>
#include "base/inline.h"
#include "engine/burden.h"
#include "engine/engine.h"
#include "dagrec/dagrec.h"
#include "whatif/whatif.h"
#include "dag/bag.h"
#include "dag/block.h"
#include "dag/strand.h"

#define ENGINE_EXTRAS __builtin_expect(engine_extras, 0)

/* ---- tasks ---- */

static inline void task_zero(struct task *t)
{
    zero_words(&t->loc, offsetof(struct task, thread) - offsetof(struct task, loc));
}

/* Fills in T, a new block. T is born at the point of FROM, which was cut. SEQ: its place in the
 * spawn order. */
static inline void task_born(struct thread *th, struct task *t, const struct task *from,
                             struct scope *scope, struct context *ctx, uint32_t flags,
                             uint32_t seq)
{
    ASSERT_WALK(context_is_valid(ctx));
    task_zero(t);
    t->ctx = ctx;
    t->scope = scope;
    t->spawner = th;
    t->flags = flags;
    t->S = t->birth = t->blk = from->S;
    t->len = from->len;
    t->len.K += !(flags & TASK_CALL);
    t->seq = seq;
    t->spawn_tsc = th->clock.last;
    th->spawns += !(flags & TASK_CALL);
}

/* Frees T, a finished task. */
void task_free_slow(struct thread *th, struct task *t);
static inline void task_free(struct thread *th, struct task *t)
{
    if (__builtin_expect(!t->bag && !t->scaled, 1))
        block_free(th, t);
    else
        task_free_slow(th, t);
}

/* The samples of T's current block up to UNTIL are on T's path. The others are not, and go. */
static inline void samples_settle(struct thread *th, struct task *t, uint64_t until)
{
    if (__builtin_expect(t->bag != 0, 0) && t->bag->fresh_count)
        bag_samples_settle(th, &t->bag, until);
}

/* ---- scopes ---- */

/* H's first task is alone no more. */
void half_settle_alone(struct scope_half *h);
static inline void half_settle(struct scope_half *h)
{
    if (__builtin_expect(h->alone, 0))
        half_settle_alone(h);
}

/* Will T, complete, be alone in H, a half of its scope? Then half_put_first is enough. */
static inline bool half_is_new(const struct scope_half *h, const struct task *t)
{
    return !h->done && t->S;
}
static inline void half_put_first(struct scope_half *h, struct task *t)
{
    h->alone = 1;
    h->best = t;
    __atomic_store_n(&h->done, 1, __ATOMIC_RELEASE);
}

/* Adds T, complete, to H, except for T's scenarios. Returns the task that is no longer needed: T,
 * the one that T is longer than, or NULL. As soon as the caller gives up the half, T belongs to the
 * joiner. */
static inline struct task *half_put(struct scope_half *h, struct task *t)
{
    if (half_is_new(h, t)) {
        half_put_first(h, t);
        return 0;
    }
    half_settle(h);
    task_count(t, &h->work, &h->inherited_work, &h->len);
    struct task *loser = t, *best = h->best;
    if (task_longer(t, best)) {
        h->best = t;
        loser = best;
    }
    __atomic_store_n(&h->done, h->done + 1, __ATOMIC_RELEASE);
    return loser;
}

static inline struct task *half_add(struct thread *th, struct scope_half *h, struct task *t)
{
    whatif_move(th, &h->scaled, &t->scaled);
    return half_put(h, t);
}

/* The context of S's owner, also after its end. Under S's lock, or on the owner's thread. */
static inline const struct context *scope_context(const struct scope *s)
{
    return s->owner ? s->owner->ctx : s->born_in;
}

/* TH, which runs S's owner T, has waited for S: the time before T was idle. */
void scope_waited(struct thread *th, struct task *t, struct scope *s);

/* T becomes a task of a scope that a task of context OWNER joins. */
static inline void scope_takes(const struct context *owner, const struct task *t)
{
    if (owner->site)
        context_takes(owner, t->ctx, t->flags & TASK_INHERIT);
}

/* Counts T, a task of S that another thread than the one of S's local half spawns, or another
 * strand than S's owner. */
static inline void scope_count_foreign(struct scope *s, const struct task *t)
{
    lock_take(&s->lock);
    __atomic_store_n(&s->spawned_foreign, s->spawned_foreign + 1, __ATOMIC_RELEASE);
    const struct context *owner = scope_context(s);
    lock_release(&s->lock);
    scope_takes(owner, t);
}

/* Notes that tasks of S are born in OWNER's current block. */
static inline void scope_births(struct scope *s, struct task *owner)
{
    if (s->born_block != owner->block + 1) {
        s->born_block = owner->block + 1;
        owner->fresh++;
    }
}

/* Counts a task of S that S's owner, OWNER, spawns on the thread of S's local half. */
static inline void scope_count_own(struct scope *s, struct task *owner)
{
    __atomic_store_n(&s->spawned, s->spawned + 1, __ATOMIC_RELEASE);
    scope_births(s, owner);
}

/* T, a direct call, does not end as such: its scope counts it after all. */
void call_count(struct thread *th, struct task *t);

/* A new block of T's path begins, in which nothing has been spawned yet. A long-lived strand adopts
 * 2^31 children in an hour. So block numbers start again there: a number that wrapped would match
 * an older block's. */
void task_blocks_renumber(struct task *t) __attribute__((cold));
static inline void task_block_next(struct task *t)
{
    t->fresh = 0;
    if (__builtin_expect((int32_t)++t->block < 0, 0))
        task_blocks_renumber(t);
}

/* ---- the rules of each file ---- */

/* critical_path.c: a task's critical path. */
void prefixes_save(struct thread *th, struct task *t);
void prefixes_free(struct thread *th, struct scope *s);
void critical_append(struct thread *th, struct task *t, struct task *c);
void critical_jump(struct thread *th, struct task *t, uint64_t S, struct context *ctx, bool mixed);
void critical_adopt(struct thread *th, struct task *t, struct task *c, struct scope *joined);
void critical_take(struct thread *th, struct task *t, struct task *best, struct scope *s);
void critical_stays(struct thread *th, struct scope *s, struct task *best);
/* T, new, is born at the point of CUR, the running strand. CUR is a task of T's scope, or a task
 * that such a task waits for. T's path leads through theirs. False, and nothing has happened: their
 * path is not known here. */
bool critical_along(struct thread *th, struct task *t, const struct task *cur);

/* end.c: T has ended, and so have all tasks that it waits for. */
void task_complete(struct thread *th, struct task *t);
/* Adds FROM to INTO, and empties FROM. */
void half_merge(struct thread *th, struct scope_half *into, struct scope_half *from);
/* Adds to S what the tasks of S left behind. */
void scope_add_rest(struct thread *th, struct scope *s);
/* T takes the results of S. All tasks of S have ended. */
void scope_collect(struct thread *th, struct task *t, struct scope *s);
/* The owner of S, the running strand, has taken S off its list. S becomes an orphan: a joiner may
 * still come for it, or it was left. */
void scope_give_up(struct thread *th, struct scope *s);
/* Frees S. All its tasks have ended, it has neither owner nor joiner, and only the caller knows it.
 * Its results count as joined at the program's end, unless they were NOTED before. If NOTED, TH may
 * be NULL. */
void scope_drop(struct thread *th, struct scope *s, bool noted);

/* scope.c: the own scope of T, which is paused. Several threads may call this at once. NULL: no
 * memory. */
struct scope *scope_own_paused(struct thread *th, struct task *t);
/* T is complete: frees its own scope, which it has. */
void scope_free_own(struct thread *th, struct task *t);

/* dependence_edge.c: a task of scope S that no running strand spawns. The task's S is 0.
 * NULL: no memory. */
struct task *task_spawned_free(struct thread *th, struct scope *s, struct context *ctx,
                               uint32_t seq, uint32_t flags);

/* The owner of S is about to empty S. Returns 0 if no foreign join is there. Then none comes until
 * scope_taken. Else the owner calls scope_taken at once, and takes the lock. */
static inline uint64_t scope_taking(struct scope *s)
{
    __atomic_store_n(&s->taking, true, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);    /* pairs with the membarrier in keep_owner_out */
    /* acquire: if a foreign join has just released the lock, the owner sees what it took */
    return __atomic_load_n(&s->lock.word, __ATOMIC_ACQUIRE);
}

static inline void scope_taken(struct scope *s)
{
    __atomic_store_n(&s->taking, false, __ATOMIC_RELEASE);      /* pairs with keep_owner_out */
}

/* T, the owner, takes the results of S, except for scenarios and the path. They are in H, one half;
 * the other one is empty. Then S is empty. Returns the longest task; NULL: none. After
 * scope_taking, or under S's lock. */
static inline struct task *scope_empty(struct task *t, struct scope *s, struct scope_half *h)
{
    struct task *best = h->best;
    ASSERT(s->taking || lock_is_mine(&s->lock));         /* no foreign join is here */
    ASSERT(scope_credit_is_valid(s));
    if (s->born_block == t->block + 1)
        t->fresh--;             /* fresh counts the scopes that are not joined */
    s->born_block = 0;
    uint64_t work = 0, inherited_work = 0;
    if (h->alone) {
        task_count(best, &work, &inherited_work, &t->len);
    } else {
        lengths_max(&t->len, &h->len);
        work = h->work;
        inherited_work = h->inherited_work;
        zero_words(&h->len, sizeof *h - offsetof(struct scope_half, len));
    }
    t->joined += work - s->taken_work;
    t->inherited_work += inherited_work;
    zero_words(&s->spawned, offsetof(struct scope, local.len) - offsetof(struct scope, spawned));
    if (h != &s->local)
        zero_words(h, offsetof(struct scope_half, len));
    return best;
}

/* BEST, the longest task of S, which T has emptied, becomes T's path if it is longer. */
static inline void scope_path(struct thread *th, struct task *t, struct scope *s,
                              struct task *best)
{
    if (best && best->S > t->S) {
        critical_take(th, t, best, s);
        ASSERT_WALK(scope_is_empty(s) && !s->prefixes && !s->local.done && !s->remote.done);
        return;
    }
    if (__builtin_expect(s->prefixes != 0, 0))
        critical_stays(th, s, best);
    else if (best)
        task_free(th, best);
}

#endif
