/* ledger.h - where the time of the worker slots went. The rows add up to that time. */
#ifndef REPORT_ANALYSIS_LEDGER_H
#define REPORT_ANALYSIS_LEDGER_H

#include <stdbool.h>
#include "analysis/paths.h"
#include "analysis/summary.h"

/* In ns. ALL is the worker slots times the elapsed time. If there were more threads than slots
 * (CROWD), some of them can only have waited for a CPU, and ALL is the threads' time. Up to errors
 * of the clocks, all = work + inside + between + search + sleep + blocked + own + absent. */
struct ledger {
    bool known; /* false: the clock does not count time */
    bool crowd;
    double all;
    double work;            /* the program's own code */
    double inside, between; /* the runtime: in strands (by samples), and between strands */
    double search, sleep;   /* without a strand: on the CPU, and off it */
    double ready;           /* the part of SLEEP without a free CPU; estimated; 0: not known */
    double blocked;         /* off the CPU in strands */
    double own;             /* libprof itself */
    double absent;          /* slots without a thread */
};

/* If T is NULL, all work counts as the program's own. */
struct ledger ledger_of(const struct summary *m, const struct paths *t);

/* The time of slots without a strand, in ns. */
static inline double ledger_idle(const struct ledger *l)
{
    return l->search + l->sleep + l->absent;
}

#endif
