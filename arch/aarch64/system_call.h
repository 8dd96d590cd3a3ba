/* system_call.h - see arch/system_call.h. */
#ifndef ARCH_AARCH64_SYSTEM_CALL_H
#define ARCH_AARCH64_SYSTEM_CALL_H

/* The call NUMBER with N arguments: 2, 4 or 6. */
static inline __attribute__((always_inline)) long system_call_n(int n, long number, long a, long b,
                                                                long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    if (n == 2)
        __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
    else if (n == 4)
        __asm__ volatile("svc #0"
                         : "+r"(x0)
                         : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
                         : "memory");
    else
        __asm__ volatile("svc #0"
                         : "+r"(x0)
                         : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                         : "memory");
    return x0;
}

#endif
