/* path_origin.h - where a function runs: who calls it, and the tasks of which spawn site it is in.
 */
#ifndef REPORT_ANALYSIS_PATH_ORIGIN_H
#define REPORT_ANALYSIS_PATH_ORIGIN_H

#include "analysis/paths.h"

/* The caller and the site of most of a function's cost. */
struct path_origin {
    /* the program's function that called it in the same task; NULL: the task executes it first, or
     * the caller is not known */
    const struct path_node *caller;
    const struct row *site;     /* NULL: outside every task, or several sites */
    double share;               /* of the function's cost, 0 to 1; 0: it has none */
};

/* Of R's cost by METRIC, one of path_metrics. */
struct path_origin path_origin(const struct paths *t, const struct path_row *r,
                               const char *metric);

#endif
