/* test_whatif.c - samples behind what-if scenarios (whatif/whatif.h): a late one counts as one. */
#include <criterion/criterion.h>
#include "whatif/whatif.h"

/* 57 samples of weight 4 have the information of 57 samples, not of 228. */
Test(whatif, equal_samples)
{
    cr_expect_eq(whatif_equal(0, 0), 0);
    cr_expect_eq(whatif_equal(60, 60), 60);
    cr_expect_eq(whatif_equal(4, 16), 1);
    cr_expect_eq(whatif_equal(57 * 4, 57 * 16), 57);
    cr_expect_eq(whatif_equal(15 + 50, 15 + 2500), 1);
}

/* The square of a sum may have more than 64 bits. Threads count without a lock, so the sum of
 * squares may be the smaller one. */
Test(whatif, limits)
{
    cr_expect_eq(whatif_equal(1ull << 40, 1ull << 42), 1ull << 38);
    cr_expect_eq(whatif_equal(7, 3), 7);
}
