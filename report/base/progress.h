/* progress.h - what takes long, said on the terminal while it does, and wiped away after. Silent
 * where stderr is none. */
#ifndef REPORT_BASE_PROGRESS_H
#define REPORT_BASE_PROGRESS_H

#include <stdint.h>

/* WHAT, and how many are done; cheap enough for every one of them. Shown after half a second, ten
 * times a second. */
void progress(const char *what, uint64_t done);
/* The same at once: what follows is one long step. */
void progress_now(const char *what);
/* Wipes it away: before anything else is printed. */
void progress_done(void);

#endif
