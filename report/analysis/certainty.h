/* certainty.h - how surely a figure is known. The words are those of docs/EXACTNESS.md: work and
 * counts are exact; a span is exact, too, unless decisions of this run are in it, or a dependence
 * is hidden; what samples split has an interval; the rest is estimated.
 */
#ifndef REPORT_ANALYSIS_CERTAINTY_H
#define REPORT_ANALYSIS_CERTAINTY_H

#include "analysis/model.h"
#include "analysis/paths.h"

enum certainty {
    CERTAIN_EXACT,
    CERTAIN_EXECUTED, /* by the decisions of this run: loops as they were cut */
    CERTAIN_SAMPLED,
    CERTAIN_ESTIMATED,
    CERTAIN_LOWER_BOUND,
    CERTAIN_UPPER_BOUND,
    CERTAIN_NOT, /* not exact: it may be less or more */
    CERTAINTIES
};
extern const char *const certainty_names[CERTAINTIES];

/* Of the program's span; of that of the divided dag. */
enum certainty certainty_span(const struct model *m);
enum certainty certainty_divisible(const struct model *m);
/* Of the span of R's outermost invocations, with all they spawned. */
enum certainty certainty_of_row(const struct model *m, const struct row *r);
/* May the runtime cut what CONSTRUCT does for the workers that there are? */
bool certainty_cuts_loops(const char *construct);
/* Of a work / span, and of other bounds from above, whose span is as sure as SPAN. */
enum certainty certainty_of_ratio(enum certainty span);
/* Did samples split the cost C of a path, function or line of that name? Else it is as sure as the
 * program's. */
bool certainty_is_sampled(const char *function, const struct path_cost *c);

#endif
