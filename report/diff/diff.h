/* diff.h - compares two sides of profiles, for `prof diff`.
 *
 * Rows of both sides match if the names along their logical call paths do: of functions (demangled,
 * without parameters and compilers' suffixes) and of modules (without directories and versions).
 * The program itself matches whatever its name is. Addresses and lines do not count, so that a
 * program can be compared with a new build of it. Each side is a set of runs. Values are means over
 * the runs, so rows add up to the mean of the totals.
 */
#ifndef REPORT_DIFF_DIFF_H
#define REPORT_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <uthash.h>
#include "analysis/causes.h"
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "layout/options.h"

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

/* The figures of the whole program that are compared. */
enum diff_total {
    DIFF_ELAPSED,
    DIFF_T1,
    DIFF_TINF,
    DIFF_BURDENED,
    DIFF_PARALLELISM,
    DIFF_DIVISIBLE,
    DIFF_TYPICAL,
    DIFF_BURDENED_PARALLELISM,
    DIFF_IDLE,
    DIFF_SHARE_IDLE,
    DIFF_MPI,
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

/* Samples over all runs of a side: their weights, and the squares of these. */
struct diff_hits {
    double samples, on_span;    /* all; those on the critical path. -1: the row is exact */
    double squares, on_span_squares;
};

struct diff_row {
    /* equal names have equal pointers; construct: of waits, what the strands waited to enter */
    struct { const char *function, *module, *construct; uint32_t parent; uint32_t pad; } key;
    const char *file;           /* by the last run that has it; NULL: unknown */
    int line;
    uint32_t index;             /* in its table */
    double self_now[DIFF_METRICS], all_now[DIFF_METRICS];   /* of the run that is being read */
    struct moments self_of[2][DIFF_METRICS], all_of[2][DIFF_METRICS];
    struct diff_hits self_hits[2], all_hits[2];
    struct change self[DIFF_METRICS], all[DIFF_METRICS];
    bool touched;               /* the run that is being read has this row */
    UT_hash_handle hh;
};

struct diff_table {
    struct diff_row **rows;     /* of paths: a parent has a smaller index; row 0 is the program */
    struct diff_row *by_key;
    size_t count, capacity;
};

struct diff_side {
    char **files;
    unsigned count;             /* number of files */
    unsigned runs;              /* number of files that could be read */
    const char *exe, *cmdline, *clock, *unit;
    unsigned workers_min, workers_max;  /* P of the runs */
    unsigned threads_min, threads_max;  /* threads of the runs that did work */
    bool exact, complete, same_command; /* all runs are exact; have ended; are of one command */
    bool loops_divide;          /* loops were cut, and allow more */
    bool cut_by_workers;        /* some of them for the runs' workers */
    bool cut_by_either;         /* some of them for these, or by the program (OpenMP's schedules) */
    bool outliers;              /* the span has outliers */
    bool merged;                /* one of the files was merged from several; it counts as one run */
    const char *caveat;         /* certainty_caveat of the run that is least certain; NULL: none */
    struct diff_hits hits;      /* all samples */
    double *values[DIFF_TOTALS];        /* by run */
    struct moments totals[DIFF_TOTALS];
    struct moments row_totals[DIFF_METRICS];    /* the sums of all rows */
    unsigned judged;            /* the runs whose findings are known */
    struct moments elapsed;     /* of these: ns that gains are a share of */
};

/* One finding of causes.h on both sides. A run that does not have it has a gain from 0 up to what
 * makes a finding (CAUSE_WORTH). */
struct diff_finding {
    enum cause id;
    struct place place;         /* by the last run that has it */
    unsigned seen[2];           /* runs that have it */
    struct moments gain[2];     /* ns of elapsed time, of these runs */
    double variance[2];         /* the sum over these of the variance by the finding's interval */
    double now, now_variance;   /* of the run that is being read */
    bool touched;               /* the run that is being read has it */
    struct change change;
};

struct diff {
    struct diff_side side[2];
    struct diff_table functions, paths;
    /* the places where strands waited; self[DIFF_IDLENESS] is how long, self[DIFF_TASKS] how
     * often */
    struct diff_table waits;
    struct diff_finding *findings;      /* the largest change first */
    size_t finding_count;
    struct change totals[DIFF_TOTALS], row_totals[DIFF_METRICS];
    struct diff_name *names;
    bool comparable;            /* both sides have runs, in one unit; else all below is unset */
    bool counts_time;
    bool virtual_clock;         /* both sides have it: work and span have no noise */
    /* A ran on one worker, B on several: more work is work inflation (Acar et al., section 2) */
    bool inflates;
};

/* Were loops of one of the sides cut, and do they allow more? */
static inline bool diff_loops_divide(const struct diff *d)
{
    return d->side[0].loops_divide || d->side[1].loops_divide;
}

static inline bool diff_has_outliers(const struct diff *d)
{
    return d->side[0].outliers || d->side[1].outliers;
}

/* Does total I mean something for these sides? */
bool diff_shows(const struct diff *d, enum diff_total i);

struct diff_wish {
    const struct options *o;
    enum diff_metric metric;    /* it is shown in full, and rows are sorted by it */
    const char *sort;           /* "change", "relative", "a", "b", "name" */
};

/* Compares the COUNTS[side] files FILES[side]. Returns 0, or 2 after a line on stderr for each file
 * that could not be read, or if the units differ. Then d->comparable shows whether D can be
 * used. */
int diff_new(struct diff *d, char **const files[2], const unsigned counts[2],
             const struct options *o);
void diff_free(struct diff *d);

/* T's nodes with the time off the CPU in the system's code at the program's node that called it.
 * Returns that node, of each: itself if it is the program's, or if the program has none there.
 * *BLOCKED: ns of each node itself; from node_count + 1 on, ns of each node with its callees. The
 * caller frees both. */
uint32_t *diff_fold(const struct paths *t, uint64_t **blocked);

/* names.c: the copy of TEXT that all equal texts share; of FUNCTION without what a compiler
 * appended to a copy of it. */
const char *diff_keep(struct diff *d, const char *text);
const char *diff_keep_function(struct diff *d, const char *function);
/* "libfoo.so" for libfoo.so.1.2; "" for the program itself, which may have another name in another
 * build. */
const char *diff_keep_module(struct diff *d, const struct profile *p, const char *path);
void diff_free_names(struct diff *d);

/* findings.c: adds those of a run of SIDE; compares both sides once all runs have been added. */
void diff_add_findings(struct diff *d, int side, const struct causes *c);
void diff_compare_findings(struct diff *d);
/* Are the findings of at least one run of each side known? */
bool diff_knows_findings(const struct diff *d);
/* "insert (lock.cpp:7)"; "": it has no place. The caller frees it. */
char *diff_finding_place(const struct diff_finding *f);
/* "appeared", "vanished", "grew", "shrank", or "same": it may be chance. */
const char *diff_finding_fate(const struct diff_finding *f);

/* A row's user work: its work without the overhead (Acar et al., section 2.8). */
struct change diff_user_work(const struct diff_row *r);

/* Sets ROWS to the row of each path of T, which may belong to neither side. ROWS has room for T's
 * node_count. */
void diff_map(struct diff *d, const struct paths *t, const struct diff_row **rows);
/* Sets ROWS to the row of the function at the end of each path of T. */
void diff_map_functions(struct diff *d, const struct paths *t, const struct diff_row **rows);

/* The caller frees the results of the next four functions. */
/* V in UNIT. */
char *diff_amount(const struct diff *d, enum diff_unit unit, double v);
/* The same; a positive V has a "+". */
char *diff_signed(const struct diff *d, enum diff_unit unit, double v);
/* C's B relative to its A: "-57 %", "4.1x", "new", "gone", or "" if they are equal. */
char *diff_relative(const struct change *c);
/* The path of row AT, "f > g > h", in at most about ROOM columns: outer functions are left out. */
char *diff_path(const struct diff_table *p, uint32_t at, int room);
/* Prints "1 worker", "2 to 4 workers". */
void diff_count(FILE *out, const char *word, unsigned least, unsigned most);
/* The rows of T, sorted by self costs, or by inclusive costs if ALL. The caller frees the array. */
struct diff_row **diff_sorted(const struct diff_table *t, const struct diff_wish *w, bool all);
/* Is C known to be no more than noise? */
bool diff_is_noise(const struct change *c);
/* C's mark in tables: "*" is beyond the noise, "~" is not, "" is not known. */
const char *diff_mark(const struct change *c);
enum diff_unit diff_unit_of(enum diff_metric k);

/* Print remarks, and what changed, as lines of text. A warning begins with "! ". */
void diff_remarks(const struct diff *d, FILE *out);
void diff_words(const struct diff *d, FILE *out);
void diff_text(const struct diff *d, const struct diff_wish *w, FILE *out);
/* The output of WRITE (diff_remarks, diff_words): as text, which the caller frees; as a new
 * reference to an array of its lines. */
char *diff_written(const struct diff *d, void (*write)(const struct diff *, FILE *));
struct json_t *diff_lines(const struct diff *d, void (*write)(const struct diff *, FILE *));
void diff_json(const struct diff *d, const struct diff_wish *w, FILE *out);
void diff_csv(const struct diff *d, const struct diff_wish *w, FILE *out);

#endif
