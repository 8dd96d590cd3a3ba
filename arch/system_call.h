/* system_call.h - system calls without libc. [any]
 *
 * They set no errno, they are no cancellation points, the program cannot interpose them, and they
 * touch no thread-local storage. The result is the kernel's: a negative errno is an error.
 */
#ifndef ARCH_SYSTEM_CALL_H
#define ARCH_SYSTEM_CALL_H

#include "arch/folder.h"

#include ARCH(system_call.h)

static inline __attribute__((always_inline)) long system_call2(long number, long a, long b)
{
    return system_call_n(2, number, a, b, 0, 0, 0, 0);
}

static inline __attribute__((always_inline)) long system_call4(long number, long a, long b, long c,
                                                               long d)
{
    return system_call_n(4, number, a, b, c, d, 0, 0);
}

static inline __attribute__((always_inline)) long system_call6(long number, long a, long b, long c,
                                                               long d, long e, long f)
{
    return system_call_n(6, number, a, b, c, d, e, f);
}

#endif
