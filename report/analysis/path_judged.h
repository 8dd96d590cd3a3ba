/* path_judged.h - what a verdict on a function is based on, and its form. */
#ifndef REPORT_ANALYSIS_PATH_JUDGED_H
#define REPORT_ANALYSIS_PATH_JUDGED_H

#include "analysis/paths.h"
#include "analysis/paths_private.h"

/* Fewer samples than this show no idleness, and neither work nor span. */
#define LEAST_SAMPLES 4
/* If parallelism is so many times the workers, any greedy schedule keeps two thirds of them
 * busy. */
#define SCALES 2.0

struct judged {
    const struct path_cost *c;
    const struct path_grain *g; /* NULL: the program's own strands, outside every task */
    double span, work, idle;    /* shares of the program's, 0 to 1 */
    bool recursive;             /* a part of it is in tasks of a recursion */
    bool idles;                 /* workers idle while it runs, and not for lack of a CPU */
    double mean;                /* ns of a mean task */
    double asleep;              /* ns that it waited itself, not for a CPU */
    double waits;               /* the same of it and its callees in the same strands, per time of
                                 * their work */
    double span_ns;             /* of its tasks, all of them; or of the program's own strands */
    bool outside;               /* it is outside every task */
    bool region;                /* it is in regions as executed */
    bool even;                  /* these had equal work on all threads */
    bool whole;                 /* no sample split the cost: it is that of all its tasks */
    bool few;                   /* too few samples to show whether it is on the critical path */
    bool chosen;                /* samples decide on the path: path_is_blurred */
    bool span_first;            /* the span is what limits the program most */
    struct mark marked;         /* parts of its work, ns */
    unsigned workers;
};

/* What to do, and its words. Words of NULL: the function that was asked has no verdict, and the
 * next one decides. */
struct verdict {
    enum verdict_kind kind;
    const char *words;
};

/* The first verdict of docs/JSON.md's table that holds of R. J is what is known of R. */
struct verdict path_verdict(struct paths *t, const struct path_row *r, const struct judged *j);

#endif
