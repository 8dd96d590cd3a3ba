/* test_timeline.c - bins of time that double in width: with a clock of the test's own. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include "sampling/timeline.h"

static struct timeline line;
static uint64_t sum[TIMELINE_BINS][6];

static void setup(void)
{
    timeline_width = 100;
    memset(&line, 0, sizeof line);
    line.kinds = TIMELINE_ON_KINDS;
    memset(sum, 0, sizeof sum);
}

TestSuite(timeline, .init = setup);

static uint32_t of(uint32_t bin, enum timeline_on_kind kind)
{
    return line.count[bin * TIMELINE_ON_KINDS + kind];
}

static uint64_t total(unsigned kind)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < TIMELINE_BINS; i++)
        all += sum[i][kind];
    return all;
}

Test(timeline, a_bin_has_its_time)
{
    timeline_add(&line, TIMELINE_WORK, 0, 1);
    timeline_add(&line, TIMELINE_WORK, 99, 2);
    timeline_add(&line, TIMELINE_OWN, 100, 5);
    timeline_add(&line, TIMELINE_BETWEEN, TIMELINE_BINS * 100 - 1, 7);
    cr_assert_eq(line.shift, 0);
    cr_assert_eq(of(0, TIMELINE_WORK), 3);
    cr_assert_eq(of(1, TIMELINE_OWN), 5);
    cr_assert_eq(of(TIMELINE_BINS - 1, TIMELINE_BETWEEN), 7);
}

Test(timeline, pairs_are_added_up_when_time_passes_the_last_bin)
{
    for (uint32_t i = 0; i < TIMELINE_BINS; i++)
        timeline_add(&line, TIMELINE_WORK, i * 100ull, i + 1);
    timeline_add(&line, TIMELINE_OVERHEAD, TIMELINE_BINS * 100ull, 1);
    cr_assert_eq(line.shift, 1);
    cr_assert_eq(line.version, 2);
    for (uint32_t i = 0; i < TIMELINE_BINS / 2; i++)
        cr_assert_eq(of(i, TIMELINE_WORK), 4 * i + 3);
    for (uint32_t i = TIMELINE_BINS / 2; i < TIMELINE_BINS; i++)
        cr_assert_eq(of(i, TIMELINE_WORK), 0);
    cr_assert_eq(of(TIMELINE_BINS / 2, TIMELINE_OVERHEAD), 1);
}

Test(timeline, nothing_is_lost_however_long_the_run_is)
{
    uint64_t seed = 1, added = 0, at = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        at += (seed >> 40) << i / 5000;
        timeline_add(&line, TIMELINE_WORK, at, i % 3);
        added += i % 3;
        cr_assert_lt(at / timeline_width >> line.shift, TIMELINE_BINS);
    }
    uint32_t shift = timeline_shift(at);
    cr_assert_eq(shift, line.shift);
    cr_assert(at / timeline_width >> (shift - 1) >= TIMELINE_BINS, "wider than need be");
    timeline_sum(&line, shift, 0, sum);
    cr_assert_eq(total(0), added);
    memset(sum, 0, sizeof sum);
    timeline_sum(&line, shift + 3, 0, sum);
    cr_assert_eq(total(0), added);
    cr_assert_eq(sum[TIMELINE_BINS / 8 + 1][0], 0);
}

/* A thread may sample once more after the run's width was chosen. */
Test(timeline, bins_wider_than_the_sum_s_stay_inside)
{
    timeline_add(&line, TIMELINE_WORK, 0, 1);
    timeline_add(&line, TIMELINE_WORK, 4 * TIMELINE_BINS * 100 - 1, 1);
    timeline_sum(&line, 0, 2, sum);
    cr_assert_eq(sum[0][2], 1);
    cr_assert_eq(sum[TIMELINE_BINS - 1][2], 1);
    cr_assert_eq(total(2), 2);
}

Test(timeline, a_late_sample_is_spread_over_its_time)
{
    struct timelines at = { .on_cpu = &line }, none = { 0 };
    timeline_spread(&at, false, TIMELINE_WORK, 1000, 400, 4);
    for (uint32_t i = 0; i < 10; i++)
        cr_assert_eq(of(i, TIMELINE_WORK), i >= 6);
    timeline_spread(&at, false, TIMELINE_OWN, 50, 1000, 3);
    cr_assert_eq(of(0, TIMELINE_OWN), 3);
    timeline_spread(&at, false, TIMELINE_BETWEEN, 10, 10, 0);
    cr_assert_eq(of(0, TIMELINE_BETWEEN), 0);
    /* a process that was stopped for long */
    timeline_spread(&at, false, TIMELINE_OVERHEAD, 1ull << 40, 1ull << 40, 3600000);
    timeline_sum(&line, line.shift, 0, sum);
    cr_assert_eq(total(1), 3600000);
    timeline_spread(&none, false, TIMELINE_WORK, 50, 10, 0);
    cr_assert_null(none.on_cpu);
    timeline_spread(&none, false, TIMELINE_WORK, 50, 10, 2);
    cr_assert_eq(none.on_cpu->count[TIMELINE_WORK], 2);
}

Test(timeline, so_many_threads_have_one)
{
    static struct timelines all[TIMELINE_ROWS + 10], later;
    for (uint32_t i = 0; i < TIMELINE_ROWS + 10; i++) {
        timeline_spread(&all[i], i % 2, TIMELINE_WORK, 50, 10, 2);
        timeline_spread(&all[i], !(i % 2), TIMELINE_WORK, 50, 10, 3);
        cr_assert_eq(!!all[i].on_cpu, i < TIMELINE_ROWS);
        cr_assert_eq(!!all[i].off_cpu, i < TIMELINE_ROWS);
    }
    cr_assert_eq(timeline_unplaced(), 50);
    timeline_forked(&all[0]);
    cr_assert_eq(timeline_unplaced(), 0);
    cr_assert_eq(all[0].on_cpu->count[TIMELINE_WORK], 0);
    timeline_spread(&all[TIMELINE_ROWS], false, TIMELINE_WORK, 50, 10, 2);
    cr_assert_null(all[TIMELINE_ROWS].on_cpu);
    timeline_spread(&later, false, TIMELINE_WORK, 50, 10, 2);
    cr_assert_not_null(later.on_cpu);
}

/* The reader never sees a pair twice, nor half of one. */
static void *reads(void *p)
{
    static uint64_t seen[TIMELINE_BINS][6];
    uint64_t before = 0;
    for (int i = 0; i < 2000; i++) {
        memset(seen, 0, sizeof seen);
        timeline_sum(&line, 40, 0, seen);
        uint64_t all = 0;
        for (uint32_t k = 0; k < TIMELINE_BINS; k++)
            all += seen[k][0];
        if (all < before)
            *(uint64_t *)p += 1;
        before = all;
    }
    return 0;
}

Test(timeline, is_read_while_it_is_written)
{
    pthread_t reader;
    uint64_t wrong = 0;
    pthread_create(&reader, 0, reads, &wrong);
    for (uint64_t i = 0; i < 3000000; i++)
        timeline_add(&line, TIMELINE_WORK, i * 1000, 1);
    pthread_join(reader, 0);
    cr_assert_eq(wrong, 0);
}
