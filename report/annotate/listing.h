/* listing.h - the program's source with costs in the margin.
 *
 * A line's self costs are those of the samples whose innermost shown frame is on it. Inlined code
 * has its costs in the source of the inlined function. Code of the runtime and of libraries without
 * lines has them at the program's line that called it. Costs with callees include all paths through
 * the line, and what it spawned. The self costs of all lines, of code without lines, and of tasks
 * without a sample add up to the program's.
 */
#ifndef REPORT_ANNOTATE_LISTING_H
#define REPORT_ANNOTATE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "analysis/causes.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "layout/options.h"
#include "symbols/source_text.h"

enum { LISTING_NAMES = 3 };

enum { LISTING_WINDOW = 12 };           /* lines shown before and after SOURCE:LINE */

struct listing_wish {
    const char *function, *source;
    int line;                   /* of SOURCE; 0: none */
    size_t files, context;      /* the most files; lines around a hot one */
    bool all, whole;
    bool sarif;                 /* the JSON form is SARIF */
};

/* One line of one file, whichever functions it is in. */
struct listed_line {
    int number;
    struct path_cost self, all;
    const char *functions[LISTING_NAMES];
    unsigned function_count;    /* may be larger than LISTING_NAMES */
    bool wanted;                /* the user asked for it, or it is hot */
};

struct listed_file {
    const char *name, *module;
    struct listed_line *lines;         /* ascending by number */
    size_t count;
    size_t findings;            /* of causes.h, at its lines */
    struct path_cost self;
};

struct listing {
    const struct summary *m;
    struct paths *t;
    const struct options *o;
    const struct listing_wish *w;
    struct source *source;
    struct listed_file *files;         /* the program's own before those of libraries; of each, the
                                        * hottest first */
    size_t count;
    bool off_cpu;                      /* a shown line has a good part of the time off the CPU */
    FILE *out;
};

/* Sets L's files: turns the rows of functions into lines of files. */
void listing_files(struct listing *l);
/* Chooses the lines, and so the files, that are shown. Sets L->off_cpu. */
void listing_choose(struct listing *l);
/* Is the finding X at line NUMBER of F? */
bool listing_is_at(const struct listed_file *f, int number, const struct cause_finding *x);
bool listing_is_chosen(const struct listing *l, const struct listed_file *f);
/* A warning that F may not be the source that was measured; NULL: nothing shows that. CHANGED_NS:
 * the time of F's last change. */
const char *listing_age(const struct listing *l, const struct listed_file *f, uint64_t changed_ns);

void listing_text(const struct listing *l);
void listing_json(const struct listing *l);
void listing_sarif(const struct listing *l);

#endif
