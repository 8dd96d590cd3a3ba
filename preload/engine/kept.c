/* kept.c - dependences between tasks that one strand spawned: a task leaves its path for those that
 * start after it. See edge.h.
 */
#include "engine/rules.h"

struct kept_more {
    uint64_t D;
    uint64_t *scaled;           /* the path in every scenario; owned */
    struct dag_node *node;
    uint32_t event;
};

static struct lengths kept_lengths(const struct kept *k)
{
    return (struct lengths){ .L = k->L, .K = k->K, .D = k->more ? k->more->D : k->S };
}

void engine_keep(struct thread *th, struct task *t, struct kept *k)
{
    *k = (struct kept){ .S = t->S,
                        .L = t->len.L,
                        .K = t->len.K,
                        .birth = t->birth,
                        .late = t->late,
                        .work_local = invocation_work(t),
                        .work = subtree_work(t),
                        .ctx = t->ctx,
                        .flags = t->flags,
                        .seq = t->seq };
    if (__builtin_expect(t->bag != 0, 0)) {
        samples_settle(th, t, t->S);
        k->bag = bag_copy(th, t->bag);
    }
    if (__builtin_expect(t->len.D != t->S || engine_extras, 0) &&
        (k->more = block_new(th, block_class(sizeof *k->more)))) {
        *k->more = (struct kept_more){ .D = t->len.D, .node = t->node };
        whatif_max(th, &k->more->scaled, t->scaled);
        if (DAGREC_ON && !(t->flags & TASK_CALL))   /* a call's spawner goes on after it anyhow */
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

/* A task that ended with K, for path_append and path_adopt, which take its bag. A block: on the
 * program's stack, it would be most of what a hook needs. NULL: no memory. */
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
static void path_follow_kept(struct thread *th, struct task *t, const struct kept *k)
{
    struct task *before = (t->flags ^ k->flags) & TASK_FOREIGN ? 0 : stand_in(th, k);
    if (!before) {
        path_jump(th, t, k->S, k->ctx, true);
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
    path_append(th, t, before);
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

static __attribute__((noinline)) void join_more(struct thread *th, struct task *t,
                                                const struct kept *k)
{
    whatif_max(th, &t->scaled, k->more->scaled);
    if (DAGREC_ON)
        dagrec_join_kept(th, t, k->more->node, k->more->event, k->S > t->S ? k->S : 0);
}

void engine_join_kept(struct thread *th, struct task *t, const struct kept *k, struct scope *joined)
{
    struct lengths len = kept_lengths(k);
    lengths_max(&t->len, &len);
    if (__builtin_expect(k->more != 0, 0))
        join_more(th, t, k);
    if (k->S <= t->S)
        return;
    for (const struct prefix *p = k->birth < t->blk ? joined->prefixes : 0; p; p = p->next)
        if (k->birth >= p->blk && k->birth <= p->end) {
            /* the prefix stays: tasks that were born there are still to be joined */
            path_jump(th, t, k->S, k->ctx, true);
            return;
        }
    struct task *c = stand_in(th, k);
    if (!c) {
        path_jump(th, t, k->S, k->ctx, true);
        return;
    }
    path_adopt(th, t, c, joined);
    bag_free(th, c->bag);
    c->bag = 0;
    block_free(th, c);
}
