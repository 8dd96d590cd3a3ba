/* write.h - writes the profile of this process. */
#ifndef PRELOAD_LIFECYCLE_WRITE_H
#define PRELOAD_LIFECYCLE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

/* [init] The writer's stack. */
void write_setup(void);
/* [any] Nothing parallel has happened so far, and nobody asked for a file: there is nothing to
 * write or to print at END. */
bool write_needs_nothing(uint32_t end);
/* [writer] The caller holds the writer's lock and has blocked signals. END is enum lpf_end.
 * write_silently returns 0 or -errno, for writer_report. write_profile calls writer_report
 * itself. */
int write_silently(bool final, uint32_t end, uint32_t status);
void write_profile(bool final, uint32_t end, uint32_t status);
/* [hook] Writes the profile, as if the program ended, because the next call may end it. If the
 * program goes on, recording goes on, and the file is written again at the end. Takes the lock. */
void write_ahead(uint32_t end);

#endif
