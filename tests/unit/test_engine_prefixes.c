/* test_engine_prefixes.c - the engine by hand: tasks born in many blocks of one strand. A path to a
 * task is a prefix of its creator's path up to the birth; a scope keeps few of them.
 */
#include <criterion/criterion.h>
#include "by_hand.h"

Test(engine, discard_costs_nothing)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    th->clock.virtual_now += 10;
    struct task *t = engine_spawn(th, scope_own(th, root), context_of(context_root, 1), 0);
    engine_discard(th, t);
    engine_join(th, scope_own(th, root));
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_expect_eq(s.span, 10);
    cr_expect_eq(s.work, 10);
    cr_expect_eq(s.spawns, 0);
    cr_expect_eq(s.tasks, 0);
    cr_expect_eq(s.len.L + s.len.K * BURDEN, 10, "got %lu + %lu burdens", s.len.L, s.len.K);
}

/* 100 children, each born in a block of its own; child LONGEST is on the critical path. If there
 * are more prefixes than a scope keeps, the split is approximate and the snapshot counts that. The
 * span is exact all the same. */
static void many_blocks(unsigned longest, uint32_t first)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur, *x[100];
    root->block = first;
    struct scope *k = scope_new(th, 0);
    struct context *long_one = context_of(context_root, 2), *step = context_of(context_root, 1);
    for (unsigned i = 0; i < 100; i++) {
        x[i] = engine_spawn(th, k, context_of(context_root, 2), 0);
        child_begin(th, scope_own(th, root), 1);
        child_end(th, root, 10);
        engine_join(th, scope_own(th, root));
        th->clock.virtual_now += 1;
    }
    engine_pause(th);
    for (unsigned i = 0; i < 100; i++) {
        engine_begin(th, x[i]);
        th->clock.virtual_now += i == longest ? 100000 : 1;
        engine_end(th);
    }
    engine_resume(th, root);
    engine_join(th, k);
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_assert_eq(s.span, longest * 11 + 100000);
    cr_assert_eq(s.work, 100 * 11 + 99 + 100000);
    cr_assert_eq(span_sum(&s), s.span);
    if (!s.approximate) {
        cr_assert_eq(on_span_of(&s, long_one), 100000);
        cr_assert_eq(on_span_of(&s, step), longest * 10);
        cr_assert_eq(on_span_of(&s, context_root), longest * 1);
    } else {
        cr_assert_gt(s.lost[LOSS_PREFIX], 0);
    }
    cr_assert(longest != 10 || !s.approximate);
    cr_assert_eq(root->fresh, 0);
}

Test(engine, prefixes_few) { many_blocks(10, 0); }
Test(engine, prefixes_many) { many_blocks(80, 0); }
Test(engine, prefixes_last) { many_blocks(99, 0); }

/* A strand that has adopted as many children as 31 or 32 bits can count. */
Test(engine, blocks_2_31) { many_blocks(10, INT32_MAX - 5); }
Test(engine, blocks_2_32) { many_blocks(10, UINT32_MAX - 5); }

/* Block numbers wrap. In the last block before that, a scope that nothing was spawned into has no
 * births; a scope that had births 2^32 blocks ago has none in this block. */
Test(engine, blocks_that_come_again)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = scope_new(th, 0), *empty = scope_new(th, 0);
    engine_spawn(th, k, context_of(context_root, 2), 0);
    cr_assert_eq(root->fresh, 1);
    uint32_t born = k->born_block;
    root->block = born - 3;     /* after 2^32 - 2 more */
    root->fresh = 0;
    for (unsigned i = 0; i < 4; i++) {
        engine_spawn(th, empty, context_of(context_root, 2), 0);
        cr_assert_leq(root->fresh, 1);
        child_begin(th, scope_own(th, root), 1);
        child_end(th, root, 10);
        engine_join(th, scope_own(th, root));
        cr_assert_eq(root->fresh, 0, "a new block, %u scopes with births in it", root->fresh);
        for (const struct scope *s = root->scopes; s; s = s->owner_next)
            cr_assert_neq(s->born_block, root->block + 1, "births in a block that has just begun");
    }
}
