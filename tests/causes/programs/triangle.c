// cause: imbalance place=pairs
// A static loop over a triangle.
#include <math.h>
#include <stdio.h>

static double force[6000];

static void pairs(int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            force[i] += 1 / sqrt(1.0 + (i - j) * (double)(i + j));
}

int main(void) {
    double sum = 0;
    for (int step = 0; step < 10; step++)
        pairs(6000);
    for (int i = 0; i < 6000; i++)
        sum += force[i];
    printf("%.6g\n", sum);
}
