/* timeline.h - the timeline of a profile, row by row: the main thread first, then the workers, then
 * the program's other threads, each kind by name. */
#ifndef REPORT_ANALYSIS_TIMELINE_H
#define REPORT_ANALYSIS_TIMELINE_H

#include <stddef.h>
#include "profile/timeline.h"

struct timeline_row {
    const struct lpf_timeline_row *row;
    const struct lpf_timeline_bin *bins;        /* COUNT, ascending */
    size_t count;
};

struct timeline {
    const struct profile *p;
    size_t count;
    struct timeline_row *rows;
    uint64_t samples[TIMELINE_KINDS];           /* of all rows */
};

/* P has a timeline. */
void timeline_new(struct timeline *t, const struct profile *p);
void timeline_free(struct timeline *t);

/* "name 1234"; "worker 1234" where the name is not known. The caller frees it. */
char *timeline_label(const struct timeline *t, const struct timeline_row *r);

#endif
