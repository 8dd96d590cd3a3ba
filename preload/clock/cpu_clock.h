/* cpu_clock.h - the kernel's number of a thread's CPU clock: MAKE_THREAD_CPUCLOCK(tid,
 * CPUCLOCK_SCHED), as pthread_getcpuclockid gives it, but by the thread's id. */
#ifndef PRELOAD_CLOCK_CPU_CLOCK_H
#define PRELOAD_CLOCK_CPU_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

/* [any] */
static inline clockid_t cpu_clock_of(uint32_t tid)
{
    return (clockid_t)(~tid << 3 | 6);
}

#endif
