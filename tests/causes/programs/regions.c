// cause: short_regions place=advance
// 400,000 parallel regions of 12 iterations of about 100 ns.
#include <math.h>
#include <stdio.h>

static double state[12];

static double track(int channel, double t) {
    double x = channel + t;
    for (int k = 0; k < 12; k++)
        x = x * 0.999 + 1 / (1 + x * x);
    return x;
}

__attribute__((noinline)) static void advance(double t) {
#pragma omp parallel for
    for (int c = 0; c < 12; c++)
        state[c] += track(c, t);
}

int main(void) {
    double sum = 0;
    for (long n = 0; n < 400000; n++)
        advance(n * 1e-3);
    for (int c = 0; c < 12; c++)
        sum += state[c];
    printf("%.6g\n", sum);
}
