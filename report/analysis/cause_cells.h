/* cause_cells.h - the worker time, divided into cells: each of one cause at one place. Private to
 * causes.c, cause_cells.c, cause_rules.c and awaited.c. */
#ifndef REPORT_ANALYSIS_CAUSE_CELLS_H
#define REPORT_ANALYSIS_CAUSE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analysis/causes.h"
#include "analysis/ledger.h"
#include "analysis/paths.h"
#include "analysis/path_service.h"
#include "analysis/paths_private.h"
#include "analysis/summary.h"
#include "profile/profile.h"

/* Worker time of one cause at one place. */
struct cell {
    enum cause cause;
    struct place place;
    const struct row *site;
    double ns;
    double sampled;             /* the part of NS that samples split; the rest is exact */
    double weight, squares;     /* of these samples */
    double line_ns;             /* of place.line */
    double on_cpu, next_to_cpu; /* the part of NS on the CPU; idle time next to it */
    double for_others;          /* the part of NS that waited for other threads, off the CPU */
    bool spins;                 /* waits on the CPU */
};

struct cells {
    const struct summary *m;
    struct paths *t;
    double slots;               /* workers that can run at one time */
    bool crowd;                 /* there are more workers than that */
    double idle_most;           /* ns that those idle */
    double idle_factor;         /* ns for one unit of the samples' idleness */
    double without_cpu;         /* ns of idle time next to strands that had no CPU */
    const struct row **site_of; /* by node of the profile: of its innermost task boundary */
    struct cell *cell;
    size_t count, room;
    struct places places;       /* of the cells */
};

/* Divides the time of M, with the paths T and the ledger L. cells_free frees what is in TO. */
void cells_new(struct cells *to, const struct summary *m, struct paths *t, const struct ledger *l);
void cells_free(struct cells *c);

/* ---- cause_rules.c: which cause, by what is known of the site and of the code ---- */

/* Parts at a time, for each worker, that even out what is unequal. */
#define AMPLE 4

/* Is C a cause of idle time of workers that had no task? */
bool cause_is_idle(enum cause c);

/* Is R a region or a loop, of which each execution is an invocation with parts? */
bool cause_site_is_region(const struct row *r);
/* Is R of threads that the program started? */
bool cause_site_is_thread(const struct row *r);
/* Is R of tasks that a runtime gives to threads which look for them? */
static inline bool cause_site_has_tasks(const struct row *r)
{
    return !cause_site_is_region(r) && !cause_site_is_thread(r);
}

/* Does the runtime's time at R, a spawn site, go into many short executions of the construct, or
 * into its many tasks? */
enum cause cause_of_runtime(const struct cells *of, const struct row *r);

/* Why do workers idle next to the code at node I, in tasks of SITE (NULL: outside every task)? */
enum cause cause_of_idleness(const struct cells *of, uint32_t i, const struct row *site);

/* What a sample of SERVICE takes time for; off the CPU in a system call of KIND, or on it
 * (LPF_WAIT_CPU). CAUSES: for the program's own code, or what the runtime does around tasks. */
enum cause cause_of_service(enum service service, enum lpf_wait_kind kind);

/* The program's innermost code at node I of the profile or around it; where a task has none, that
 * which spawned it. */
struct place place_of(struct paths *t, uint32_t i);
struct place place_of_site(const struct row *r);
bool place_is(const struct place *a, const struct place *b);

#endif
