/* data.h - the data of the page: the profile as JSON, and what the page needs besides. */
#ifndef REPORT_VIEW_DATA_H
#define REPORT_VIEW_DATA_H

#include <stdbool.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "bench/bench.h"
#include "layout/options.h"

struct json_t;

/* The data of M's profile: a new reference. T and BENCH may be NULL. SOURCE: with lines of the
 * program's source. */
struct json_t *view_data(const struct summary *m, const struct paths *t, const struct options *o,
                         bool source, const struct factored *bench);
/* The costs in the profile BEFORE of the paths T of profile FILE: a new reference. NULL after a
 * line on stderr: the two cannot be compared. */
struct json_t *view_before(const char *file, const char *before, const struct paths *t,
                           const struct options *o);

#endif
