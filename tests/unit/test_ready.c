/* test_ready.c - how many tasks are ready: the count, and its bins of time, with a clock of the
 * test's own. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include "by_hand.h"
#include "sampling/ready.h"

static struct ready ready;
static struct ready_bin sum[TIMELINE_BINS];

static void setup(void)
{
    timeline_width = 100;
}

TestSuite(ready, .init = setup);

static void is(struct ready_bin b, uint64_t samples, uint64_t all, uint64_t most)
{
    cr_expect_eq(b.samples, samples);
    cr_expect_eq(b.sum, all);
    cr_expect_eq(b.most, most);
}

Test(ready, a_bin_has_its_counts)
{
    ready_add(&ready, 0, 7);
    ready_add(&ready, 99, 3);
    ready_add(&ready, 100, 0);
    ready_sum(&ready, 0, sum);
    is(sum[0], 2, 10, 7);
    is(sum[1], 1, 0, 0);
    is(sum[2], 0, 0, 0);
}

Test(ready, pairs_become_one)
{
    for (uint32_t i = 0; i < TIMELINE_BINS; i++)
        ready_add(&ready, i * 100ull, i);
    ready_add(&ready, TIMELINE_BINS * 100ull, 5);
    cr_assert_eq(ready.shift, 1);
    ready_sum(&ready, 1, sum);
    is(sum[0], 2, 1, 1);
    is(sum[7], 2, 29, 15);
    is(sum[TIMELINE_BINS / 2], 1, 5, 5);
    memset(sum, 0, sizeof sum);
    ready_sum(&ready, 3, sum);  /* the run's other rows have wider bins */
    is(sum[0], 8, 28, 7);
    memset(sum, 0, sizeof sum);
    ready_add(&ready, 100ull * TIMELINE_BINS * 64, 9);  /* a process that was stopped for long */
    ready_sum(&ready, ready.shift, sum);
    uint64_t samples = 0;
    for (uint32_t i = 0; i < TIMELINE_BINS; i++)
        samples += sum[i].samples;
    cr_assert_eq(samples, TIMELINE_BINS + 2);
    memset(sum, 0, sizeof sum);
    ready_sum(&ready, 0, sum);          /* the writer went on after the run's width was chosen */
    is(sum[TIMELINE_BINS - 1], 1, 9, 9);
}

/* A reader sees the three figures of a bin together. */
static void *reads(void *p)
{
    for (int i = 0; i < 2000; i++) {
        static struct ready_bin seen[TIMELINE_BINS];
        memset(seen, 0, sizeof seen);
        ready_sum(&ready, 40, seen);
        *(uint64_t *)p += seen[0].sum != 3 * seen[0].samples;
    }
    return 0;
}

Test(ready, a_reader_beside_the_writer)
{
    uint64_t torn = 0;
    pthread_t t;
    pthread_create(&t, 0, reads, &torn);
    for (uint64_t i = 0; i < 300000; i++)
        ready_add(&ready, i * 40, 3);
    pthread_join(t, 0);
    cr_assert_eq(torn, 0);
}

/* What is spawned is ready until it begins, or is discarded; a call and a held task never are. */
Test(ready, spawned_and_not_begun)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *s = scope_own(th, root);
    struct context *ctx = context_of(context_root, 2);
    struct task *a = engine_spawn(th, s, ctx, 0), *b = engine_spawn(th, s, ctx, 0);
    cr_expect_eq(ready_now(), 2);
    engine_pause(th);
    engine_begin(th, b);
    cr_expect_eq(ready_now(), 1);
    engine_end(th);
    engine_resume(th, root);
    cr_expect_eq(ready_now(), 1);
    engine_discard(th, a);
    cr_expect_eq(ready_now(), 0);
    struct task *call = engine_spawn(th, s, ctx, TASK_CALL);
    engine_interrupt(th, call);
    cr_expect_eq(ready_now(), 0);
    engine_end_into(th, root);
    engine_discard(th, engine_spawn(th, s, ctx, TASK_CALL));
    cr_expect_eq(ready_now(), 0);
    struct task *held = engine_spawn(th, s, ctx, 0);
    engine_hold(th);
    cr_expect_eq(ready_now(), 0);
    engine_interrupt(th, held);
    engine_held_begun(th);
    cr_expect_eq(ready_now(), 0);
    engine_end_into(th, root);
    held = engine_spawn(th, s, ctx, 0);
    engine_hold(th);
    engine_held_discard(th);
    engine_discard(th, held);
    cr_expect_eq(ready_now(), 0);
    uint64_t unknown;
    cr_expect(ready_tasks(&unknown), "a was no call");
    cr_expect_eq(unknown, 0);
    engine_join(th, s);
}
