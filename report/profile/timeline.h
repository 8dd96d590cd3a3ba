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

/* For profile_open: is P's timeline within bounds? */
bool timeline_check(const struct profile *p);

#endif
