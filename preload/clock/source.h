/* source.h - the clocks behind clock.c. clock.h describes each function under its clock_ name. */
#ifndef PRELOAD_CLOCK_SOURCE_H
#define PRELOAD_CLOCK_SOURCE_H

#include <time.h>
#include <stdbool.h>
#include "clock/clock.h"

/* tsc.c */
/* Does the time-stamp counter run at one rate, always, on all CPUs? */
bool tsc_invariant(void);
void tsc_setup(void);
const char *tsc_detail(void);
void tsc_thread_start(struct clock_thread *c);
void tsc_thread_stop(struct clock_thread *c);
uint64_t tsc_now_slow(struct clock_thread *c, uint64_t tsc) __attribute__((cold, noinline));
bool tsc_peek(const struct clock_thread *c, uint32_t tid, uint64_t *value);

/* tsc_rate.c; the rest of it is in clock.h: clock_rate, clock_refine, clock_ns_to_ticks. The first
 * measurement is from tsc_start to tsc_measure_rate. */
void tsc_start(void);
/* [any] Reads CLOCK, which is no CPU time, by the vDSO. False: there is none. */
bool tsc_kernels_clock(int clock, struct timespec *t);
void tsc_measure_rate(void);

/* counter.c */
int counter_setup(const char *name, const char **why);
bool counter_is_time(void);
uint64_t clock_now_counter(struct clock_thread *c);
bool counter_peek(const struct clock_thread *c, uint64_t *value);
void counter_thread_start(struct clock_thread *c);
void counter_thread_stop(struct clock_thread *c);

#endif
