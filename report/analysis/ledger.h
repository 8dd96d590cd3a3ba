/* ledger.h - where the time of the worker slots went: rows that add up to it. */
#ifndef REPORT_ANALYSIS_LEDGER_H
#define REPORT_ANALYSIS_LEDGER_H

#include <stdbool.h>
#include "analysis/model.h"
#include "analysis/paths.h"

/* ns. ALL is worker slots times elapsed; where there were more threads than slots (CROWD), some of
 * which can only have waited for the CPU, the threads' time. all = work + inside + between + search
 * + sleep + blocked + own + absent, but for the errors of the clocks. */
struct ledger {
    bool known; /* false: the clock does not count time */
    bool crowd;
    double all;
    double work;            /* the program's own code */
    double inside, between; /* the runtime's: in strands, by samples; and between them */
    double search, sleep;   /* without a strand, on the CPU and off it */
    double ready;           /* of SLEEP: others had the processors; estimated, 0: not known */
    double blocked;         /* off the CPU in strands */
    double own;             /* libprof itself */
    double absent;          /* slots that no thread was there for */
};

/* T may be NULL: all work is the program's then. */
struct ledger ledger_of(const struct model *m, const struct paths *t);

static inline double ledger_idle(const struct ledger *l)
{
    return l->search + l->sleep + l->absent;
}

#endif
