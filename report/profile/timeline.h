/* timeline.h - what the threads did over the run, in bins of time. All figures are samples: where a
 * bin has none, nothing is known. */
#ifndef REPORT_PROFILE_TIMELINE_H
#define REPORT_PROFILE_TIMELINE_H

#include <stdbool.h>
#include "profile/profile.h"

enum timeline_kind {
    TIMELINE_WORK,              /* in strands, by whose code the innermost frame is */
    TIMELINE_OVERHEAD,
    TIMELINE_OWN,
    TIMELINE_BETWEEN,           /* on the CPU, in no strand */
    TIMELINE_BLOCKED,           /* off the CPU, in strands */
    TIMELINE_ASLEEP,            /* off the CPU, in no strand */
    TIMELINE_KINDS
};

/* The kinds' names in JSON. */
extern const char *const timeline_names[TIMELINE_KINDS];

/* The samples of one kind in B; and the ns for which one of them stands. */
uint32_t timeline_count(const struct lpf_timeline_bin *b, enum timeline_kind kind);
uint64_t timeline_sample_ns(const struct profile *p, enum timeline_kind kind);

/* How many of P's samples with times are of KIND, and of how many they are. P has some. */
struct timed_part {
    uint64_t kept, seen;
};
struct timed_part timeline_timed(const struct profile *p, enum lpf_timed_kind kind);
/* The first and the last bin of what S stands for. P has S. */
struct timed_bins {
    uint32_t first, last;
};
struct timed_bins timeline_bins_of(const struct profile *p, const struct lpf_timed_sample *s);

/* The counts of ready tasks in some bins. */
struct timeline_ready {
    double sum;
    uint64_t samples, most;
};
static inline void timeline_ready_add(struct timeline_ready *n, const struct lpf_ready_bin *b)
{
    n->sum += b->sum;
    n->samples += b->samples;
    n->most = b->most > n->most ? b->most : n->most;
}
/* N has samples. */
static inline double timeline_ready_mean(const struct timeline_ready *n)
{
    return n->sum / n->samples;
}
/* Those of all bins. */
struct timeline_ready timeline_ready_all(const struct profile *p);

/* For profile_open: are P's timeline, its samples with times, and its numbers of ready tasks within
 * bounds? The second and the third are called after the first. */
bool timeline_check(const struct profile *p);
bool timeline_check_timed(const struct profile *p);
bool timeline_check_ready(const struct profile *p);

#endif
