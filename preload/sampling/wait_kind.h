/* wait_kind.h - what a thread waits for, by the system call in which it is. */
#ifndef PRELOAD_SAMPLING_WAIT_KIND_H
#define PRELOAD_SAMPLING_WAIT_KIND_H

#include <stdint.h>

/* [any] enum lpf_wait_kind of system call NUMBER; -1: the thread is in none. */
uint32_t wait_kind_of(long number);

#endif
