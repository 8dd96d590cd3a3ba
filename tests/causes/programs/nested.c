// cause: nested|few_tasks place=sweep,smooth
// An outer loop over three grids; the regions in it are nested, and nested regions are off.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void smooth(double *to, const double *from, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            const double *at = from + (long)i * n + j;
            to[(long)i * n + j] = sqrt(0.25 * (at[-1] + at[1] + at[-n] + at[n]));
        }
}

static double sweep(int n, int steps) {
    double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n * n);
    for (long k = 0; k < (long)n * n; k++)
        a[k] = b[k] = k % 7;
    for (int s = 0; s < steps; s++) {
        smooth(b, a, n);
        smooth(a, b, n);
    }
    double x = a[(long)n * n / 2 + 3];
    free(a);
    free(b);
    return x;
}

int main(void) {
    static const int sizes[3] = {250, 400, 1200};
    double sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (int g = 0; g < 3; g++)
        sum += sweep(sizes[g], 70);
    printf("%.6g\n", sum);
}
