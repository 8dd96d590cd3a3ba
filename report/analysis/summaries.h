/* summaries.h - the summaries of several profiles, one after the other. Most are of one program:
 * the files of its modules are read once.
 */
#ifndef REPORT_ANALYSIS_SUMMARIES_H
#define REPORT_ANALYSIS_SUMMARIES_H

#include <stdbool.h>
#include "analysis/summary.h"
#include "profile/profile.h"

/* All 0 at first. */
struct summaries {
    struct profile *profile;    /* the last one; NULL: none yet */
    struct symbols *symbols;    /* its; NULL: its summary is open */
};

/* Opens the profile PATH and sets *M to its summary, as summary_new does. M->profile is valid until
 * the next call, or summaries_free. False: there is no such profile; profile_open printed why. The
 * summary before must be closed. */
bool summaries_open(struct summaries *s, const char *path, bool raw, struct summary *m);
void summaries_close(struct summaries *s, struct summary *m);
void summaries_free(struct summaries *s);

#endif
