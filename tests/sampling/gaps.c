/* gaps.c - how long a worker idles at a time:
 *   short  400,000 regions of 12 iterations of 100 ns: each wait is for one of them
 *   long   4 parts of 60 ms in which one thread works alone
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double iteration(int i)
{
    double x = i;
    for (int k = 0; k < 12; k++)
        x = x * 0.999 + 1.0 / (1 + x * x);
    return x;
}

static double many_regions(void)
{
    double sum = 0;
    for (int n = 0; n < 400000; n++) {
        double all[12];
#pragma omp parallel for
        for (int i = 0; i < 12; i++)
            all[i] = iteration(n + i);
        sum += all[n % 12];
    }
    return sum;
}

static double serial_parts(void)
{
    double sum = 0;
    for (int n = 0; n < 5; n++) {
        double all[12];
#pragma omp parallel for
        for (int i = 0; i < 12; i++)
            all[i] = iteration(n + i);
        for (double to = now() + (n < 4 ? 0.06 : 0); now() < to;)
            sum += iteration(n);
        sum += all[n];
    }
    return sum;
}

int main(int argc, char **argv)
{
    printf("%g\n", argc > 1 && !strcmp(argv[1], "short") ? many_regions() : serial_parts());
    return 0;
}
