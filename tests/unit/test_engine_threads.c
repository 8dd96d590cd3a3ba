/* test_engine_threads.c - the engine by hand: root strands that nobody joins, and off-CPU gaps
 * around profiler overhead.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <time.h>
#include <x86intrin.h>
#include "by_hand.h"
#include "dag/own.h"

/* Profiler overhead begins with a reading of the clock, which may find an off-CPU gap: that gap is
 * the strand's blocked time. A gap inside the overhead is blocked time, too, and no overhead. */
Test(engine, own_time_tells)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    engine_cut(th);
    uint64_t before = __rdtsc(), blocked = thread_blocked(th, 0);
    struct timespec nap = { 0, 20000000 };
    nanosleep(&nap, 0);
    struct own own = own_from(th);
    uint64_t wall = __rdtsc() - before;
    blocked = thread_blocked(th, 0) - blocked;
    cr_expect_eq(th->clock.off, 0);
    cr_expect_gt(blocked, wall / 2, "%lu of %lu", blocked, wall);
    blocked = thread_blocked(th, 0);
    before = th->cur->own;
    nanosleep(&nap, 0);
    own_until_now(th, own, 0, 0);
    engine_cut(th);
    cr_expect_eq(th->clock.off, 0);
    cr_expect_gt(thread_blocked(th, 0), blocked);
    cr_expect_lt(th->cur->own - before, wall / 10, "what libprof does is no strand's");
}

/* A thread whose root strand nobody joins, and which ends: its work counts, its span competes. */
static void *unknown_thread(void *cost)
{
    struct thread *th = engine_self();
    th->clock.virtual_now += *(uint64_t *)cost;
    engine_thread_exit(th);
    return 0;
}

Test(engine, unknown_threads)
{
    engine_fresh(0);
    thread_self_->clock.virtual_now += 60;
    for (uint64_t i = 1; i <= 20; i++) {
        pthread_t t;
        uint64_t cost = i * 10;
        pthread_create(&t, 0, unknown_thread, &cost);
        pthread_join(t, 0);
    }
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_assert_eq(s.work, 60 + 10 * 210);
    cr_assert_eq(s.span, 200);
    cr_assert_eq(span_sum(&s), 200);
    uint32_t slots = 0;
    for (struct thread *th = engine_threads; th; th = th->next)
        slots++;
    cr_assert_eq(slots, 2, "an ended thread's state is used again");
}
