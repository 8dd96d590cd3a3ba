/* merged.h - profiles summed up into one.
 *
 * The sum is a profile again (merged_view), so that sums are merged by what merges profiles. The result depends on the order of the
 * profiles, which says whose names come first, and not on how they were grouped: (a b) (c d) is ((a b) c) d.
 * RULES: every sum stops at the largest number; a profile that was checked by profile_open cannot make an unchecked one.
 */
#ifndef REPORT_PROFILE_SUM_H
#define REPORT_PROFILE_SUM_H

#include "profile/profile.h"

struct merged;

/* MODE: enum lpf_merge_mode. */
struct merged *merged_new(uint32_t mode);
void merged_free(struct merged *m);

/* Adds P, whose costs must be of the same clock and unit as all others'. */
void merged_add(struct merged *m, const struct profile *p);
/* Adds what FROM has, whose profiles follow M's. */
void merged_join(struct merged *m, struct merged *from);
/* M as a profile that lives until the next merged_add. FINISHED: nothing is added after this: it says what only the whole knows. */
void merged_view(struct merged *m, struct profile *out, bool finished);

#endif
