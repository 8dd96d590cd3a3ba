/* ledger.h - where the time of the worker slots went. The rows add up to that time. */
#ifndef REPORT_ANALYSIS_LEDGER_H
#define REPORT_ANALYSIS_LEDGER_H

#include <stdbool.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "profile/profile.h"

/* In ns. ALL is the worker slots times the elapsed time. If there were more threads than slots
 * (CROWD), some of them can only have waited for a CPU, and ALL is the threads' time. Up to errors
 * of the clocks, all = work + inside + between + search + sleep + mpi_waits + mpi_transfer +
 * blocked + own + absent. */
struct ledger {
    bool known; /* false: the clock does not count time */
    bool crowd;
    double all;
    double work;            /* the program's own code */
    double inside, between; /* the runtime: in strands (by samples), and between strands */
    double search, sleep;   /* without a strand: on the CPU, and off it */
    double ready;           /* the part of SLEEP without a free CPU; estimated; 0: not known */
    double mpi_waits;       /* in MPI, for other ranks */
    double mpi_transfer;    /* in MPI otherwise */
    double blocked;         /* off the CPU in strands */
    double own;             /* libprof itself */
    double absent;          /* slots without a thread */
    double idle;            /* slots without a strand, and not in MPI */
};

/* If T is NULL, all work counts as the program's own. */
struct ledger ledger_of(const struct summary *m, const struct paths *t);

/* Does L have rows for a job's time in MPI? */
static inline bool ledger_has_mpi(const struct ledger *l, const struct profile *p)
{
    return l->known && p->rank_count > 1;
}

/* The idle time of P, whose ledger is L, as a report shows it. */
static inline double ledger_idle_shown(const struct ledger *l, const struct profile *p)
{
    return ledger_has_mpi(l, p) ? l->idle : profile_idle_ns(p);
}

#endif
