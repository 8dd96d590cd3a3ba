/* check.h - does a program do what it should? For `prof check`: requirements on figures of its
 * runs, and how much worse than in a baseline they may be.
 *
 * A verdict states no more than is known. What is known of a figure is an interval: from what the
 * profile leaves open (a bound, the error of sampling), and from the noise of the runs. If a
 * requirement holds for some of the interval only, its verdict is CHECK_UNKNOWN. A regression is
 * one only if it is beyond the noise, too. So noise fails no program.
 */
#ifndef REPORT_CHECK_CHECK_H
#define REPORT_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "analysis/figures.h"
#include "analysis/stats.h"
#include "layout/options.h"

enum check_operator {
    CHECK_LESS,
    CHECK_AT_MOST,
    CHECK_MORE,
    CHECK_AT_LEAST,
    CHECK_EQUAL,
    CHECK_UNEQUAL,
    CHECK_OPERATORS
};
extern const char *const check_operators[CHECK_OPERATORS];

enum check_unit { CHECK_PLAIN, CHECK_PERCENT, CHECK_NS };
enum check_verdict { CHECK_MET, CHECK_NOT_MET, CHECK_UNKNOWN };
extern const char *const check_verdicts[];

enum { CHECK_BASELINE, CHECK_RUNS, CHECK_SIDES };

/* What the runs of one side show of a figure. */
struct check_known {
    struct moments runs;
    double least, most;         /* means of what each run's figure may be */
    double sampling;            /* mean variance of one run by sampling; NAN: there is none */
    enum certainty certainty;   /* of the run that is least certain */
    char *absent;               /* why a file does not have the figure; NULL: all have it */
};

/* One requirement. */
struct check_test {
    enum figure figure;
    char *function;             /* NULL: the whole program */
    bool regression;            /* it is about the baseline */
    bool by_default;            /* of a regression: no one named the figure */
    enum check_operator op;     /* else: OP and VALUE, in UNIT; CHECK_NS: in ns */
    enum check_unit unit;
    double value;
    double allowed;             /* of a regression: the largest, in percent of the baseline */
    char *asked;                /* as text */
    struct check_known side[CHECK_SIDES];
    struct change change;       /* of a regression, from the baseline */
    double margin;              /* half the 95 % interval of the mean, or change; NAN: unknown */
    bool noise_known;           /* how far runs differ by chance */
    enum check_verdict verdict;
    char *found, *why;          /* as text; "": there is no more to it */
    char *file;                 /* the place in the source that it is about; NULL: none is known */
    int line;
};

struct check_side {
    char **files;
    unsigned count;
    char *exe, *cmdline, *clock, *unit; /* of the first file */
    unsigned workers;           /* the same */
    bool same_command, same_workers;    /* so are the others */
    bool merged, cut;           /* a file was merged from several; is cut short (figures_cut) */
    char *failed;               /* a file whose program did not exit with 0, with the status */
};

struct check {
    struct check_test *tests;
    size_t count;
    struct check_side side[CHECK_SIDES];
    char **remarks;             /* lines; a warning begins with "! " */
    size_t remark_count;
};

/* Add what --require and --max-regression ask for. They return NULL; or why TEXT is wrong, which
 * the caller frees. If that is because of a name that is no figure's, *UNKNOWN becomes the name,
 * which the caller frees, too. */
char *check_require(struct check *c, const char *text, char **unknown);
char *check_limit(struct check *c, const char *text, char **unknown);

/* Reads the files of both sides, which the caller has set, and judges all tests. False after one
 * line on stderr: a file cannot be read, sides cannot be compared, or a unit is wrong. */
bool check_run(struct check *c, const struct options *o);
void check_free(struct check *c);

/* Sets the verdict of T and its words. EXACT: runs do not differ by chance (the virtual clock).
 * CUT: a file is cut short. UNIT is the clock's. */
void check_judge(struct check_test *t, bool exact, bool cut, const char *unit);

/* The verdict on all tests: not met if one is not, else unknown if one is. */
enum check_verdict check_all(const struct check *c);
size_t check_count(const struct check *c, enum check_verdict v);
/* How many are met, in words. The caller frees it. */
char *check_sum(const struct check *c);

void check_text(const struct check *c, const struct options *o, FILE *out);
void check_markdown(const struct check *c, FILE *out);
void check_junit(const struct check *c, bool allow_unknown, FILE *out);
void check_github(const struct check *c, FILE *out);
void check_json(const struct check *c, FILE *out);

#endif
