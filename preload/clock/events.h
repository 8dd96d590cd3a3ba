/* events.h - perf_event counters: opening and reading them safely inside somebody else's process;
 * and PROF_EVENTS, totals of further events for the whole process.
 */
#ifndef PRELOAD_EVENTS_H
#define PRELOAD_EVENTS_H

#include <stdint.h>
#include <linux/perf_event.h>

#define EVENTS_MAX 16

/* [init] Opens the comma-separated LIST of libpfm4 names, inherited by threads made later (so call
 * it while there is one). What cannot be counted gets one line by message() and is left out. */
void events_setup(const char *list);
/* [writer] How many are being counted. */
unsigned events_count(void);
/* [writer] The I-th event: 0, or -ENOENT past the last. VALUE is scaled when it was multiplexed;
 * -EBADF: the program closed our descriptor. */
int events_read(unsigned i, const char **name, uint64_t *value);
/* [writer] Share of the time in which the I-th event was being counted; 1: always, VALUE is exact.
 */
double events_scale(unsigned i);
/* [hook] In the child of fork: count anew, for the child. Until it is called events_read gives
 * -ENOENT there. */
void events_forked(void);

/* [hook] Opens ATTR for the calling thread: a descriptor and the kernel's ID of the event, or
 * -errno. Where the kernel may not be watched, tries without it if the event still means the same.
 */
int events_open(const struct perf_event_attr *attr, uint64_t *id);
/* [hook] Reads exactly SIZE bytes of the event ID through FD: 0 or -errno; -EBADF when FD is not,
 * or no longer, that event. async-signal-safe, preserves errno, not a cancellation point. */
int events_fetch(int fd, uint64_t id, void *buffer, unsigned long size);
/* [hook] Closes FD if it is that event. */
void events_close(int fd, uint64_t id);

#endif
