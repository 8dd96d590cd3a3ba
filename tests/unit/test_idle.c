/* test_idle.c - intervals of idle time: their buckets, what they count for, and that a snapshot has
 * all idle time in one of them. */
#include <criterion/criterion.h>
#include "by_hand.h"
#include "dag/idle.h"
#include "engine/between.h"
#include "output/sections.h"

static uint64_t ticks_of(uint64_t ns)
{
    return clock_ns_to_ticks(ns);
}

/* The bounds are powers of two of ns; the clock's rate may change by some parts in a thousand. */
Test(idle, buckets_are_octaves)
{
    engine_start("tsc", 0);
    cr_assert_eq(idle_bucket(0), 0u);
    cr_assert_eq(idle_bucket(ticks_of(120)), 0u);
    for (unsigned b = 1; b < IDLE_BUCKETS; b++) {
        uint64_t from = 1ull << (IDLE_LEAST + b);
        cr_assert_eq(idle_bucket(ticks_of(from + from / 16)), b, "%lu ns", from);
        cr_assert_eq(idle_bucket(ticks_of(2 * from - from / 16)), b, "below %lu ns", 2 * from);
    }
    cr_assert_eq(idle_bucket(ticks_of(60000000000u)), IDLE_BUCKETS - 1u);
    cr_assert_eq(idle_bucket(UINT64_MAX / 2), IDLE_BUCKETS - 1u);
}

/* The running strand of TH has begun TICKS after the last one. */
static void gap(struct thread *th, uint64_t ticks)
{
    th->idle_since = th->strand_tsc - ticks;
}

static uint64_t counted(const struct snapshot *s)
{
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < s->idle.count; i++)
        for (unsigned b = 0; b < IDLE_BUCKETS; b++)
            ticks += s->idle.found[i].interval[b].ticks;
    for (unsigned k = 0; k < IDLE_KINDS - IDLE_CONTEXTS; k++)
        for (unsigned b = 0; b < IDLE_BUCKETS; b++)
            ticks += s->idle.outside[k].interval[b].ticks;
    return ticks;
}

Test(idle, intervals_count_for_what_ended_them)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    uint64_t t = ticks_of(5000);                /* 4096 .. 8192 ns */
    unsigned b = 12 - IDLE_LEAST;
    struct context *ctx = context_of(context_root, 1);
    cr_assert_null(idle_of(th, ctx->id, IDLE_WAIT));

    gap(th, t);
    between_was_wait_for(th, ctx, th->strand_tsc - t / 4);
    const struct idle *wait = idle_of(th, ctx->id, IDLE_WAIT);
    cr_assert_not_null(wait);
    cr_assert_eq(wait->interval[b].count, 1u);
    cr_assert_eq(wait->interval[b].ticks, t);
    cr_assert_eq(wait->latency.count, 1u);
    cr_assert_eq(wait->latency.ticks, t / 4);

    /* the same gap again is no interval */
    between_was_wait_for(th, ctx, th->strand_tsc - t / 4);
    cr_assert_eq(wait->interval[b].count + wait->interval[0].count, 1u);
    cr_assert_eq(wait->latency.count, 1u);

    /* work that was there before the thread was idle has waited since then */
    gap(th, t);
    between_was_before(th, th->strand_tsc - 3 * t);
    const struct idle *work = idle_of(th, context_root->id, IDLE_WORK);
    cr_assert_eq(work->interval[b].ticks, t);
    cr_assert_eq(work->latency.ticks, t);

    /* only the part until the strand was ready */
    gap(th, 4 * t);
    between_was_idle_until(th, th->strand_tsc - 3 * t, IDLE_WORK);
    cr_assert_eq(work->interval[b].count, 2u);
    cr_assert_eq(work->interval[b].ticks, 2 * t);

    /* the first of the thread */
    gap(th, t);
    th->life_since = th->idle_since;
    between_was_idle(th);
    const struct idle *start = idle_of(th, 0, IDLE_START);
    cr_assert_not_null(start);
    cr_assert_eq(start->interval[b].ticks, t);
    cr_assert_null(idle_of(th, context_root->id, IDLE_WAIT));

    uint64_t idle = th->idle_between_tsc;
    cr_assert_eq(idle, 4 * t);
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_assert_eq(counted(&s), idle);
    snapshot_free(&s);
}

/* What a thread has not counted is its time at the end. */
Test(idle, rest_is_at_the_end)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    uint64_t t = ticks_of(3000000);
    gap(th, t);
    between_was_idle(th);
    th->idle_between_tsc += 2 * t;              /* as without memory for its record */
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    const struct idle *end = &s.idle.outside[IDLE_END - IDLE_CONTEXTS];
    cr_assert_eq(end->interval[idle_bucket(2 * t)].ticks, 2 * t);
    cr_assert_eq(counted(&s), 3 * t);
    snapshot_free(&s);
}

/* The parts of a time are rounded down one by one; their sum is to be that of the time. */
Test(idle, sections_add_up)
{
    const struct clock_rate rate = { 3, 7 };
    for (uint64_t i = 0; i < 7 * 7 * 7 * 2; i++) {
        struct snapshot s = { .search_tsc = i % 7, .sleep_tsc = 20 + i / 7 % 7 };
        s.idle.own = i / 49 % 7;
        s.idle.off_dispatch = s.sleep_tsc + s.idle.own + (i < 343 ? 0 : s.search_tsc);
        struct sections f = { .strings = { 0 } };
        sections_idle(&f, &s, rate);
        const struct lpf_idle_sum *sum = (const struct lpf_idle_sum *)f.idle_sum.data;
        const struct lpf_idle *e = (const struct lpf_idle *)f.idle.data;
        uint64_t all = sum->off_dispatch_ns;
        for (size_t k = 0; k < f.idle.used / sizeof *e; k++)
            all += e[k].ns;
        cr_assert_eq(all, clock_ns(rate, s.search_tsc) + clock_ns(rate, s.sleep_tsc) +
                              sum->own_ns);
        sections_release(&f);
    }
}
