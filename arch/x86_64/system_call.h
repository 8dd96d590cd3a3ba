/* system_call.h - see arch/system_call.h. */
#ifndef ARCH_X86_64_SYSTEM_CALL_H
#define ARCH_X86_64_SYSTEM_CALL_H

/* The call NUMBER with N arguments: 2, 4 or 6. */
static inline __attribute__((always_inline)) long system_call_n(int n, long number, long a, long b,
                                                                long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    if (n == 2)
        __asm__ volatile("syscall"
                         : "+a"(number)
                         : "D"(a), "S"(b)
                         : "rcx", "r11", "memory");
    else if (n == 4)
        __asm__ volatile("syscall"
                         : "+a"(number)
                         : "D"(a), "S"(b), "d"(c), "r"(r10)
                         : "rcx", "r11", "memory");
    else
        __asm__ volatile("syscall"
                         : "+a"(number)
                         : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                         : "rcx", "r11", "memory");
    return number;
}

#endif
