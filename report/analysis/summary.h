/* summary.h - a profile's figures, ready for the report: the program's, and one row for each spawn
 * site.
 *
 * A row sums the contexts of a site. Sites with the same line of the program and the same construct
 * are one row unless RAW: a compiler or a template made one line into several call sites.
 */
#ifndef REPORT_ANALYSIS_SUMMARY_H
#define REPORT_ANALYSIS_SUMMARY_H

#include <stdbool.h>
#include "analysis/standstill.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

/* Cilkview section 3: the span coefficient of the lower bound on speedup. */
#define SPAN_COEFFICIENT 0.85
/* Cilkview section 4: it warns if an average maximal strand has less than 500 instructions. As time
 * that is about 170 ns, at 3 instructions a ns. */
#define SHORT_STRAND_INSTRUCTIONS 500
#define SHORT_STRAND_NS 170.0

/* The most inlined frames at one address that are looked at. */
#define INLINED_MOST 64

/* One of Cilkprof's measurements of a call site (section 6). */
struct measure {
    uint64_t count, work, span; /* clock units */
};

/* Chunks of loops that divide further, or may: struct lpf_chunks. `sized` of by_runtime have a size
 * that the program chose. All 0: there are none, or the profile does not state it
 * (profile_chunks_unsaid). */
struct cut {
    uint64_t by_runtime, by_program, sized;
};

struct row {
    const char *function;       /* the program's function and line */
    /* the program's function around FUNCTION, if clang made this of an OpenMP construct and its
     * name does not show of whose; else NULL */
    const char *origin;
    const char *file;           /* NULL: no line information */
    int line;
    uint64_t offset;            /* from FUNCTION's start, when there is no line */
    /* MODULE+0xOFFSET of the site, when its own line is not known, else NULL */
    const char *code;
    const char *module;         /* path, or NULL */
    const char *construct, *runtime;
    uint32_t first, last;       /* sites, a list by summary.next_site; LPF_NONE: the root */
    bool root;                  /* the program's own strands, outside every task */
    bool lower_bound;
    /* wait: strands waited here, and spawned nothing; `top` has the count and the time. in_order:
     * the span includes the wait */
    bool wait, in_order;
    bool recursive;             /* some of its tasks run inside others of the site */
    /* its parallelism is at most the number of threads that ran it, whatever the program allows */
    bool as_executed;
    /* as_executed, and most of its strands are chunks that the program sized. These are its parts,
     * and parallel to each other, whatever the number of threads */
    bool hands_out;
    /* as_executed, and the team's size may be what limits it: it does not hand out, and none of its
     * threads has nearly all of its work beside tasks that others took */
    bool by_team;
    bool one_iteration;         /* its parts are chunks of a loop, of one iteration each */
    uint64_t tasks, invocations, steals;
    uint64_t parts;             /* its tasks that have work of their own: site_tasks.h */
    struct cut cut;             /* of its loops */
    /* How its own work (local.work) is spread: the cost of the longest task; a lower bound of the
     * threads that executed tasks; and of the busiest thread its id and lower bounds of its work
     * and its tasks. All 0: the profile does not have it. */
    uint64_t longest, busiest_work, busiest_tasks, busiest_tid;
    uint32_t threads;
    /* COUNT of its PARTS of strands are outliers: they took at least 1.5 times as long as their
     * like. Together they took EXCESS more; the longest took LONGEST. COUNT 0: there are none, or
     * the profile does not have them. */
    struct { uint64_t parts, count, excess, longest; } outliers;
    struct measure top, topcaller, local;       /* of the work */
    struct measure on_top, on_topcaller, on_local; /* of the span; on_local.span sums to T_inf */
    double share;               /* on_local.span / T_inf: TaskProf's share of the critical path */
};

struct summary {
    const struct profile *profile;
    struct symbols *symbols;
    struct row *rows;
    size_t row_count;
    /* the rows of waits, longest first; `rows` does not have them */
    struct row *waits;
    size_t wait_count;
    uint32_t *next_site;        /* the next site of the same row, or LPF_NONE */
    uint64_t burdened_cost;     /* burdened span in clock units, never less than the span */
    /* ns, or the clock's unit; divisible_span: of the dag whose chunks are divided */
    double work, span, burdened_span, divisible_span;
    double parallelism, burdened_parallelism, divisible_parallelism;   /* 0: the span is 0 */
    double typical_span, typical_parallelism;   /* the span without outliers */
    double burden;
    struct standstill standstill;
    bool as_executed;    /* a row is as executed */
    struct cut cut;      /* of all rows */
    uint32_t note_kinds; /* 1 << kind of every note */
    double average_strand;
    /* average_strand below Cilkview's limit; never by the virtual clock */
    bool short_strands;
};

/* RAW: each site has a row of its own. P must outlive M. */
void summary_new(struct summary *m, const struct profile *p, bool raw);
/* The same, with the symbols S, which are M's now. */
void summary_new_with(struct summary *m, const struct profile *p, bool raw, struct symbols *s);
void summary_free(struct summary *m);

/* Bounds on the speedup on P processors: Cilkview, inequalities (3), (4), (6). */
double summary_upper(const struct summary *m, unsigned p);
/* The upper bound for the divided dag, in which a chunk of a loop costs what one of its iterations
 * costs on average. */
double summary_upper_divided(const struct summary *m, unsigned p);
/* Do the program's loops allow more parallelism than the chunks of this run have? */
bool summary_loops_divide(const struct summary *m);
/* Did the program choose the size of all their chunks? */
bool summary_cut_by_program(const struct summary *m);
/* Is R a loop with a chunk that took much more than the mean, though chunks of equal iterations do
 * not? Then perhaps one iteration did. */
bool summary_is_long_chunk(const struct row *r);
/* Such a loop, whose longest chunk is most of the critical path. NULL: there is none. */
const struct row *summary_long_chunk(const struct summary *m);
/* The row, no team's, one of whose tasks is most of the critical path and far longer than the mean
 * one. NULL: there is none. */
const struct row *summary_long_task(const struct summary *m);
/* A loop whose longest chunk is most of the critical path, and took far longer than the others,
 * though all have as many iterations, so that these cost more in one than in another. NULL: there
 * is none, or it is not known. */
const struct row *summary_unlike_chunk(const struct summary *m);
/* The region that hands out chunks and has most of the critical path, if that takes far longer than
 * a mean chunk from one barrier to the next. *NS: how long on average. NULL: there is none. */
const struct row *summary_long_between(const struct summary *m, double *ns);
/* May the program have cut loops whose chunks count as the runtime's? So it is for OpenMP's
 * schedules other than dynamic: a profile does not have their chunk size. */
bool summary_cut_by_either(const struct summary *m);
/* summary_loops_divide for the span SPAN, and the span DIVISIBLE of the divided dag. */
bool summary_divides(double span, double divisible);
/* The upper bound for the typical dag. */
double summary_upper_typical(const struct summary *m, unsigned p);
/* Do outliers make the parallelism notably smaller? */
bool summary_has_outliers(const struct summary *m);
/* The setting that limits the parallelism of most of the critical path, if one does. */
enum summary_setting { SETTING_NONE, SETTING_THREADS, SETTING_TEAM, SETTING_TOKENS };
enum summary_setting summary_limited_by(const struct summary *m);
double summary_lower(const struct summary *m, unsigned p);
/* Does the critical path take nearly all of the elapsed time? Unless it gets shorter, the
 * program gains next to nothing, whatever other threads wait for. */
bool summary_fills_run(const struct summary *m);
/* The lower bound for WORK and the burdened span BURDENED. It is at least 1, because one processor
 * is enough for that. */
double summary_least(double work, double burdened, double p);
/* Fills P with the numbers of processors that a speedup table shows, at most CAPACITY. Returns how
 * many. */
unsigned summary_processors(const struct summary *m, unsigned *p, unsigned capacity);

/* Sorts rows by KEY, largest first (names: ascending). Returns 0, or -1 if there is no such KEY. */
int summary_sort(struct summary *m, const char *key);
/* The keys, separated by commas, in a static buffer. */
const char *summary_sort_keys(void);
bool summary_is_sort_key(const char *key);

/* The row with the largest part of the critical path; NULL: there is no span. */
const struct row *summary_heaviest(const struct summary *m);

/* The time that strands waited to enter critical sections or take locks, in ns: not in the span.
 * *LONGEST: the place with the longest wait; NULL: there is none. */
double summary_exclusion(const struct summary *m, const struct row **longest);

/* Work / span, at least 1: where samples split both, each has an error of its own. 0: there is no
 * span. */
static inline double summary_parallelism(double work, double span)
{
    return span > 0 ? work > span ? work / span : 1 : 0;
}

/* A / B, or 0 if B is not positive. */
static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
