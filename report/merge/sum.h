/* sum.h - profiles added into one.
 *
 * The sum is a profile again (sum_view), so the same code merges sums. The result depends on the
 * order of the profiles, because the first one's names come first. It does not depend on their
 * grouping: (a b) (c d) is ((a b) c) d. Every sum stops at the largest number. If profile_open
 * accepts all profiles, it accepts their sum.
 */
#ifndef REPORT_MERGE_SUM_H
#define REPORT_MERGE_SUM_H

#include "profile/profile.h"

struct sum;

/* A sum of no profiles. MODE: enum lpf_merge_mode. */
struct sum *sum_new(uint32_t mode);
void sum_free(struct sum *m);

/* Adds P. All profiles of a sum must have the same clock and unit. */
void sum_add(struct sum *m, const struct profile *p);
/* Adds the profiles of FROM after those of M. */
void sum_join(struct sum *m, struct sum *from);
/* Sets *OUT to M as a profile. It points into M and is valid until M changes. FINISHED: the caller
 * adds nothing more, so the profile gets the notes that need all inputs. */
void sum_view(struct sum *m, struct profile *out, bool finished);

#endif
