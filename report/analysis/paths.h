/* paths.h - logical call paths with what was measured and sampled on them.
 *
 * The profile's tree holds every frame. A person thinks in the LOGICAL one (Tallent &
 * Mellor-Crummey, PPoPP 2009, section 3): frames of a runtime and of its headers are left out,
 * inlined functions of the program stand as if they had been called, header code that was inlined
 * into them (symbols/names.h: name_is_header) is theirs, task boundaries vanish, and equal frames
 * of one parent are one node. PHYSICAL keeps all of them.
 *
 * Costs. What the contexts of a task boundary cost, as work and on the critical path, is exact; how
 * it is split over the frames below the boundary, the samples there say, those on the critical path
 * for the span. Sums are exact: every column adds up to the profile's total. A boundary that no
 * sample hit keeps its cost in a node of its own, named after its construct in brackets.
 *   overhead   work in frames of a runtime or its headers below the program's innermost frame (2.2)
 *   idleness   worker slots that had no task while this was running (2.1), scaled so that the sum
 *              is the idle time that was measured exactly
 *   blocked    time off the CPU inside strands: exact for the contexts of a task boundary. Their
 *              off-CPU samples split it; the rest, when the strands could have run but had no CPU,
 *              stands in a node "[blocked]" below the boundary
 *   excluded   idleness of the strands below a task boundary, where more than half of it is their
 *              fellows' time of waiting for a critical section or a lock. Where the section begins
 *              and ends no profile says
 *   own        libprof's time, by the number of tasks, likewise: "[libprof]"
 * Samples that hit libprof itself count in no column.
 */
#ifndef REPORT_ANALYSIS_PATHS_H
#define REPORT_ANALYSIS_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include "analysis/model.h"

enum overhead_kind {
    OVERHEAD_SPAWN,
    OVERHEAD_SYNC,
    OVERHEAD_SCHEDULE,
    OVERHEAD_MEMORY,
    OVERHEAD_LOCK,
    OVERHEAD_OTHER,
    OVERHEAD_KINDS
};
extern const char *const overhead_names[OVERHEAD_KINDS];

struct path_cost {
    /* ns, or the clock's unit where it does not count time; so that sums are exact, */
    uint64_t work, span;
    uint64_t overhead;          /* the part of work; likewise. Rounded in the tree as a whole */
    double idleness;            /* ns, a whole number */
    uint64_t blocked;           /* ns */
    uint64_t own;               /* ns */
    uint64_t samples, on_span;  /* that say so, by weight; and the squares of their weights */
    uint64_t squares, on_span_squares;
    uint64_t tasks;             /* spawned by the code at this path */
    /* the part of span in strands of regions as their threads executed them, */
    uint64_t executed;
    uint64_t even;              /* and the part of that where all of them had as much to do */
    /* the part of idleness in strands whose idleness is others' waiting to get in where one may
     * be */
    double excluded;
};

/* C's idleness as a number of its own kind; a hostile file's may be larger than any. */
static inline uint64_t path_idleness(const struct path_cost *c)
{
    return c->idleness < 0x1p64 ? (uint64_t)(c->idleness + 0.5) : UINT64_MAX;
}

struct path_node {
    uint32_t parent;            /* smaller than its own index; node 0 is the program */
    const char *function;
    const char *file;           /* NULL: unknown */
    const char *module;         /* path; NULL: none, or unknown */
    /* of the call that has most samples, or where a leaf was hit most */
    int line;
    uint64_t line_weight;
    struct path_cost self, all; /* exclusive, inclusive */
    uint32_t owner;             /* the node whose tasks execute it; 0: the program's own strands */
};

/* How the tasks are cut that execute the code below one task boundary; costs in the clock's
 * unit. */
struct path_grain {
    uint64_t tasks, on_count;   /* on_count: invocations on the critical path */
    uint64_t work;              /* of all of them, without what they spawned */
    /* 0: the profile does not say (struct row) */
    uint64_t longest, busiest_work, busiest_tasks;
    uint32_t threads;
    uint64_t strands;           /* of regions: between two barriers, on one of their threads */
    uint64_t regions;
    /* chunks of a loop that was cut for these workers, and divides further: as long as they were
     * cut */
    bool cut;
};

/* One function, or one line of one; inclusive costs count each path once, whatever its
 * recursion. */
struct path_row {
    const char *function, *file, *module;
    int line;                   /* 0: the whole function */
    struct path_cost self, all;
    uint32_t place;             /* of a line: of struct paths' places */
    /* of a function: in words, what to do about it; "" where nothing stands out */
    const char *verdict;
    uint32_t node;              /* the one that has most of its own work; private */
    uint64_t active;            /* private */
};

struct paths {
    const struct model *model;
    struct path_node *nodes;
    size_t node_count;
    struct path_row *functions, *lines;
    size_t function_count;
    size_t line_count;          /* lines that samples hit; behind them, up to */
    size_t call_line_count;     /* lines that only led to such: no costs of their own */
    /* lines whichever functions they are in (a lambda's is its caller's, too): inclusive costs
     * alone */
    struct path_row *places;
    size_t place_count;
    /* with lines' self and this, columns add up to the total: hit code without lines, */
    struct path_cost no_line;
    struct path_cost unsampled; /* and what no sample can say where */
    struct path_cost total;
    uint64_t overhead[OVERHEAD_KINDS];  /* as in path_cost; their sum is total.overhead */
    uint64_t own_samples;       /* hit libprof */
    double idle_ns;             /* measured */
    bool idle_scaled;           /* false: nothing was sampled while workers were idle */
    /* that say where it belongs, at least: as many as if one had worked each time */
    double idle_samples;
    uint64_t off_cpu_samples;   /* that found a strand blocked */
    struct paths_private *private;
};

/* FOLDED: a function that is on its own path again leads back to where it stands, so that recursion
 * makes no path longer. PATTERNS: of functions whose samples are overhead, too (substrings,
 * NULL-terminated), or NULL. */
void paths_new(struct paths *t, const struct model *m, bool physical, bool folded,
               const char *const *patterns);
void paths_free(struct paths *t);

/* Sorts functions and lines by METRIC, largest first: one of path_metrics. */
bool paths_sort(struct paths *t, const char *metric);
extern const char *const path_metrics[];        /* NULL-terminated */
double path_metric(const struct path_cost *c, const char *metric);
/* Sums stop at the largest number. */
void path_add(struct path_cost *to, const struct path_cost *from);

/* Is MODULE (may be NULL) one of the system's libraries, as libc is? */
bool path_is_system(const char *module);

/* Samples in strands of a row's tasks: libprof's share of them. What libprof costs is taken off
 * work, as far as it was measured or calibrated; the profile does not know how much is left. If all
 * of it were, the work would be this share too long. TELLS: the share is above a twentieth, and
 * rests on ten samples at least. */
struct own_share {
    uint64_t samples, own;
    bool tells;
};
struct row;
struct own_share paths_own_share(const struct paths *t, const struct row *r);
/* WORK of strands with the share S, if all of it were in WORK. */
uint64_t paths_work_at_least(const struct own_share *s, uint64_t work);

/* How far the share of the span that C's samples say of ALL's may be off (95 %). */
double path_margin(const struct path_cost *c, const struct path_cost *all);

#endif
