/* pfm.h - from event names to perf_event attributes, by libpfm4. It is loaded on demand: a program
 * must not fail to start because a profiler's library is missing. [init], unless marked otherwise:
 * libpfm4 allocates.
 */
#ifndef PRELOAD_CLOCK_PFM_H
#define PRELOAD_CLOCK_PFM_H

#include <linux/perf_event.h>

/* Fills ATTR for NAME ("instructions", "page-faults:u", ...). 0, or -errno with a one-line *WHY. */
int pfm_event(const char *name, struct perf_event_attr *attr, const char **why);
/* [hook] perf_event_open(2). PID 0: the calling thread. Returns a descriptor or -errno. */
int pfm_open(struct perf_event_attr *attr, int pid);
/* A one-line reason for pfm_open's failure. */
const char *pfm_why(int error);

#endif
