/* ticks.h - the time-stamp counter (TSC). clock.h turns its ticks into the cost of a strand. */
#ifndef PRELOAD_CLOCK_TICKS_H
#define PRELOAD_CLOCK_TICKS_H

#include <stdint.h>
#include "arch/cpu.h"

/* [any] The counter now. tsc.c states why the reading is not serialised. */
static inline uint64_t clock_ticks(void)
{
    return cpu_counter();
}

#endif
