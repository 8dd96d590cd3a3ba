/* sum.h - profiles summed up into one.
 *
 * The sum is a profile again (sum_view), so that sums are merged by what merges profiles. The
 * result depends on the order of the profiles, which says whose names come first, and not on how
 * they were grouped: (a b) (c d) is ((a b) c) d. RULES: every sum stops at the largest number; a
 * profile that was checked by profile_open cannot make an unchecked one.
 */
#ifndef REPORT_PROFILE_SUM_H
#define REPORT_PROFILE_SUM_H

#include "profile/profile.h"

struct sum;

/* MODE: enum lpf_merge_mode. */
struct sum *sum_new(uint32_t mode);
void sum_free(struct sum *m);

/* Adds P, whose costs must be of the same clock and unit as all others'. */
void sum_add(struct sum *m, const struct profile *p);
/* Adds what FROM has, whose profiles follow M's. */
void sum_join(struct sum *m, struct sum *from);
/* M as a profile that lives until the next sum_add. FINISHED: nothing is added after this: it says
 * what only the whole knows. */
void sum_view(struct sum *m, struct profile *out, bool finished);

#endif
