/* spin.h - work of a given length for the programs of this folder: so many rounds, not so long, so
 * that a thread that is off the CPU does not do less. C and C++. */
#ifndef TESTS_VERDICTS_SPIN_H
#define TESTS_VERDICTS_SPIN_H

#include <time.h>

static double rounds_a_us = 100;
static volatile double sink;

/* In the function that calls it, whatever the compiler inlines. */
#define ROUNDS(us)                                       \
    do {                                                 \
        double x = 1;                                    \
        for (long n = (us) * rounds_a_us; n > 0; n--)    \
            x = x * 1.0000001 + 1e-9;                    \
        sink = x;                                        \
    } while (0)

static __attribute__((noinline)) void spin(double us)
{
    ROUNDS(us);
}

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Before the first ROUNDS: how many rounds a microsecond has here. By the shortest of ten: what
 * interrupts, or a host that takes the processor, cost is in the CPU time of some. */
static void calibrate(void)
{
    double least = 1e9;
    for (int i = 0; i < 10; i++) {
        double start = cpu_us();
        spin(400);
        double took = cpu_us() - start;
        if (took < least)
            least = took;
    }
    rounds_a_us = 40000 / least;
}

#endif
