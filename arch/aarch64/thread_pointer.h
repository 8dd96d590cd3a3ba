/* thread_pointer.h - see arch/thread_pointer.h. The register is TPIDR_EL0. */
#ifndef ARCH_AARCH64_THREAD_POINTER_H
#define ARCH_AARCH64_THREAD_POINTER_H

static inline uintptr_t thread_pointer(void)
{
    return (uintptr_t)__builtin_thread_pointer();
}

static inline bool thread_pointer_quick(void)
{
    return true;
}

static inline __attribute__((always_inline)) uintptr_t thread_pointer_now(bool quick)
{
    uintptr_t now;
    (void)quick;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(now));
    return now;
}

static inline __attribute__((always_inline)) void thread_pointer_set(uintptr_t p)
{
    __asm__ volatile("msr tpidr_el0, %0" ::"r"(p) : "memory");
}

#endif
