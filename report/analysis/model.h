/* model.h - what a profile says, ready to be shown: the program, and one row a spawn site.
 *
 * Rows are sums over the contexts of a site; sites whose program line and construct are the same
 * (one line that a compiler or a template made into several call sites) are one row unless RAW.
 */
#ifndef REPORT_ANALYSIS_MODEL_H
#define REPORT_ANALYSIS_MODEL_H

#include <stdbool.h>
#include "profile/profile.h"
#include "symbols/symbols.h"

/* Cilkview section 3: the span coefficient of the lower bound on speedup. */
#define SPAN_COEFFICIENT 0.85
/* Cilkview section 4: an average maximal strand below 500 instructions warns; as time that is
 * about 170 ns, at 3 instructions a ns. */
#define SHORT_STRAND_INSTRUCTIONS 500
#define SHORT_STRAND_NS 170.0

/* Inlined frames looked at, at one address. */
#define MODEL_FRAMES 64

/* One of Cilkprof's measurements of a call site (section 6). */
struct measure {
    uint64_t count, work, span; /* clock units */
};

struct row {
    const char *function;       /* the person's own function and line */
    const char *file;           /* NULL: no line information */
    int line;
    uint64_t offset;            /* from FUNCTION's start, when there is no line */
    /* MODULE+0xOFFSET of the site, when its own line is not known, else NULL */
    const char *code;
    const char *module;         /* path, or NULL */
    const char *construct, *runtime;
    uint32_t first, last;       /* sites, a list by model.next_site; LPF_NONE: the root */
    bool root;                  /* the program's own strands, outside every task */
    bool lower_bound;
    /* no spawn: strands waited here; top is how often, and how long. in_order: the span has it,
     * too */
    bool wait, in_order;
    /* its parallelism is at most that of the threads that ran it, whatever the program's */
    bool as_executed;
    uint64_t tasks, invocations, steals;
    /* How its own work (local.work) is spread; all 0: the profile does not say. The longest task;
     * threads that executed some, at least; and of the one that did most, at least. */
    uint64_t longest, busiest_work, busiest_tasks, busiest_tid;
    uint32_t threads;
    struct measure top, topcaller, local;       /* on work */
    struct measure on_top, on_topcaller, on_local; /* on span; on_local.span sums to T_inf */
    double share;               /* on_local.span / T_inf: TaskProf's share of the critical path */
};

struct model {
    const struct profile *profile;
    struct symbols *symbols;
    struct row *rows;
    size_t row_count;
    /* those of places where strands waited, longest first; they are not in rows */
    struct row *waits;
    size_t wait_count;
    uint32_t *next_site;        /* the next site of the same row, or LPF_NONE */
    uint64_t burdened_cost;     /* burdened span in clock units, never less than the span */
    /* ns, or the clock's unit; divisible_span: of the dag whose chunks are divided */
    double work, span, burdened_span, divisible_span;
    double parallelism, burdened_parallelism, divisible_parallelism;   /* 0 when the span is 0 */
    double burden;
    bool as_executed;    /* a row is */
    uint32_t note_kinds; /* 1 << kind of every note */
    double average_strand;
    /* average_strand below Cilkview's limit; never by the virtual clock */
    bool short_strands;
};

/* RAW: one row a site. P must outlive the model. */
void model_new(struct model *m, const struct profile *p, bool raw);
void model_free(struct model *m);

/* Bounds on the speedup on P processors: Cilkview, inequalities (3), (4), (6). */
double model_upper(const struct model *m, unsigned p);
/* The same of the divided dag, in which each chunk of a loop is one of its iterations. */
double model_upper_divided(const struct model *m, unsigned p);
/* Do the program's loops allow more than what they were cut into for this run? */
bool model_loops_divide(const struct model *m);
/* The same of a span of SPAN, and DIVISIBLE of the divided dag. */
bool model_divides(double span, double divisible);
/* What most of the critical path is in, if its parallelism is a number that somebody chose. */
enum model_setting { SETTING_NONE, SETTING_THREADS, SETTING_TEAM, SETTING_TOKENS };
enum model_setting model_limited_by(const struct model *m);
double model_lower(const struct model *m, unsigned p);
/* The same of WORK, and a burdened span of BURDENED: not below 1, for one processor is enough for
 * that. */
double model_least(double work, double burdened, double p);
/* The P that a speedup table shows: fills up to CAPACITY, returns how many. */
unsigned model_processors(const struct model *m, unsigned *p, unsigned capacity);

/* Sorts rows, largest first (names: ascending), by KEY. 0, or -1: unknown key. */
int model_sort(struct model *m, const char *key);
/* The keys, separated by commas, in a static buffer. */
const char *model_sort_keys(void);
bool model_is_sort_key(const char *key);

/* The row that holds the largest part of the critical path; NULL when there is no span. */
const struct row *model_heaviest(const struct model *m);

/* Work per span. Work is at least span; where samples split both, each with its own error, they may
 * say otherwise. 0: there is no span. */
static inline double model_parallelism(double work, double span)
{
    return span > 0 ? work > span ? work / span : 1 : 0;
}

static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
