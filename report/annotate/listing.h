/* listing.h - the program's source with costs in the margin.
 *
 * A line's self costs are those of the samples that hit it, as innermost frame that the person
 * sees: of inlined code in the inlined function's own source, of the runtime's and of libraries
 * without lines at the program's line that called them. With callees it has everything below the
 * paths that lead through it, what it spawned included. Self costs of all lines, of code without
 * lines, and of tasks that no sample hit add up to the program's.
 */
#ifndef REPORT_ANNOTATE_LISTING_H
#define REPORT_ANNOTATE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "output/options.h"
#include "symbols/source.h"

enum { LISTING_NAMES = 3 };

enum { LISTING_WINDOW = 12 };           /* lines around the one that was asked for */

struct listing_wish {
    const char *function, *source;
    int line;                   /* of SOURCE; 0: none */
    size_t files, context;      /* how many */
    bool all, whole;
};

/* One line of one file, whichever functions it is in. */
struct listed_line {
    int number;
    struct path_cost self, all;
    const char *functions[LISTING_NAMES];
    unsigned function_count;    /* may be more */
    bool wanted;                /* asked for, or hot */
};

struct listed_file {
    const char *name, *module;
    struct listed_line *lines;         /* ascending */
    size_t count;
    struct path_cost self;
};

struct listing {
    const struct model *m;
    struct paths *t;
    const struct options *o;
    const struct listing_wish *w;
    struct source *source;
    struct listed_file *files;         /* the hottest first */
    size_t count;
    FILE *out;
};

/* Fills L's files: rows of functions become lines of files. */
void listing_files(struct listing *l);
/* Chooses which lines, and so which files, are shown. */
void listing_choose(struct listing *l);
bool listing_is_chosen(const struct listing *l, const struct listed_file *f);
/* In words: F may not be what was measured; NULL: nothing says so. CHANGED_NS: when it was
 * changed. */
const char *listing_age(const struct listing *l, const struct listed_file *f, uint64_t changed_ns);

void listing_text(const struct listing *l);
void listing_json(const struct listing *l);

#endif
