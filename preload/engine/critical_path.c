/* critical_path.c - how a task's critical path changes. It adopts a joined child's path, or jumps
 * to another strand's. Scopes keep prefixes of earlier paths. Each function keeps the equation of
 * dag/task.h. Which of two equally long paths is the critical one: critical_is_longer() there.
 */
#include "engine/rules.h"
#include "base/forbid.h"

/* A scope keeps at most so many prefixes. More are lost (LOSS_PREFIX). */
#define SCOPE_PREFIXES 64

__attribute__((noinline)) void task_blocks_renumber(struct task *t)
{
    t->block = 0;
    for (struct scope *s = task_scopes(t); s; s = task_scopes_next(t, s))
        s->born_block = 0;
}

/* T's current block is about to end. Each scope with children that were born in it gets a prefix:
 * the path as it is now. */
__attribute__((noinline)) void prefixes_save(struct thread *th, struct task *t)
{
    for (struct scope *s = task_scopes(t); s; s = task_scopes_next(t, s)) {
        if (s->born_block != t->block + 1 || __atomic_load_n(&s->left, __ATOMIC_RELAXED))
            continue;           /* nobody adopts a path out of a scope that was left */
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

__attribute__((noinline)) void prefixes_free(struct thread *th, struct scope *s)
{
    while (s->prefixes) {
        struct prefix *p = s->prefixes;
        s->prefixes = p->next;
        bag_free(th, p->bag);
        block_free(th, p);
    }
    s->prefix_count = 0;
}

/* Adds the path of C, a finished child, to T's path: C's bag, C's own part, C's invocation. */
void critical_append(struct thread *th, struct task *t, struct task *c)
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

/* T's path, which ends at X's birth, is continued by X's path up to END. */
static void critical_continue(struct thread *th, struct task *t, const struct task *x, uint64_t end)
{
    uint64_t loc = x->loc + (end - x->blk);
    if (x->bag) {
        struct bag *bag = bag_copy(th, x->bag);
        if (!bag)
            loc = end - x->birth;
        else if (__builtin_expect(bag->fresh_count != 0, 0))
            bag_samples_settle(th, &bag, end);
        if (bag)
            bag_merge(th, &t->bag, bag);
    }
    struct on_span *v = bag_at(th, &t->bag, x->ctx->id);
    if (!v)
        return;
    v->span_local += loc;
    if (x->flags & TASK_INHERIT)
        return;
    v->count++;
    v->work_local += invocation_work(x);
    v->work += subtree_work(x);
    v->span += end - x->birth - x->late;
}

bool critical_along(struct thread *th, struct task *t, const struct task *cur)
{
    enum { DEPTH = 4 };
    const struct task *chain[DEPTH];
    uint64_t end[DEPTH];
    unsigned n = 0;
    for (const struct task *x = cur, *below = 0;; below = x, x = x->scope->owner) {
        /* what this thread does not execute or wait for, others change; the path that X had before
         * it took a child's is gone */
        if (!x || n == DEPTH || x->thread != th || !x->scope || (below && below->birth < x->blk))
            return false;
        chain[n] = x;
        end[n++] = below ? below->birth : x->S;
        if (x->scope == t->scope)
            break;
        if (x->flags & TASK_FOREIGN)
            return false;
    }
    t->flags |= chain[n - 1]->flags & TASK_FOREIGN;
    t->birth = chain[n - 1]->birth;
    t->late = cur->S - t->birth;
    while (n--)
        critical_continue(th, t, chain[n], end[n]);
    return true;
}

/* T's path becomes a path of length S that is not known relative to T's birth. It came over an
 * edge, or from another task's child that T joined. The gain is charged to CTX, the context that it
 * came from. MIXED: other contexts have a share in it, so the split is approximate.
 *
 * Between threads of one invocation, the path may have gone through T, but only up to what T put on
 * an edge itself: a loop's iterations wait for each other in turn. So T's samples after that are
 * not on it. */
void critical_jump(struct thread *th, struct task *t, uint64_t S, struct context *ctx, bool mixed)
{
    uint64_t excess = S - t->S;
    if (t->fresh)
        prefixes_save(th, t);
    samples_settle(th, t, ctx == t->ctx && t->bag ? t->bag->put : t->S);
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

void scope_borrow(struct thread *th, struct scope *s)
{
    for (const struct scope *other = s->owner->scopes; other; other = other->owner_next)
        for (const struct prefix *p = other == s ? 0 : other->prefixes; p; p = p->next) {
            struct prefix **at = &s->prefixes;
            while (*at && (*at)->blk > p->blk)
                at = &(*at)->next;
            if ((*at && (*at)->blk == p->blk) || s->prefix_count >= SCOPE_PREFIXES)
                continue;
            struct prefix *copy = block_new(th, BLOCK_PREFIX);
            if (!copy)
                return;
            *copy = (struct prefix){ .next = *at, .blk = p->blk, .end = p->end, .loc = p->loc,
                                     .bag = bag_copy(th, p->bag) };
            *at = copy;
            s->prefix_count++;
        }
}

/* The longest child C (S > T's) becomes T's critical path; C's bag is consumed. */
void critical_adopt(struct thread *th, struct task *t, struct task *c, struct scope *joined)
{
    if (__builtin_expect(c->flags & TASK_FOREIGN, 0)) {
        critical_jump(th, t, c->S, c->ctx, c->bag != 0);
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
            critical_jump(th, t, c->S, c->ctx, true);
            return;
        }
        if (t->fresh)
            prefixes_save(th, t);
        bag_free(th, t->bag);
        t->bag = p->bag;        /* not copied: the join frees the scope's prefixes anyway */
        p->bag = 0;
        samples_settle(th, t, c->birth);
        t->loc = p->loc + (c->birth - p->blk);
    }
    critical_append(th, t, c);
    t->S = t->blk = c->S;
    task_block_next(t);
    ASSERT(task_is_valid(t));
}

/* BEST, the longest task of S, becomes T's path. T has just joined S. */
__attribute__((noinline)) void critical_take(struct thread *th, struct task *t, struct task *best,
                                         struct scope *s)
{
    critical_adopt(th, t, best, s);
    task_free(th, best);
    if (__builtin_expect(s->prefixes != 0, 0))
        prefixes_free(th, s);
}

/* BEST, the longest task of S, or NULL, is not longer than the path of the task that has joined S,
 * which had prefixes for it. */
__attribute__((noinline)) void critical_stays(struct thread *th, struct scope *s, struct task *best)
{
    prefixes_free(th, s);
    if (best)
        task_free(th, best);
}
