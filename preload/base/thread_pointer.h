/* thread_pointer.h - the address of the calling thread's control block, which is different for all
 * threads that live. [any] */
#ifndef PRELOAD_BASE_THREAD_POINTER_H
#define PRELOAD_BASE_THREAD_POINTER_H

#include <stdint.h>

static inline uintptr_t thread_pointer(void)
{
#if defined __clang__ || __GNUC__ >= 11
    return (uintptr_t)__builtin_thread_pointer();
#else
    uintptr_t here;             /* the x86-64 ABI: the block begins with its own address */
    __asm__("mov %%fs:0, %0" : "=r"(here));
    return here;
#endif
}

#endif
