/* progress.h - a line on the terminal that names a long step while it runs. If stderr is not a
 * terminal, nothing is printed. */
#ifndef REPORT_BASE_PROGRESS_H
#define REPORT_BASE_PROGRESS_H

#include <stdint.h>

/* Names the step, WHAT, and how many of its items are done. The line appears once the step has
 * taken half a second, and changes at most ten times a second. So a caller may call this after
 * every item. */
void progress(const char *what, uint64_t done);
/* Prints the line at once, without a count: for a step that cannot report its items. */
void progress_now(const char *what);
/* Wipes the line. Call it before you print anything else. */
void progress_done(void);

#endif
