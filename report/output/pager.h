/* pager.h - a long text on a terminal, through the person's pager. */
#ifndef REPORT_OUTPUT_PAGER_H
#define REPORT_OUTPUT_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether what goes to stdout should go through a pager: it is a terminal, and PROF_PAGER, PAGER,
 * or nobody says otherwise ("" and "cat": none). */
bool pager_wanted(void);

/* Shows TEXT, and returns when the person has seen it; without the pager when that cannot be
 * started. 0, or -1 with errno: stdout could not be written. */
int pager_show(const char *text, size_t size);

#endif
