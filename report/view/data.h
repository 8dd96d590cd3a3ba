/* data.h - the data of the page: the profile as JSON, and what only the page needs. */
#ifndef REPORT_VIEW_DATA_H
#define REPORT_VIEW_DATA_H

#include <stdbool.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "bench/bench.h"
#include "output/options.h"

struct json_t;

/* A new reference. T, BENCH may be NULL. SOURCE: with lines of the program's source. */
struct json_t *view_data(const struct model *m, const struct paths *t, const struct options *o,
                         bool source, const struct factored *bench);
/* A new reference: the costs in the profile BEFORE of the paths of T, of profile FILE. NULL, after
 * a line on stderr: it cannot be compared. */
struct json_t *view_before(const char *file, const char *before, const struct paths *t,
                           const struct options *o);

#endif
