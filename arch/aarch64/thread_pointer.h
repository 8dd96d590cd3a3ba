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

/* The input keeps the variable where the linker sees no other use of it. */
#define THREAD_LOCAL(name)                                                       \
    (*({                                                                         \
        __typeof__(name) *at_;                                                   \
        uintptr_t offset_;                                                       \
        __asm__ volatile("mrs %0, tpidr_el0\n\t"                                 \
                         "adrp %1, :gottprel:" #name "\n\t"                      \
                         "ldr %1, [%1, :gottprel_lo12:" #name "]\n\t"            \
                         "add %0, %0, %1"                                        \
                         : "=&r"(at_), "=&r"(offset_)                            \
                         : "r"(&name));                                          \
        at_;                                                                     \
    }))

#endif
