/* sample_source.h - what sends a thread the signals of its samples: a timer of its CPU time, or an
 * event of perf_event that overflows (PROF_SAMPLE). The handler is sampler.c's.
 */
#ifndef PRELOAD_SAMPLING_SAMPLE_SOURCE_H
#define PRELOAD_SAMPLING_SAMPLE_SOURCE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Of a thread. */
struct sample_source {
    int timer;                  /* the kernel's timer, or the event's descriptor */
    uint64_t event;             /* the kernel's id of the event */
    bool running;
};

/* For perf_event; size 0: the CPU timer. Written at the start. */
extern struct perf_event_attr sample_source_event;
/* A timer's signal carries the thread's address, xor this tag. No address of a program has these
 * bits. */
#define SAMPLE_SOURCE_TAG (0x60f5ul << 48)

/* [init] SETTING: PROF_SAMPLE, which is not off. For a bad one it prints one line and uses the
 * default. Returns the period in ns; 0: the source is an event that is not time. */
uint64_t sample_source_setup(const char *setting);
/* [init] There are no samples: both periods are 0. */
void sample_source_none(void);
/* [any] For the profile: the nominal ns of CPU time between two samples; the number of events, if
 * the source is an event that is not time; the source's name. Both numbers 0: no samples. */
uint64_t sample_source_period_ns(void);
uint64_t sample_source_period_events(void);
const char *sample_source_name(void);

/* [hook] Starts the source of the calling thread TH, if the kernel allows it: S->running. */
void sample_source_on(struct sample_source *s, const struct thread *th);
/* [any] Ends it. */
void sample_source_off(struct sample_source *s);
/* [hook] In the child of fork, which has none of its parent's timers. */
void sample_source_forked(void);

#endif
