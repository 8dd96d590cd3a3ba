/* cpu.h - see arch/cpu.h. */
#ifndef ARCH_X86_64_CPU_H
#define ARCH_X86_64_CPU_H

#include <cpuid.h>

#define CPU_KERNELS_CLOCK "__vdso_clock_gettime"
#define CPU_COUNTER_NAME "time-stamp counter"

static inline void cpu_pause(void)
{
    __builtin_ia32_pause();
}

/* preload/clock/tsc.c states why the reading is not serialised. */
static inline uint64_t cpu_counter(void)
{
    return __builtin_ia32_rdtsc();
}

/* Each 64-bit processor has this leaf. cpuid traps to a hypervisor, and may take 10 us there. */
static inline bool cpu_counter_is_stated(void)
{
    unsigned a, b, c, d;
    __cpuid(0x80000007, a, b, c, d);
    return d >> 8 & 1;
}

/* Leaf 0x15 is the processor's, leaf 0x40000010 the hypervisor's. */
static inline uint64_t cpu_counter_khz(void)
{
    unsigned a, b, c, d;
    __cpuid(0, a, b, c, d);
    if (a >= 0x15) {
        __cpuid_count(0x15, 0, a, b, c, d);
        if (a && b && c)
            return (uint64_t)c * b / a / 1000;
    }
    __cpuid(1, a, b, c, d);
    if (c >> 31 & 1) {                          /* under a hypervisor */
        __cpuid(0x40000000, a, b, c, d);
        if (a >= 0x40000010) {
            __cpuid(0x40000010, a, b, c, d);
            return a;
        }
    }
    return 0;
}

static inline uint64_t cpu_event_counter(uint32_t index)
{
    return (uint64_t)__builtin_ia32_rdpmc((int)index);
}

static inline void *cpu_copy(void *to, const void *from, size_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return to;
}

static inline void *cpu_fill(void *to, int byte, size_t bytes)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(byte) : "memory");
    return to;
}

#endif
