/* libc.c - copies and fills by libprof's own functions and by libc's, in turns. bench/libc.sh
 * builds it: own_memcpy and own_memset are preload/base/libc.c's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void *own_memcpy(void *to, const void *from, size_t n);
void *own_memset(void *to, int byte, size_t n);

enum { ROUNDS = 31, CALLS = 20000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static char from[1 << 16], to[1 << 16];
    static const size_t sizes[] = { 8, 16, 24, 40, 64, 128, 256, 1024, 16384 };
    void *(*volatile copy[])(void *, const void *, size_t) = { own_memcpy, memcpy };
    void *(*volatile fill[])(void *, int, size_t) = { own_memset, memset };
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        double ns[4][ROUNDS];
        size_t n = sizes[s];
        for (int r = 0; r < ROUNDS; r++)
            for (int k = 0; k < 4; k++) {
                void *(*c)(void *, const void *, size_t) = copy[k % 2];
                void *(*f)(void *, int, size_t) = fill[k % 2];
                double t = now();
                for (int i = 0; i < CALLS; i++)
                    if (k < 2)
                        c(to + i % 8, from, n);
                    else
                        f(to + i % 8, 0, n);
                ns[k][r] = (now() - t) / CALLS;
            }
        printf("%zu", n);
        for (int k = 0; k < 4; k++) {
            qsort(ns[k], ROUNDS, sizeof(double), ascending);
            printf(" %.1f", ns[k][ROUNDS / 2]);
        }
        printf("\n");
    }
}
