/* test_engine_sums.c - the engine by hand: what it sums over many strands. Regions, the histogram
 * of steals, and checkpoints that are taken while other threads run.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include "by_hand.h"
#include "engine/burden.h"
#include "engine/divide.h"

/* More steals than 32 bits can count. */
Test(engine, steals_2_32)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    th->steal_histogram[40] = 3ull << 31;
    th->steal_histogram[80] = 1ull << 30;
    th->steal_samples = (3ull << 31) + (1ull << 30);
    burden_setup(0, 1);
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_assert_eq(s.burden, 1024 + 128, "the median lies in the first bucket, not at %lu", s.burden);
}

Test(engine, regions)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    for (unsigned i = 0; i < 3; i++) {
        th->clock.virtual_now += 3;
        region_start(th, "r");
        region_start(th, "r");   /* nested: the outermost counts */
        th->clock.virtual_now += 10;
        child_begin(th, scope_own(th, root), 1);
        child_end(th, root, 100);
        child_begin(th, scope_own(th, root), 2);
        child_end(th, root, 50 + i);
        engine_join(th, scope_own(th, root));
        region_stop(th, "r");
        th->clock.virtual_now += 1;
        region_stop(th, "r");
    }
    cr_assert_eq(engine_regions->count, 3);
    cr_assert_eq(engine_regions->work, 3 * 161 + 0 + 1 + 2);
    cr_assert_eq(engine_regions->span, 3 * 111);
    cr_assert_eq(engine_regions->max_span, 111);
    cr_assert_eq(engine_regions->len.L, 3 * 111);
    cr_assert_eq(engine_regions->len.K, 3);
    cr_assert_eq(th->lost[LOSS_REGION], 0);
}

/* Before its join, a task that has ended is on no path that a checkpoint knows. The span is at
 * least its cost. */
Test(engine, checkpoint_before_a_join)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct context *site = context_of(context_root, 2);
    th->clock.virtual_now += 10;
    for (unsigned i = 0; i < 3; i++) {
        child_begin(th, scope_own(th, root), i);
        child_end(th, root, 100 * (i + 1));
    }
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, false), 0);
    cr_expect_eq(s.span, 300);
    cr_expect_eq(s.len.D, 300);
    cr_expect_geq(s.len.L, 300);
    cr_expect_eq(s.on_span[site->id].span_local, 300);
    snapshot_free(&s);
    engine_join(th, scope_own(th, root));
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_expect_eq(s.span, 310);
}

/* Two iterations a chunk, and one unit of cost, which cannot be divided: D is S. */
static void *chunk_after_chunk(void *stop)
{
    struct thread *th = thread_self();
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
        engine_divide_begin(th, 2);
        th->clock.virtual_now += 1;
        engine_divide_end(th);
    }
    thread_exit(th);
    return 0;
}

/* A checkpoint's figures fit each other, as a reader of the file relies on, however far the threads
 * come while it is taken. */
Test(engine, checkpoints_of_chunks, .timeout = 120)
{
    engine_fresh(0);
    bool stop = false;
    pthread_t t;
    pthread_create(&t, 0, chunk_after_chunk, &stop);
    uint64_t last = 0, grew = 0, few = 0, shorter = 0;
    for (unsigned i = 0; i < 100000; i++) {
        struct snapshot s;
        cr_assert_eq(snapshot_take(&s, false), 0);
        grew += s.chunks > last;
        last = s.chunks;
        few += s.chunks_divided > s.chunks;
        shorter += s.len.D > s.span;
        snapshot_free(&s);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(t, 0);
    cr_assert_gt(grew, 100);
    cr_expect_eq(few, 0, "more chunks divided than there are: %lu times", few);
    cr_expect_eq(shorter, 0, "the divided span is longer than the span: %lu times", shorter);
}
