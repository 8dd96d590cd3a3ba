/* engine_rules.h - what engine.c and dag.c share: the strand clock, and the small rules of paths, scopes and
 * finished tasks. Nobody else includes it but own.c, for the clock, and valid.c; engine.h has the model.
 */
#ifndef PRELOAD_ENGINE_RULES_H
#define PRELOAD_ENGINE_RULES_H

#include <stddef.h>
#include "model/bag.h"
#include "model/block.h"
#include "engine/calibrate.h"
#include "extras/dagrec.h"
#include "engine/engine.h"
#include "sampling/sampler.h"
#include "extras/whatif.h"

#define ENGINE_EXTRAS __builtin_expect(engine_extras, 0)

/* ---- strand clock ---- */

/* What only a slow reading can have to tell: a signal or a time off the CPU makes it one. COST: of the part
 * that ends with it. Returns what it made the part cost beyond that (PROF_DELAY), which is counted. */
uint64_t strand_slow(struct thread *th, struct task *cur, uint64_t cost) __attribute__((noinline, cold));

/* Part of the running task CUR has ended, NOW. OWN: libprof's own cost that the next part will contain (calibrated), taken
 * off by starting it that much later. */
static inline int64_t strand_part(struct thread *th, struct task *cur, uint64_t now, uint64_t own)
{
    int64_t cost = (int64_t)(now - th->t0);
    if (__builtin_expect(cost > 0, 1)) {
        cur->S += cost;
        cur->L += cost;
        cur->own += cost;
    }
    th->t0 = now + own;
    return cost;
}

/* End the current part of TH's strand; its cost goes to the running task. */
static inline void strand_cut(struct thread *th, struct task *cur, uint64_t own)
{
    bool slow = false;
    uint64_t now = clock_now_telling(&th->clock, &slow);
    int64_t cost = strand_part(th, cur, now, own);
    if (__builtin_expect(slow, 0))
        th->t0 += strand_slow(th, cur, cost > 0 ? cost : 0);
}

/* The same if the reading is a quick one. False: nothing has happened. */
static inline bool strand_cut_quick(struct thread *th, struct task *cur, uint64_t own)
{
    uint64_t now;
    if (__builtin_expect(!clock_now_quick(&th->clock, &now), 0))
        return false;
    strand_part(th, cur, now, own);
    return true;
}

/* TASK runs from NOW on; resume_gap is what the clock counted since the last strand stopped. */
static inline void strand_run(struct thread *th, struct task *task, uint64_t now, uint64_t own)
{
    th->cur = task;
    th->resume_gap = now - th->t0;
    th->t0 = now + own;
    th->strand_tsc = th->clock.last;
}

static inline void strand_start(struct thread *th, struct task *task, uint64_t own)
{
    bool slow = false;
    th->cur = task;             /* for samples that come meanwhile */
    uint64_t now = clock_now_telling(&th->clock, &slow);
    if (__builtin_expect(slow, 0))
        th->clock.off = 0;      /* it had no strand then */
    strand_run(th, task, now, own);
}

static inline bool strand_start_quick(struct thread *th, struct task *task, uint64_t own)
{
    uint64_t now;
    if (__builtin_expect(!clock_now_quick(&th->clock, &now), 0))
        return false;
    strand_run(th, task, now, own);
    return true;
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

/* ---- lengths ---- */

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

/* ---- tasks ---- */

static inline void task_zero(struct task *t)
{
    /* As memset would, for which the compiler takes a slow string instruction here. */
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

/* The samples of T's current block up to UNTIL are on its path, the others are not. */
static inline void samples_settle(struct thread *th, struct task *t, uint64_t until)
{
    if (__builtin_expect(t->bag != 0, 0) && t->bag->fresh_count)
        bag_samples_settle(th, &t->bag, until);
}

/* ---- scopes ---- */

/* T, complete, goes to one half of its scope, but for its scenarios. Returns the task that nobody needs any more: T, the
 * one it outdid, or NULL. T is the joiner's as soon as the caller lets go of the half. */
static inline struct task *half_put(struct scope_half *h, struct task *t)
{
    if (__builtin_expect(t->flags & (TASK_INHERIT | TASK_REST), 0)) {
        bool rest = t->flags & TASK_REST;       /* what it did itself came before */
        h->work += rest ? t->joined : subtree_work(t);
        if (t->flags & TASK_INHERIT)
            h->inherited_work += rest ? t->inherited_work : invocation_work(t);
    } else {
        h->work += subtree_work(t);
    }
    burdened_max(&h->L, &h->K, t->L, t->K);
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

/* A new block of T's path begins, in which nothing has been spawned. Its number stays below 2^31: a long-lived strand adopts
 * that many children in an hour, and a number that came again would be taken for an older block's. */
void task_blocks_renumber(struct task *t) __attribute__((cold));
static inline void task_block_next(struct task *t)
{
    t->fresh = 0;
    if (__builtin_expect((int32_t)++t->block < 0, 0))
        task_blocks_renumber(t);
}

static inline bool scope_done(const struct scope *s)
{
    return __atomic_load_n(&s->local.done, __ATOMIC_ACQUIRE) +
           __atomic_load_n(&s->remote.done, __ATOMIC_ACQUIRE) ==
           scope_spawned(s);
}

/* Has all of S ended, what its tasks left behind included? Under its lock. */
static inline bool scope_over(const struct scope *s)
{
    return s->local.done + s->remote.done == scope_spawned(s) && (!s->rest || s->rest->half.done == s->rest->spawned);
}

/* ---- engine.c's rules ---- */

void prefixes_save(struct thread *th, struct task *t);
void path_append(struct thread *th, struct task *t, struct task *c);
void path_jump(struct thread *th, struct task *t, uint64_t S, struct context *ctx, bool mixed);
void path_adopt(struct thread *th, struct task *t, struct task *c, struct scope *joined);
/* T is over, with all that it waits for. */
void task_complete(struct thread *th, struct task *t);
/* T's strand has stopped for good. */
void task_end(struct thread *th, struct task *t);
bool scope_settle(struct thread *th, struct scope *s, bool (*over)(const struct scope *));
void half_merge(struct thread *th, struct scope_half *into, struct scope_half *from);
void scope_add_rest(struct thread *th, struct scope *s);
/* Everything of S, which has ended, into T. */
void scope_collect(struct thread *th, struct task *t, struct scope *s);

#endif
