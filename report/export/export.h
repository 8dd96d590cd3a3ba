/* export.h - the contract of `prof export`'s formats: what a format is given, and what it must do.
 *
 * A format is one file, NAME.c, with one function in the table of formats.c. No format reads struct
 * paths. struct export_tree holds what all formats need, such that none can get these wrong:
 *
 *   exactness   the values of each metric add up to export_tree.total, the profile's total in whole
 *               ns: the sum of a file is the number that `prof report` shows
 *   names       are valid UTF-8 without control characters or line ends, and not empty, whatever
 *               the profile, the program's symbols or its debug information hold; a format only
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

/* Functions that are kept at each end of a path. If a path has more than twice as many, those
 * between are one function "[...]". Otherwise a reader that stores each sample's path would need
 * the square of a deep recursion. */
#define EXPORT_PATH_ENDS 256
#define EXPORT_PATH (2 * EXPORT_PATH_ENDS + 1)

struct export_function {
    char *name;
    uint32_t file;              /* of export_tree.files; 0: unknown */
    int line;                   /* the line that most samples hit, or that most calls leave; 0:
                                   unknown */
};

struct export_place {
    uint32_t function;          /* of export_tree.functions */
    int line;                   /* 0: unknown */
};

struct export_tree {
    const struct paths *paths;
    const struct profile *profile;
    char *program;              /* its path */
    enum export_metric metric;  /* the one that you asked for: shown alone, or first */
    /* Node 0 is the program; the parent of i is paths->nodes[i].parent, smaller than i. */
    size_t node_count;
    uint64_t (*self)[EXPORT_METRICS];           /* of each node, exclusive */
    uint64_t total[EXPORT_METRICS];             /* the sums of self */
    /* node_count + 1 of them: the last is [...], see export_path */
    struct export_place *places;
    struct export_function *functions;          /* distinct ones; the last is [...] */
    uint32_t function_count;
    char **files;                               /* distinct names; files[0] is "" */
    uint32_t file_count;
    /* for export_path: the depth of each node; its ancestor that ends the outer part of a long
     * path */
    uint32_t *depth, *outer;
};

/* METRIC: one of export_metrics. T and its model must outlive the tree. */
void export_tree_new(struct export_tree *e, const struct paths *t, const char *metric);
void export_tree_free(struct export_tree *e);

/* Writes the path of node AT to PATH, which has room for EXPORT_PATH places: their indexes,
 * innermost first. Returns their number, at least 1. The program's node occurs only in its own
 * path: every path would end with it. */
size_t export_path(const struct export_tree *e, uint32_t at, uint32_t *path);

/* Is METRIC in ns? Costs are if the clock counts time; samples never are. */
bool export_is_time(const struct export_tree *e, enum export_metric metric);

struct export_format {
    const char *name;
    int (*write)(const struct export_tree *e, FILE *out);
    bool binary;
};
/* The format called NAME. NULL after one line on stderr, which lists them. */
const struct export_format *export_format(const char *name);

/* The formats. 0, or -1 with errno: OUT or memory failed. The caller flushes and checks OUT. */
int export_folded(const struct export_tree *e, FILE *out);
int export_pprof(const struct export_tree *e, FILE *out);
int export_speedscope(const struct export_tree *e, FILE *out);
int export_callgrind(const struct export_tree *e, FILE *out);
int export_firefox(const struct export_tree *e, FILE *out);
int export_gnuplot(const struct export_tree *e, FILE *out);

#endif
