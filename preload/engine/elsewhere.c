/* elsewhere.c - see elsewhere.h. */
#include "engine/elsewhere.h"
#include "engine/divide.h"
#include "engine/rules.h"
#include "base/forbid.h"

/* Takes the entry of CTX out of BAG. */
static void without(struct bag *bag, const struct context *ctx)
{
    for (uint32_t i = 0; bag && i < bag->count; i++)
        if (bag->e[i].context == ctx->id) {
            memmove(&bag->e[i], &bag->e[i + 1], (bag->count - i - 1) * sizeof bag->e[0]);
            bag->count--;
        }
}

/* T's path is all of CTX, to S. */
static void begin_anew(struct thread *th, struct task *t, uint64_t S, struct context *ctx)
{
    t->bag = 0;
    struct on_span *v = bag_at(th, &t->bag, ctx->id);
    if (v)
        v->span_local = S;
    t->loc = v ? 0 : S;
    t->S = t->blk = S;
    task_block_next(t);
    ASSERT(task_is_valid(t));
}

bool engine_after_elsewhere(struct thread *th, struct task *t, const struct elsewhere *e,
                            struct context *ctx, struct made_of *left)
{
    *left = (struct made_of){ 0 };
    divide_end_cut(th, t);
    lengths_max(&t->len, &e->len);
    if (e->S <= t->S)
        return false;
    if (t->birth) {
        critical_jump(th, t, e->S, ctx, true);
        return true;
    }
    if (t->fresh)
        prefixes_save(th, t);
    samples_settle(th, t, t->S);
    left->own = t->loc + (t->S - t->blk);
    left->bag = t->bag;
    without(left->bag, ctx);
    if (left->bag && !left->bag->count) {       /* as most stretches' between two messages */
        bag_free(th, left->bag);
        left->bag = 0;
    }
    begin_anew(th, t, e->S, ctx);
    return true;
}

void made_of_copy(struct thread *th, const struct task *t, const struct context *ctx,
                  struct made_of *of)
{
    of->bag = bag_copy(th, t->bag);
    of->own = t->bag && !of->bag ? 0 : t->loc + (t->S - t->blk);
    if (of->bag && of->bag->fresh_count)
        bag_samples_settle(th, &of->bag, t->S);
    without(of->bag, ctx);
}

void made_of_set(struct thread *th, struct task *t, struct context *ctx, struct made_of *of)
{
    uint64_t known = bag_span(of->bag) + of->own;
    ASSERT(!t->birth && known <= t->S);
    if (t->fresh)
        prefixes_save(th, t);
    bag_free(th, t->bag);
    t->bag = of->bag;
    t->loc = of->own;
    struct on_span *v = bag_at(th, &t->bag, ctx->id);
    if (v)
        v->span_local += t->S - known;
    else
        t->loc += t->S - known;
    t->blk = t->S;
    task_block_next(t);
    ASSERT(task_is_valid(t));
    *of = (struct made_of){ 0 };
}
