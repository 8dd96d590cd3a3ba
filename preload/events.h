/* events.h - PROF_EVENTS: totals of further events for the whole process. */
#ifndef PRELOAD_EVENTS_H
#define PRELOAD_EVENTS_H

#include <stdint.h>

/* [init] Opens the comma-separated LIST, inherited by threads made later. Warns by message(). */
void events_setup(const char *list);
/* [writer] The I-th event: 0, or -ENOENT past the last. VALUE is scaled when it was multiplexed. */
int events_read(unsigned i, const char **name, uint64_t *value);

#endif
