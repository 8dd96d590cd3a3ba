/* sum.h - profiles summed up into one.
 *
 * The sum is a profile again (sum_view), so the same code merges sums. The result depends on the
 * order of the profiles, because the first one's names come first. It does not depend on their
 * grouping: (a b) (c d) is ((a b) c) d. RULES: every sum stops at the largest number; a profile
 * that passed profile_open cannot make one that does not.
 */
#ifndef REPORT_PROFILE_SUM_H
#define REPORT_PROFILE_SUM_H

#include "profile/profile.h"

struct sum;

/* MODE: enum lpf_merge_mode. */
struct sum *sum_new(uint32_t mode);
void sum_free(struct sum *m);

/* Adds P. Its costs must have the same clock and unit as all others'. */
void sum_add(struct sum *m, const struct profile *p);
/* Adds the profiles of FROM, which follow M's. */
void sum_join(struct sum *m, struct sum *from);
/* M as a profile, valid until the next sum_add. FINISHED: nothing is added after this, so the
 * profile gets the notes that need all inputs. */
void sum_view(struct sum *m, struct profile *out, bool finished);

#endif
