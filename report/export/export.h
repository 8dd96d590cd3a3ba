/* export.h - the contract of `prof export`'s formats: what a format gets, and what it must do.
 *
 * A format is one file, NAME.c, with one function in the table of formats.c. A format takes names
 * and values from struct export_tree, which guarantees:
 *
 *   exactness   the values of each metric add up to export_tree.total, the profile's total in whole
 *               ns: the sum of a file is the number that `prof report` shows
 *   names       are valid UTF-8, not empty, and without control characters or line ends, whatever
 *               the profile, the program's symbols or its debug information hold. A format only
 *               quotes its own special characters
 *   ranges      every value and every sum of values fits int64_t
 */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include <stdint.h>
#include <stdio.h>
#include "analysis/paths.h"
#include "profile/profile.h"

enum export_metric {
    EXPORT_WORK,
    EXPORT_SPAN,
    EXPORT_OVERHEAD,
    EXPORT_IDLENESS,
    EXPORT_BLOCKED,
    EXPORT_OWN,
    EXPORT_SAMPLES,
    EXPORT_ON_SPAN,
    EXPORT_METRICS
};
extern const char *const export_metrics[EXPORT_METRICS];    /* their names: "work", ... */

/* The number of functions that are kept at each end of a path. If a path has more than twice as
 * many, one function "[...]" stands for those between. Otherwise a reader that stores each sample's
 * path would need memory by the square of a recursion's depth. */
#define EXPORT_PATH_ENDS 256
#define EXPORT_PATH (2 * EXPORT_PATH_ENDS + 1)

struct export_function {
    char *name;
    uint32_t file;              /* index in export_tree.files; 0: unknown */
    int line;                   /* the line that most samples hit, or that the call with the most
                                 * samples is on; 0: unknown */
};

struct export_place {
    uint32_t function;          /* index in export_tree.functions */
    int line;                   /* 0: unknown */
};

struct export_tree {
    const struct paths *paths;
    const struct profile *profile;
    char *program;              /* the path of the program's file */
    enum export_metric metric;  /* the chosen one: it is shown alone, or first */
    /* Node 0 is the program. The parent of i is paths->nodes[i].parent, which is smaller than i. */
    size_t node_count;
    uint64_t (*self)[EXPORT_METRICS];           /* by node; exclusive */
    uint64_t total[EXPORT_METRICS];             /* the sums of self */
    struct export_place *places;                /* by node; one more, the last, is [...] */
    struct export_function *functions;          /* all distinct; the last is [...] */
    uint32_t function_count;
    char **files;                               /* all distinct; files[0] is "" */
    uint32_t file_count;
    /* for export_path, by node: its depth; the innermost node of its path's outer end */
    uint32_t *depth, *outer;
};

/* METRIC is one of export_metrics. T and its summary must outlive E. */
void export_tree_new(struct export_tree *e, const struct paths *t, const char *metric);
void export_tree_free(struct export_tree *e);

/* Sets PATH to the indexes of the places on the path of node AT, innermost first. PATH has room for
 * EXPORT_PATH. Returns their number, at least 1. Only node 0's own path has node 0: otherwise every
 * path would end with it. */
size_t export_path(const struct export_tree *e, uint32_t at, uint32_t *path);

/* Is METRIC in ns? Costs are if the clock counts time; samples never are. */
bool export_is_time(const struct export_tree *e, enum export_metric metric);

struct export_format {
    const char *name;
    int (*write)(const struct export_tree *e, FILE *out);
    bool binary;
};
/* The format called NAME. NULL: there is none; a line on stderr lists the formats. */
const struct export_format *export_format(const char *name);

/* The formats. Each returns 0, or -1 with errno if it could not write to OUT or had no memory. The
 * caller flushes and checks OUT. */
int export_folded(const struct export_tree *e, FILE *out);
int export_pprof(const struct export_tree *e, FILE *out);
int export_speedscope(const struct export_tree *e, FILE *out);
int export_callgrind(const struct export_tree *e, FILE *out);
int export_firefox(const struct export_tree *e, FILE *out);
int export_gnuplot(const struct export_tree *e, FILE *out);

#endif
