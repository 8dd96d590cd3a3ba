/* path_cells.h - what the tables of functions, lines and call paths have in common: cells of a
 * struct path_cost. */
#ifndef REPORT_TEXT_PATH_CELLS_H
#define REPORT_TEXT_PATH_CELLS_H

#include <stdbool.h>
#include "analysis/paths.h"
#include "layout/table.h"
#include "layout/text_page.h"

/* A table of COLUMNS, with the extra metric's column before them. OUT has room for one more. */
struct table *path_table_new(const struct text_page *g, const struct table_column *columns,
                             unsigned count, struct table_column *out);
/* Adds the four metrics of C as shares of their totals; or, with --effort, as shares of work,
 * overhead and idleness together (Tallent, figure 4). */
void path_table_costs(const struct text_page *g, struct table *t, const struct path_cost *c,
                      bool margin);
/* Adds PART as a percentage of ALL; nothing if it is 0. */
void path_table_share(struct table *t, double part, double all);
/* Adds the margin of C's share of the span, in percentage points; nothing if C has no samples
 * there. */
void path_table_margin(struct table *t, const struct path_cost *c, const struct path_cost *all);
/* Has C none of what a row shows? */
bool path_table_nothing(const struct text_page *g, const struct path_cost *c);
/* Adds "rows.c:12"; LINE 0: "rows.c". FILE may be NULL. */
void path_table_source(struct table *t, const char *file, int line);

#endif
