/* thread_pointer.h - see arch/thread_pointer.h. The register is the FS base. */
#ifndef ARCH_X86_64_THREAD_POINTER_H
#define ARCH_X86_64_THREAD_POINTER_H

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include "arch/system_call.h"

static inline uintptr_t thread_pointer(void)
{
#if defined __clang__ || __GNUC__ >= 11
    return (uintptr_t)__builtin_thread_pointer();
#else
    uintptr_t here;             /* the ABI: the block begins with its own address */
    __asm__("mov %%fs:0, %0" : "=r"(here));
    return here;
#endif
}

/* The kernel lets programs use the instructions: a bit of AT_HWCAP2. */
static inline bool thread_pointer_quick(void)
{
    enum { FSGSBASE = 2 };
    return getauxval(AT_HWCAP2) & FSGSBASE;
}

static inline __attribute__((always_inline)) uintptr_t thread_pointer_now(bool quick)
{
    uintptr_t base = 0;
    if (__builtin_expect(quick, 1))
        __asm__ volatile("rdfsbase %0" : "=r"(base));
    else
        system_call2(SYS_arch_prctl, ARCH_GET_FS, (long)&base);
    return base;
}

static inline __attribute__((always_inline)) void thread_pointer_set(uintptr_t p)
{
    system_call2(SYS_arch_prctl, ARCH_SET_FS, (long)p);
}

/* The compiler names the register at each access. */
#define THREAD_LOCAL(name) name

#endif
