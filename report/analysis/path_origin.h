/* path_origin.h - where a function runs: who calls it, and the tasks of which spawn site it is in.
 */
#ifndef REPORT_ANALYSIS_PATH_ORIGIN_H
#define REPORT_ANALYSIS_PATH_ORIGIN_H

#include "analysis/paths.h"

/* The caller and the site of most of a function's cost, as far as its samples show which these
 * are. */
struct path_origin {
    /* the program's function that called it in the same task; NULL: the task executes it first, or
     * the caller is not known */
    const struct path_node *caller;
    int line;                   /* of the caller's call; 0: several, or not known */
    const struct row *site;     /* NULL: outside every task, several sites, or not known */
    double share;               /* of the function's cost, 0 to 1; 0: it has none */
    double margin;              /* of SHARE (95 %); 0: it is exact */
    const struct row *likely;   /* the site of most, by however little; NULL: outside every task */
};

/* Of R's cost by METRIC, one of path_metrics. */
struct path_origin path_origin(const struct paths *t, const struct path_row *r,
                               const char *metric);
/* Does CALLER, R's, call another function where R's frame is below its own? Then frames are
 * missing: the function that it calls ended with a jump. Nothing is known of calls through
 * pointers, nor of the system's functions, whose names are not those that are called. */
bool path_origin_is_below(const struct paths *t, const struct path_row *r,
                          const struct path_node *caller);

#endif
