/* view.h - a profile as one page for a browser. The page needs no network. */
#ifndef REPORT_VIEW_VIEW_H
#define REPORT_VIEW_VIEW_H

#include <stdbool.h>
#include "layout/options.h"

/* The options of `prof view`. */
struct view_way {
    const char *output;         /* a file, or "-" for stdout; NULL: named after the profile */
    const char *before, *bench; /* files of --diff, --bench; NULL: none */
    bool source, serve, open;
};

/* Was prof built with its page? False after one line on stderr. */
bool view_is_built(void);
/* The same without the line. */
bool view_has_page(void);
/* Makes the page of profile FILE. Returns 0, or 2 after a line on stderr. */
int view_page(const char *file, const struct options *o, const struct view_way *w);
/* Writes the page of PROFILE into the current directory, and opens a browser if there is one.
 * Returns 0, or 2 after a line on stderr. */
int view_open(const char *profile);

#endif
