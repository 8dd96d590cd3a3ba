/* test_awaited.c - the ranks that a context waited for: a bounded table. */
#include <criterion/criterion.h>
#include "by_hand.h"
#include "dag/awaited.h"

Test(awaited, sums_by_rank)
{
    struct awaited_rank of[AWAITED_RANKS];
    engine_start("tsc", 0);
    cr_assert_eq(awaited_of(7, of), 0u);
    awaited_add(7, 9, 100);
    awaited_add(7, 3, 10);
    awaited_add(7, 9, 1);
    awaited_add(7 + 256, 9, 5);         /* another context, in the same list */
    cr_assert_eq(awaited_of(7, of), 2u);
    cr_assert_eq(of[0].rank, 3u);
    cr_assert_eq(of[0].count, 1u);
    cr_assert_eq(of[0].ticks, 10u);
    cr_assert_eq(of[1].rank, 9u);
    cr_assert_eq(of[1].count, 2u);
    cr_assert_eq(of[1].ticks, 101u);
    cr_assert_eq(awaited_of(7 + 256, of), 1u);
    cr_assert_eq(of[0].ticks, 5u);
}

/* Of 10,000 ranks one has a tenth of the waits, and comes long after all places were taken by
 * longer ones: it is there, with nearly its time. */
Test(awaited, keeps_the_heavy_rank)
{
    enum { RANKS = 10000, HEAVY = 1234, EACH = 10 };
    struct awaited_rank of[AWAITED_RANKS];
    uint64_t sum = 0, heavy = 0, all = 0;
    engine_start("tsc", 0);
    for (uint32_t r = 0; r < AWAITED_RANKS; r++, all += 1000)
        awaited_add(1, RANKS + r, 1000);
    for (uint32_t i = 0; i < 9 * RANKS; i++, all += EACH)
        awaited_add(1, i % 9 ? i * 7919u % RANKS : HEAVY, EACH);
    heavy = (uint64_t)RANKS * EACH;
    uint32_t n = awaited_of(1, of);
    cr_assert_eq(n, AWAITED_RANKS);
    const struct awaited_rank *found = 0;
    for (uint32_t i = 0; i < n; i++) {
        cr_assert(!i || of[i - 1].rank < of[i].rank);
        cr_assert(of[i].ticks <= of[i].weight);
        sum += of[i].ticks;
        found = of[i].rank == HEAVY ? &of[i] : found;
    }
    cr_assert(sum <= all);
    cr_assert_not_null(found);
    cr_assert(found->weight >= heavy);
    cr_assert(found->ticks + all / AWAITED_RANKS >= heavy);
}
