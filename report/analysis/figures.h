/* figures.h - the figures of a program by name, for a command that is asked about one of them: what
 * each is, and what a profile shows of it.
 *
 * Their keys are those of `program`, `ledger` and `job.efficiencies` in docs/JSON.md; mpi_ns is the
 * sum of the four rows of MPI. The idle time of a job is without its time in MPI. A figure may be
 * known in part only. So besides its value it has the least and the most that it may be, by what
 * is known.
 */
#ifndef REPORT_ANALYSIS_FIGURES_H
#define REPORT_ANALYSIS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include "analysis/certainty.h"
#include "analysis/paths.h"
#include "analysis/summary.h"

enum figure {
    FIGURE_ELAPSED,
    FIGURE_CPU,
    FIGURE_WORK,
    FIGURE_SPAN,
    FIGURE_BURDENED_SPAN,
    FIGURE_DIVISIBLE_SPAN,
    FIGURE_TYPICAL_SPAN,
    FIGURE_PARALLELISM,
    FIGURE_BURDENED,
    FIGURE_DIVISIBLE,
    FIGURE_TYPICAL,
    FIGURE_TASKS,
    FIGURE_SPAWNS,
    FIGURE_SYNCS,
    FIGURE_STEALS,
    FIGURE_STRAND,
    FIGURE_STRAND_GRAIN,
    FIGURE_GRAIN,
    FIGURE_IDLE,
    FIGURE_SEARCH,
    FIGURE_SLEEP,
    FIGURE_WITHOUT_THREAD,
    FIGURE_WAITS,
    FIGURE_OVERHEAD,
    FIGURE_INSIDE,
    FIGURE_BETWEEN,
    FIGURE_BLOCKED,
    FIGURE_RUN_DELAY,
    FIGURE_WAITED,
    FIGURE_OWN,
    FIGURE_MPI,
    FIGURE_LATE_SENDERS,
    FIGURE_LATE_RECEIVERS,
    FIGURE_COLLECTIVES,
    FIGURE_POP_PARALLEL,
    FIGURE_POP_BALANCE,
    FIGURE_POP_COMMUNICATION,
    FIGURE_WORKERS,
    FIGURES
};

enum figure_unit {
    FIGURE_COST,                /* of the clock: ns, or what a counter counts */
    FIGURE_TIME,                /* ns by any clock */
    FIGURE_WORKER_TIME,         /* ns of the worker slots; also a share of all their time */
    FIGURE_COUNT,
    FIGURE_RATIO,
};

extern const struct figure_kind {
    const char *name;           /* words with '-' between them */
    const char *key;            /* in the JSON; or another name */
    enum figure_unit unit;
    int better;                 /* 1: more is better; -1: less is; 0: neither */
    const char *meaning;
} figure_kinds[FIGURES];

struct figure_value {
    double value;               /* NAN: the profile does not have it */
    double least, most;         /* what it may be, without the error of sampling */
    double deviation;           /* by sampling; NAN: samples do not split it */
    enum certainty certainty;
    const char *why;            /* why the profile does not have it */
};

/* The program's own code in all strands: their work without the runtime's time in it, which only
 * samples show. ns, or the clock's unit. */
struct own_code {
    double ns;
    double deviation;           /* by sampling; NAN: there are no samples, and NS is the most */
};
/* T may be NULL. */
struct own_code figures_own_code(const struct summary *m, const struct paths *t);

/* Sets TO to the figures of M. */
void figures_of(const struct summary *m, const struct paths *t, struct figure_value to[FIGURES]);
/* V, which is worker time, as a percentage of all worker time. */
struct figure_value figure_share(const struct figure_value *v, const struct summary *m);

/* Has the process not ended, or did it crash? Then costs and counts are those so far. */
bool figures_cut(const struct profile *p);

/* Can functions be asked for K? */
bool figure_of_functions(enum figure k);
/* Figure K of all functions that NAME means (symbols/name_to_code.h), without what they call.
 * SHARE: as a percentage of the program's. *FIRST becomes the costliest of them; NULL: T has none,
 * and the value is NAN. */
struct figure_value figure_of_function(enum figure k, const char *name, bool share,
                                       const struct summary *m, const struct paths *t,
                                       const struct cost_row **first);

/* The figure of this NAME or key, in which blanks and '_' are as good as '-'. FIGURES: none. */
enum figure figure_named(const char *name);

#endif
