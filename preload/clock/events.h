/* events.h - perf_event counters: how to open and read them safely in another program's process.
 * Also PROF_EVENTS: totals of further events, for the whole process.
 */
#ifndef PRELOAD_CLOCK_EVENTS_H
#define PRELOAD_CLOCK_EVENTS_H

#include <stdint.h>
#include <linux/perf_event.h>

#define EVENTS_MAX 16

/* [init] Opens the comma-separated LIST of libpfm4 names. Later threads inherit the events, so the
 * process must still have one thread. message() prints one line for each event that cannot be
 * counted. */
void events_setup(const char *list);
/* [writer] The I-th event. Returns 0, -ENOENT past the last one, or -EBADF if the program closed
 * our descriptor. VALUE is scaled if the kernel multiplexed the event. */
int events_read(unsigned i, const char **name, uint64_t *value);
/* [hook] In the child of fork: counts anew, for the child. Before this call, events_read returns
 * -ENOENT in the child. */
void events_forked(void);

/* [hook] Opens ATTR for the calling thread. Returns a descriptor or -errno. *ID: the kernel's
 * number of the event. If we may not count kernel code, counts user code alone, provided that this
 * gives the same count. */
int events_open(const struct perf_event_attr *attr, uint64_t *id);
/* [hook] Reads exactly SIZE bytes of the event ID through FD. Returns 0, or -EBADF if FD is not, or
 * no longer, that event. Async-signal-safe, preserves errno, not a cancellation point. */
int events_fetch(int fd, uint64_t id, void *buffer, unsigned long size);
/* [hook] Closes FD if it is that event. */
void events_close(int fd, uint64_t id);

#endif
