/* rules.h - the small rules that the engine's files share. Nobody outside engine/ includes it. */
#ifndef PRELOAD_ENGINE_RULES_H
#define PRELOAD_ENGINE_RULES_H

#include <stddef.h>
#include <string.h>
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
    /* memset would become a slow string instruction here */
    typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
    enum { BYTES = offsetof(struct task, inside) - offsetof(struct task, loc) };
    _Static_assert(BYTES % 16 == 0, "whole pairs");
    pair *p = (pair *)&t->loc;
#pragma GCC unroll 16
    for (unsigned i = 0; i < BYTES / 16; i++)
        p[i] = (pair){ 0, 0 };
}

/* A finished task, no longer needed. */
void task_free_slow(struct thread *th, struct task *t);
static inline void task_free(struct thread *th, struct task *t)
{
    if (__builtin_expect(!t->bag && !t->scaled, 1))
        block_free(th, t);
    else
        task_free_slow(th, t);
}

/* The samples of T's current block up to UNTIL are on its path, the others are not. */
static inline void samples_settle(struct thread *th, struct task *t, uint64_t until)
{
    if (__builtin_expect(t->bag != 0, 0) && t->bag->fresh_count)
        bag_samples_settle(th, &t->bag, until);
}

/* ---- scopes ---- */

/* T, complete, goes to one half of its scope, but for its scenarios. Returns the task that is no
 * longer needed: T, the one that T is longer than, or NULL. From the moment that the caller lets go
 * of the half, T belongs to the joiner. */
static inline struct task *half_put(struct scope_half *h, struct task *t)
{
    if (__builtin_expect(t->flags & (TASK_INHERIT | TASK_REST), 0)) {
        bool rest = t->flags & TASK_REST;       /* its own work was counted before */
        h->work += rest ? t->joined : subtree_work(t);
        if (t->flags & TASK_INHERIT)
            h->inherited_work += rest ? t->inherited_work : invocation_work(t);
    } else {
        h->work += subtree_work(t);
    }
    lengths_max(&h->len, &t->len);
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

/* Tasks of S are born in OWNER's current block. */
static inline void scope_births(struct scope *s, struct task *owner)
{
    if (s->born_block != owner->block + 1) {
        s->born_block = owner->block + 1;
        owner->fresh++;
    }
}

/* A new block of T's path begins, in which nothing has been spawned. Block numbers stay below 2^31:
 * a long-lived strand adopts that many children in an hour, and a number that came again would be
 * taken for an older block's. */
void task_blocks_renumber(struct task *t) __attribute__((cold));
static inline void task_block_next(struct task *t)
{
    t->fresh = 0;
    if (__builtin_expect((int32_t)++t->block < 0, 0))
        task_blocks_renumber(t);
}

/* ---- the rules of each file ---- */

/* path.c: a task's critical path. */
void prefixes_save(struct thread *th, struct task *t);
void prefixes_free(struct thread *th, struct scope *s);
void path_append(struct thread *th, struct task *t, struct task *c);
void path_jump(struct thread *th, struct task *t, uint64_t S, struct context *ctx, bool mixed);
void path_adopt(struct thread *th, struct task *t, struct task *c, struct scope *joined);
void path_take(struct thread *th, struct task *t, struct task *best, struct scope *s);

/* end.c: T and all that it waits for is over. */
void task_complete(struct thread *th, struct task *t);
/* T's strand has stopped for good. */
void task_end(struct thread *th, struct task *t);
/* INTO becomes the result of both halves. */
void half_merge(struct thread *th, struct scope_half *into, struct scope_half *from);
/* What the tasks of S left behind belongs to S from now. */
void scope_add_rest(struct thread *th, struct scope *s);
/* T takes the results of S, all of which has ended. */
void scope_collect(struct thread *th, struct task *t, struct scope *s);
/* The owner of S, whose strand this is, has taken S off its list. S is an orphan now: a joiner may
 * still come for it, or it was left. */
void scope_give_up(struct thread *th, struct scope *s);
/* Frees S: all of it has ended, it has neither owner nor joiner, and only the caller knows it. Its
 * results end with the program, unless they were NOTED before; then TH may be NULL. */
void scope_drop(struct thread *th, struct scope *s, bool noted);

/* late.c: waits, bounded, until S is OVER. */
bool scope_settle(struct thread *th, struct scope *s, bool (*over)(const struct scope *));

/* edge.c: a task of S that no running strand spawns; its S is still 0. NULL: no memory. */
struct task *task_spawned_free(struct thread *th, struct scope *s, struct context *ctx,
                               uint32_t seq, uint32_t flags);

/* T, the owner or a joiner that becomes it, takes the results of the local half, but for scenarios.
 * There is no other half. The scope is empty after. */
static inline void scope_take(struct thread *th, struct task *t, struct scope *s)
{
    struct task *best = s->local.best;
    lengths_max(&t->len, &s->local.len);
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

#endif
