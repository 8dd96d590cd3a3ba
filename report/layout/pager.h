/* pager.h - shows a long text on a terminal, in the user's pager. */
#ifndef REPORT_LAYOUT_PAGER_H
#define REPORT_LAYOUT_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Should output to stdout go through a pager? It should if stdout is a terminal, unless PROF_PAGER,
 * or else PAGER, is "" or "cat". */
bool pager_wanted(void);

/* Shows TEXT, and returns when the user has left the pager. If the pager cannot be started, writes
 * TEXT to stdout. Returns 0, or -1 with errno if stdout could not be written. */
int pager_show(const char *text, size_t size);

#endif
