/* cpu.h - single instructions of the processor, and facts about it. [any]
 *
 *   cpu_pause()             a hint in a loop that waits
 *   cpu_counter()           the counter whose differences are the costs of strands
 *   CPU_COUNTER_NAME        how people call it
 *   cpu_counter_is_stated() does the processor itself state that the counter runs at one rate?
 *   cpu_counter_khz()       the counter's rate as the processor or the hypervisor states it; 0:
 *                           neither does
 *   CPU_KERNELS_CLOCK       the clock_gettime of the kernel's object in each process
 *   cpu_event_counter(I)    the event counter I of the kernel's page of a perf event (rdpmc there)
 *   cpu_copy(), cpu_fill()  memcpy and memset that call no function and touch no thread-local
 *                           storage; they return the end of the target
 */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include "arch/folder.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include ARCH(cpu.h)

#endif
