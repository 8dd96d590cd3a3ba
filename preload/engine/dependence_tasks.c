/* dependence_tasks.c - dependences between tasks that one strand spawned (depend). A task leaves
 * its path (struct kept) for the tasks that start after it. See dependence.h.
 */
#include "engine/rules.h"
#include "base/forbid.h"

struct kept_more {
    uint64_t D, T;
    uint64_t *scaled;           /* the path in every scenario; owned */
    struct dag_node *node;
    uint32_t event;
};

static inline struct kept_more *kept_more(const struct kept *k)
{
    return k->more & 1 ? 0 : (struct kept_more *)k->more;
}

static struct lengths kept_lengths(const struct kept *k)
{
    const struct kept_more *more = kept_more(k);
    return (struct lengths){ .L = k->L, .K = k->K, .D = more ? more->D : k->S,
                             .T = more ? more->T : k->S - k->more / 2 };
}

static __attribute__((noinline)) void keep_more(struct thread *th, struct task *t, struct kept *k)
{
    if (t->len.D == t->S && !engine_extras) {
        k->more = 2 * (t->S - t->len.T) + 1;
        return;
    }
    struct kept_more *more = block_new(th, block_class(sizeof *more));
    if (!more)
        return;
    k->more = (uintptr_t)more;
    *more = (struct kept_more){ .D = t->len.D, .T = t->len.T, .node = t->node };
    whatif_max(th, &more->scaled, t->scaled);
    if (DAGREC_ON && !(t->flags & TASK_CALL))   /* a call's spawner goes on after it anyhow */
        more->event = dagrec_put(th, t);
}

void kept_take(struct thread *th, struct task *t, struct kept *k)
{
    k->S = t->S;                /* one by one: all at once is a loop that zeroes them first */
    k->L = t->len.L;
    k->K = t->len.K;
    k->birth = t->birth;
    k->late = t->late;
    k->work_local = invocation_work(t);
    k->work = subtree_work(t);
    k->bag = 0;
    k->ctx = t->ctx;
    k->more = 0;
    k->flags = t->flags;
    k->seq = t->seq;
    if (__builtin_expect(t->bag != 0, 0)) {
        samples_settle(th, t, t->S);
        k->bag = bag_copy(th, t->bag);
    }
    if (__builtin_expect(t->len.D != t->S || t->len.T != t->S || engine_extras, 0))
        keep_more(th, t, k);
    ASSERT_WALK(kept_is_valid(k));
}

void kept_drop(struct thread *th, struct kept *k)
{
    if (__builtin_expect(k->bag != 0, 0))
        bag_free(th, k->bag);
    struct kept_more *more = kept_more(k);
    if (__builtin_expect(more != 0, 0)) {
        whatif_free(th, &more->scaled);
        block_free(th, more);
    }
    k->ctx = 0;
}

/* A task that ended with the path K, for critical_append and critical_adopt, which take its bag. It
 * is a block, because it would need much of the program's stack. NULL: no memory. */
static struct task *stand_in(struct thread *th, const struct kept *k)
{
    struct task *c = block_new(th, BLOCK_TASK);
    if (!c)
        return 0;
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
    return c;
}

/* K's path, longer than T's, becomes T's path. */
static void critical_follow_kept(struct thread *th, struct task *t, const struct kept *k)
{
    struct task *before = (t->flags ^ k->flags) & TASK_FOREIGN ? 0 : stand_in(th, k);
    if (!before) {
        critical_jump(th, t, k->S, k->ctx, true);
        return;
    }
    bag_free(th, t->bag);
    t->bag = 0;
    t->loc = 0;
    t->birth = k->birth;
    if (before->flags & TASK_INHERIT) {
        struct on_span *v = bag_at(th, &t->bag, before->ctx->id);
        if (v)
            v->span_local += before->loc;
        before->loc = 0;
    }
    critical_append(th, t, before);
    block_free(th, before);
    t->S = t->blk = k->S;
    t->late = k->S - k->birth;
    ASSERT(task_is_valid(t));
}

void engine_after(struct thread *th, struct task *t, const struct kept *k)
{
    struct lengths len = kept_lengths(k);
    lengths_max_burdened(&t->len, &len, !(t->flags & TASK_CALL));
    bool later = k->S > t->S;
    if (later)
        critical_follow_kept(th, t, k);
    const struct kept_more *more = kept_more(k);
    if (__builtin_expect(more != 0, 0)) {
        whatif_max(th, &t->scaled, more->scaled);
        if (DAGREC_ON)
            dagrec_get(th, t, more->event, later, DAGREC_DEPEND);
    }
}

bool kept_longer(const struct kept *k, const struct kept *than)
{
    return !than || critical_is_longer(k->S, k->seq, than->S, than->seq);
}

bool kept_covers(const struct kept *a, const struct kept *b)
{
    return a->S >= b->S && a->L >= b->L && a->K >= b->K && !kept_more(a) && !kept_more(b) &&
           a->S - a->more / 2 >= b->S - b->more / 2;
}

static __attribute__((noinline)) void join_more(struct thread *th, struct task *t,
                                                const struct kept *k,
                                                const struct kept_more *more)
{
    whatif_max(th, &t->scaled, more->scaled);
    if (DAGREC_ON)
        dagrec_join_kept(th, t, more->node, more->event, k->S > t->S ? k->S : 0);
}

void engine_join_kept(struct thread *th, struct task *t, const struct kept *k, struct scope *joined)
{
    const struct kept_more *more = kept_more(k);
    struct lengths len = kept_lengths(k);
    lengths_max(&t->len, &len);
    if (__builtin_expect(more != 0, 0))
        join_more(th, t, k, more);
    if (k->S <= t->S)
        return;
    for (const struct prefix *p = k->birth < t->blk ? joined->prefixes : 0; p; p = p->next)
        if (k->birth >= p->blk && k->birth <= p->end) {
            /* the scope keeps the prefix: other tasks that were born there will be joined later */
            critical_jump(th, t, k->S, k->ctx, true);
            return;
        }
    struct task *c = stand_in(th, k);
    if (!c) {
        critical_jump(th, t, k->S, k->ctx, true);
        return;
    }
    critical_adopt(th, t, c, joined);
    bag_free(th, c->bag);
    c->bag = 0;
    block_free(th, c);
}
