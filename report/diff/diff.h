/* diff.h - two sides of profiles, compared: what `prof diff` prints.
 *
 * Rows are matched by names: of the function (demangled, without parameters and the compiler's
 * suffixes) and of its module (without directories and versions; the program itself is one whatever
 * it is called), along the logical call path. Addresses and lines do not count, so that a rebuilt
 * program is compared with itself. Each side is a set of runs; values are means over them, so that
 * rows add up to the mean of the totals.
 */
#ifndef REPORT_DIFF_DIFF_H
#define REPORT_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "output/options.h"

enum diff_metric {
    DIFF_SPAN,
    DIFF_WORK,
    DIFF_IDLENESS,
    DIFF_OVERHEAD,
    DIFF_BLOCKED,
    DIFF_TASKS,
    DIFF_METRICS
};
extern const char *const diff_metrics[DIFF_METRICS];    /* their names */

/* What is compared of programs. */
enum diff_total {
    DIFF_ELAPSED,
    DIFF_T1,
    DIFF_TINF,
    DIFF_BURDENED,
    DIFF_PARALLELISM,
    DIFF_DIVISIBLE,
    DIFF_BURDENED_PARALLELISM,
    DIFF_IDLE,
    DIFF_SHARE_IDLE,
    DIFF_OVERHEAD_IN,
    DIFF_OVERHEAD_BETWEEN,
    DIFF_BLOCKED_ALL,
    DIFF_OWN,
    DIFF_TASKS_ALL,
    DIFF_SPAWNS,
    DIFF_STEALS,
    DIFF_TOTALS
};
enum diff_unit { DIFF_NS, DIFF_COST, DIFF_COUNT, DIFF_RATIO, DIFF_PERCENT };
extern const struct diff_kind {
    const char *key, *title;
    enum diff_unit unit;
} diff_kinds[DIFF_TOTALS];

/* Sums over the runs of a side. */
struct diff_hits {
    double samples, on_span;    /* by weight; squares of the weights */
    double squares, on_span_squares;
};

struct diff_row {
    /* equal names are one pointer; construct: of waits, what was to be entered */
    struct { const char *function, *module, *construct; uint32_t parent; uint32_t pad; } key;
    const char *file;           /* as the last run has it; NULL: unknown */
    int line;
    uint32_t index;             /* in its table */
    double self_now[DIFF_METRICS], all_now[DIFF_METRICS];   /* of the run that is being read */
    struct moments self_of[2][DIFF_METRICS], all_of[2][DIFF_METRICS];
    struct diff_hits self_hits[2], all_hits[2];
    struct change self[DIFF_METRICS], all[DIFF_METRICS];
    bool touched;
    UT_hash_handle hh;
};

struct diff_table {
    struct diff_row **rows;     /* of paths: a parent has a smaller index; row 0 is the program */
    struct diff_row *by_key;
    size_t count, capacity;
};

struct diff_side {
    char **files;
    unsigned count;             /* files; those that were read: */
    unsigned runs;
    const char *exe, *cmdline, *clock, *unit;
    unsigned workers_min, workers_max;  /* P */
    unsigned threads_min, threads_max;  /* that did work */
    bool exact, complete, same_command;
    bool loops_divide;          /* loops were cut for its workers, and allow more */
    bool merged;                /* a file that is merged from several counts as one run */
    struct diff_hits hits;      /* of all samples */
    double *values[DIFF_TOTALS];        /* of each run */
    struct moments totals[DIFF_TOTALS];
    struct moments row_totals[DIFF_METRICS];    /* what a column of rows adds up to */
};

struct diff {
    struct diff_side side[2];
    struct diff_table functions, paths;
    /* places where strands waited for others to leave: self[DIFF_IDLENESS], so often:
     * self[DIFF_TASKS] */
    struct diff_table waits;
    struct change totals[DIFF_TOTALS], row_totals[DIFF_METRICS];
    struct diff_name *names;
    bool comparable;            /* both sides have runs, in the same unit: what follows is known */
    bool counts_time;
    bool virtual_clock;         /* of both: work and span have no noise */
    /* A ran on one worker, B on several: more work is work inflation (Acar et al., section 2) */
    bool inflates;
};

/* Were loops of a side cut for its workers, and allow more? */
static inline bool diff_loops_divide(const struct diff *d)
{
    return d->side[0].loops_divide || d->side[1].loops_divide;
}

struct diff_wish {
    const struct options *o;
    enum diff_metric metric;    /* that leads, and sorts */
    const char *sort;           /* "change", "relative", "a", "b", "name" */
};

/* FILES[side][...], COUNTS[side]. 0; or 2: it was said what could not be read. */
int diff_new(struct diff *d, char **const files[2], const unsigned counts[2],
             const struct options *o);
void diff_free(struct diff *d);

/* The part of a row's work that is not overhead, and what it grew by: user work (Acar et al.,
 * section 2.8). */
struct change diff_user_work(const struct diff_row *r);

/* The row of each path of T, which may be of neither side. ROWS holds T's node_count. */
void diff_map(struct diff *d, const struct paths *t, const struct diff_row **rows);
/* Likewise the rows of the functions at the ends of the paths. */
void diff_map_functions(struct diff *d, const struct paths *t, const struct diff_row **rows);

/* Fresh strings: V in UNIT, with its sign; B as a multiple or percentage of A, "new", "gone". */
char *diff_amount(const struct diff *d, enum diff_unit unit, double v);
char *diff_signed(const struct diff *d, enum diff_unit unit, double v);
char *diff_relative(const struct change *c);
/* "f > g > h" of a path, its innermost functions when there is no room for all. */
char *diff_path(const struct diff_table *p, uint32_t at, int room);
/* "1 worker", "2 to 4 workers". */
void diff_count(FILE *out, const char *word, unsigned least, unsigned most);
/* Fresh: the rows of T in order; ALL: of inclusive costs. */
struct diff_row **diff_sorted(const struct diff_table *t, const struct diff_wish *w, bool all);
/* Known to be no more than noise; and how tables say what is known. */
bool diff_is_noise(const struct change *c);
const char *diff_mark(const struct change *c);
enum diff_unit diff_unit_of(enum diff_metric k);

/* A remark or a cause in words, one a line; a warning behind "! ". */
void diff_remarks(const struct diff *d, FILE *out);
void diff_words(const struct diff *d, FILE *out);
void diff_text(const struct diff *d, const struct diff_wish *w, FILE *out);
/* What WRITE (diff_remarks, diff_words) says, a new reference to an array of lines. */
struct json_t *diff_lines(const struct diff *d, void (*write)(const struct diff *, FILE *));
void diff_json(const struct diff *d, const struct diff_wish *w, FILE *out);
void diff_csv(const struct diff *d, const struct diff_wish *w, FILE *out);

#endif
