/* by_rules.h - S of all ranks by the rules alone, where the order of messages is fixed. Each rank
 * computes them, and asserts that what the messages carried is the same.
 */
#ifndef TESTS_MPI_BY_RULES_H
#define TESTS_MPI_BY_RULES_H

#include "oracle.h"

static int64_t s[RANKS_MAX];    /* less `base` */
#define AS_COMPUTED() CHECK_EQUAL(now(), s[rank])

static UNUSED int next(int r)
{
    return (r + 1) % ranks;
}

static UNUSED int previous(int r)
{
    return (r + ranks - 1) % ranks;
}

static UNUSED void none_yet(void)
{
    memset(s, 0, sizeof s);
}

/* Step N on all ranks, in both reckonings. */
static UNUSED void all_step(int n)
{
    step(n);
    for (int r = 0; r < ranks; r++)
        s[r] += cost_of(r, n);
}

#endif
