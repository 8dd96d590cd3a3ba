/* early_end.c - tasks that end before their children, and joins of paused strands. See early_end.h.
 */
#include "engine/between.h"
#include "engine/calibrated.h"
#include "engine/divide.h"
#include "engine/rules.h"
#include "engine/region.h"
#include "base/forbid.h"

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
    struct task *t = th->cur;
    if (!t) {
        th->lost[LOSS_UNBALANCED]++;
        return;
    }
    strand_cut_again(th, t, 0, t->ctx, PART_ENDS);
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
    strand_cut_again(th, t, own, t->ctx, PART_ENDS);
}

void engine_end_into(struct thread *th, struct task *next)
{
    struct task *t = th->cur;
    ASSERT(strand_is_valid(t) && strand_is_valid(next));
    if (!strand_cut_quick(th, t, &calibrated.into))
        cut_slow(th, t, calibrated.into);
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

/* ---- joins of paused strands ---- */

void engine_join_group(struct thread *th, struct scope *s)
{
    if (__atomic_load_n(&s->rest, __ATOMIC_ACQUIRE) || !scope_done(s)) {
        scope_waited(th, th->cur, s);
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
    uint64_t between = th->between_cost, idle_since = th->idle_since, t0 = th->t0;
    /* The recorded dag and the scenarios read the clock. T does not run: it must not be charged
     * what this thread has waited for T's tasks. */
    bool held = ENGINE_EXTRAS && !cur;
    if (held)
        th->t0 = strand_none(th) + STRAND_HELD;
    th->cur = t;
    th->idle_since = th->strand_tsc;    /* the agent decides later what it was */
    th->between_cost = 0;
    if (t->own_scope)
        engine_join_group(th, t->own_scope);
    th->cur = cur;
    if (held)
        th->t0 = t0;
    th->between_cost = between;
    th->idle_since = idle_since;
}
