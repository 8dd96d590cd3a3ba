/* cpu.h - see arch/cpu.h. The counter is the generic timer's, which the architecture makes run at
 * one rate. It is coarse: a tick takes 1 to 52 ns. */
#ifndef ARCH_AARCH64_CPU_H
#define ARCH_AARCH64_CPU_H

#define CPU_KERNELS_CLOCK "__kernel_clock_gettime"
#define CPU_COUNTER_NAME "generic timer"

/* Not yield, which most processors take for nothing: isb waits some 10 ns. */
static inline void cpu_pause(void)
{
    __asm__ volatile("isb" ::: "memory");
}

/* Not serialised, as on x86-64. */
static inline uint64_t cpu_counter(void)
{
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
}

static inline bool cpu_counter_is_stated(void)
{
    return true;
}

/* The firmware states it. */
static inline uint64_t cpu_counter_khz(void)
{
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz / 1000;
}

/* Index 31 is the counter of cycles. The others have a register each, by name. */
static inline uint64_t cpu_event_counter(uint32_t index)
{
    uint64_t value = 0;
#define COUNTER(n) case n: __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); break
    switch (index) {
    COUNTER(0); COUNTER(1); COUNTER(2); COUNTER(3); COUNTER(4); COUNTER(5); COUNTER(6);
    COUNTER(7); COUNTER(8); COUNTER(9); COUNTER(10); COUNTER(11); COUNTER(12); COUNTER(13);
    COUNTER(14); COUNTER(15); COUNTER(16); COUNTER(17); COUNTER(18); COUNTER(19); COUNTER(20);
    COUNTER(21); COUNTER(22); COUNTER(23); COUNTER(24); COUNTER(25); COUNTER(26); COUNTER(27);
    COUNTER(28); COUNTER(29); COUNTER(30);
    case 31: __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value)); break;
    }
#undef COUNTER
    return value;
}

/* The empty statements keep the compiler from turning the loops into calls. */
static inline void *cpu_copy(void *to, const void *from, size_t bytes)
{
    char *t = to;
    const char *f = from;
    for (; bytes; bytes--) {
        *t++ = *f++;
        __asm__ volatile("" ::: "memory");
    }
    return t;
}

static inline void *cpu_fill(void *to, int byte, size_t bytes)
{
    char *t = to;
    uint64_t word = (unsigned char)byte * 0x0101010101010101ull;
    for (; bytes >= 16; bytes -= 16, t += 16)
        __asm__ volatile("stp %1, %1, [%0]" ::"r"(t), "r"(word) : "memory");
    for (; bytes; bytes--) {
        *t++ = (char)byte;
        __asm__ volatile("" ::: "memory");
    }
    return t;
}

#endif
