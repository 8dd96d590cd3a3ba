/* certainty.h - how certain a figure is. The words are those of docs/EXACTNESS.md. Work and counts
 * are exact for this run; but the work of a site, with what was joined there, is an upper bound if
 * it may have one task's work several times (LPF_SITE_TOOK_OTHERS). A span is exact, too, unless it
 * depends on decisions of this run, or a dependence is hidden. A cost that samples split has an
 * interval. All else is estimated.
 */
#ifndef REPORT_ANALYSIS_CERTAINTY_H
#define REPORT_ANALYSIS_CERTAINTY_H

#include "analysis/paths.h"
#include "analysis/summary.h"

enum certainty {
    CERTAIN_EXACT,
    CERTAIN_EXECUTED, /* "as executed": by the decisions of this run, as loops were cut */
    CERTAIN_SAMPLED,
    CERTAIN_ESTIMATED,
    CERTAIN_LOWER_BOUND,
    CERTAIN_UPPER_BOUND,
    CERTAIN_NOT, /* not exact: it may be less or more */
    CERTAINTIES
};
extern const char *const certainty_names[CERTAINTIES];

/* Does R's span depend on decisions of this run: on the shares of a region's threads, or on where
 * loops were cut? */
bool certainty_is_executed(const struct summary *m, const struct row *r);

/* The certainty of the program's span, and of the span of the divided dag. */
enum certainty certainty_span(const struct summary *m);
enum certainty certainty_divisible(const struct summary *m);
/* What the program's span is, "a lower bound" or "not exact", or the same with capitals (LOUD);
 * NULL: it is neither. */
const char *certainty_caveat(const struct summary *m, bool loud);
/* Why work and span are estimates, by OWN of all strands; NULL: they are none. So no ratio of them
 * bounds a speedup. The caller frees it. */
char *certainty_estimate(const struct own_share *own);
/* The certainty of the span of R's outermost invocations, with all that they spawned. */
enum certainty certainty_of_row(const struct summary *m, const struct row *r);
/* The same of their work, and of work / span. OWN: much of R's work may be profiler overhead. */
enum certainty certainty_of_row_work(const struct row *r, bool own);
enum certainty certainty_of_row_ratio(enum certainty work, enum certainty span);
/* The certainty of a measured figure, given C. OWN: much of the figure may be profiler overhead. */
enum certainty certainty_of_measured(enum certainty c, bool own);
/* The certainty of work / span, and of other upper bounds, given that of the span. */
enum certainty certainty_of_ratio(enum certainty span);
/* Of how many steals the burden of P's profile is the median, if these are too few to show what a
 * steal takes; 0: they are enough, or no steal was measured. */
unsigned certainty_few_steals(const struct profile *p);
/* Did samples split the cost C of the path, function or line of this name? If not, C is as certain
 * as the program's cost. */
bool certainty_is_sampled(const char *function, const struct path_cost *c);

#endif
