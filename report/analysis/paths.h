/* paths.h - logical call paths with their costs, measured and sampled.
 *
 * The profile's tree holds every frame. The LOGICAL tree is the one that a programmer thinks in
 * (Tallent & Mellor-Crummey, PPoPP 2009, section 3):
 *   - it omits the frames of a runtime and of its headers;
 *   - inlined functions of the program appear as if they had been called;
 *   - header code that was inlined into such a function (symbols/names.h: name_is_header) is part
 *     of that function;
 *   - task boundaries vanish, and equal frames of one parent are one node.
 * PHYSICAL keeps all frames.
 *
 * Costs. The work of a task boundary's contexts, and their part of the critical path, are exact.
 * Samples split these costs over the frames below the boundary; the samples on the critical path
 * split the span. Every column adds up to the profile's total. A boundary without samples keeps its
 * cost in a node of its own, named after its construct in brackets.
 *   overhead   work in frames of a runtime or its headers below the program's innermost frame
 *              (section 2.2 of that paper)
 *   idleness   worker slots that had no task while this was running (section 2.1), scaled so that
 *              the sum is the idle time that was measured exactly. The program's node has the
 *              time in which nothing was running, too (idle_alone)
 *   blocked    time off the CPU inside strands: exact for the contexts of a task boundary. Off-CPU
 *              samples split it. The rest, in which strands could have run but had no CPU, is in a
 *              node "[blocked]" below the boundary
 *   own        profiler overhead, split by the number of tasks, in nodes "[libprof]"
 * Samples that hit libprof itself count in no other column.
 */
#ifndef REPORT_ANALYSIS_PATHS_H
#define REPORT_ANALYSIS_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include "analysis/summary.h"

struct causes;

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
    /* ns, or the clock's unit if it does not count time; rounded so that sums are exact */
    uint64_t work, span;
    uint64_t overhead;          /* the same; a part of work */
    double idleness;            /* ns, a whole number */
    uint64_t blocked;           /* ns */
    uint64_t own;               /* ns */
    /* the weights of the samples, and of those on the critical path; their squares */
    uint64_t samples, on_span;
    uint64_t squares, on_span_squares;
    uint64_t tasks;             /* spawned by the code at this path */
};

/* C's idleness as an integer. In a hostile file it may be larger than any: then UINT64_MAX. */
static inline uint64_t path_idleness(const struct path_cost *c)
{
    return c->idleness < 0x1p64 ? (uint64_t)(c->idleness + 0.5) : UINT64_MAX;
}

/* Is FUNCTION, the name of a node or row, no function's? Costs that no sample gives to a function
 * have names in brackets: the construct of their tasks, [blocked], [libprof]. So have frames
 * without a name. */
static inline bool path_in_brackets(const char *function)
{
    return *function == '[';
}

struct path_node {
    uint32_t parent;            /* smaller than its own index; node 0 is the program */
    const char *function;
    const char *file;           /* NULL: unknown */
    const char *module;         /* path; NULL: none, or unknown */
    /* the line of the call with the most samples, or the line where most samples hit a leaf */
    int line;
    int declared;               /* line of FUNCTION's declaration; 0: unknown; -1: several */
    int apart;                  /* the same, where nodes of one function differ by it: lambdas */
    /* of the function that the tasks of a site execute first; NULL: it is none, or of several */
    const struct row *site;
    bool sites;                 /* it is of several */
    bool foreign;               /* a runtime's code, or libprof's */
    uint64_t line_weight;       /* these samples */
    struct path_cost self, all; /* exclusive, inclusive */
};

/* One function, or one line of one. Inclusive costs count each path once, however often it
 * recurs. */
struct cost_row {
    const char *function, *file, *module;
    int line;                   /* 0: the whole function */
    int declared;               /* of a function: as in path_node */
    const struct row *site;     /* the same */
    bool sites;
    struct path_cost self, all;
    uint32_t place;             /* of a line: its index in struct paths' places */
    const char *verdict;        /* of a function: the name of its largest cause (causes.h), or "" */
    /* private: */
    uint32_t made;              /* of a line: its index before lines were sorted */
    uint64_t active;            /* how often the row is on the path that is being walked */
};

struct paths {
    const struct summary *summary;
    struct path_node *nodes;
    size_t node_count;
    struct cost_row *functions, *lines;
    size_t function_count;
    size_t line_count;          /* lines that samples hit, which come first */
    size_t call_line_count;     /* these, and lines that only lead to them: without self costs */
    /* lines by file and number alone: a lambda's line is one with its caller's. Inclusive costs
     * only */
    struct cost_row *places;
    size_t place_count;
    /* the self costs of lines and these two add up to the total */
    struct path_cost no_line;   /* code without a line that samples hit */
    struct path_cost unsampled; /* costs that no sample splits */
    struct path_cost total;
    uint64_t overhead[OVERHEAD_KINDS];  /* as in path_cost; their sum is total.overhead */
    uint64_t own_samples;       /* weight of the samples that hit libprof */
    /* samples do not split a part of the span, because its threads wait for ordered blocks */
    bool in_blocks;
    double idle_ns;             /* measured */
    double idle_alone;          /* the part of it beside no strand, estimated: node 0 has it */
    bool idle_scaled;           /* false: nothing was sampled while workers were idle */
    /* a lower bound of the samples taken while workers idled: as if all but one idled each time */
    double idle_samples;
    uint64_t off_cpu_samples;
    struct causes *causes;      /* what limits the program */
    struct paths_private *private;
};

/* FOLDED: if a function is on its own path again, the path leads back to its node, so that
 * recursion makes no path longer. PATTERNS: substrings of functions whose samples are overhead,
 * too, NULL-terminated; or NULL. M and PATTERNS must outlive T. */
void paths_new(struct paths *t, const struct summary *m, bool physical, bool folded,
               const char *const *patterns);
/* The same for a reader of functions, with recursion folded: code of the C++ library and of task
 * runtimes' headers that the compiler did not inline is part of the function of the program that
 * called it in the same task. Before the program's first function of a task, such code has no node
 * either; a task that has none of the program's code keeps the name of what it calls first. Of the
 * system's libraries, such as libc, only the function that the program called has a node. */
void paths_new_program(struct paths *t, const struct summary *m, const char *const *patterns);
void paths_free(struct paths *t);

/* Samples with their times, of one node and line, in the same bins of the timeline. */
struct path_timed {
    uint32_t node;              /* index in NODES */
    uint32_t line;              /* index in LINES, maybe one that only leads to others; LPF_NONE */
    uint32_t kind;              /* enum lpf_timed_kind */
    uint32_t first, last;       /* bins */
    uint64_t weight;
};
/* Those of T's profile, *COUNT of them, in a new array; ascending by node. Samples on the CPU in
 * libprof's own code are left out. NULL: the profile has none. */
struct path_timed *paths_timed(const struct paths *t, size_t *count);

/* Sorts functions and lines by METRIC, one of path_metrics, largest first. False: METRIC is
 * none. */
bool paths_sort(struct paths *t, const char *metric);
extern const char *const path_metrics[];        /* NULL-terminated */
/* The cost of C by METRIC. */
double path_metric(const struct path_cost *c, const char *metric);
/* Adds FROM to *TO. Sums stop at the largest number. */
void path_add(struct path_cost *to, const struct path_cost *from);

/* Is MODULE, a path or NULL, one of the system's libraries, such as libc? */
bool module_is_system(const char *module);

/* SAMPLES: in the strands of a row's tasks; OWN: those of them that hit libprof. libprof takes the
 * overhead that it measured or calibrated off the work. The profile does not show how much overhead
 * is still in the work: between none of it and all of it. So the work is too long by the share OWN
 * / SAMPLES at most. LARGE: this share is above a twentieth, and OWN is at least ten. TAKEN:
 * summary_taken_most. If it is above 0, too much may have been taken off, too. ESTIMATE: either
 * makes the work an estimate. */
struct own_share {
    uint64_t samples, own;
    bool large, estimate;
    double taken;
    double unsampled;           /* of all strands: the part of the work in tasks that no sample hit,
                                 * for which the share does not hold */
};
struct row;
struct own_share paths_own_share(const struct paths *t, const struct row *r);
/* The same for all strands. If T is NULL, there are no samples. */
struct own_share paths_own_share_all(const struct summary *m, const struct paths *t);
/* WORK without the share S: what is left if all of S is in WORK, but for what no sample hit. */
uint64_t paths_work_at_least(const struct own_share *s, uint64_t work);

/* The part of the samples on the critical path that are there because they are samples. 0: there
 * may be none. A sample makes its strand some us longer. Of many equal strands that are shorter
 * than the sampling period, the longest is then one that a sample struck. If samples do not decide
 * on the path, its share of them is its share of the work. */
double path_chosen(const struct path_cost *all);

/* By how much C's share of ALL's span, which samples split, may be off (95 %): by chance, and by
 * path_chosen. */
double path_margin(const struct path_cost *c, const struct path_cost *all);
#endif
