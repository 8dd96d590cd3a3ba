// cause: contention place=record
// A critical section round 50 ns in an inner loop.
#include <math.h>
#include <stdio.h>

static long bins[512];

__attribute__((noinline)) static void record(unsigned bin) {
#pragma omp critical
    for (unsigned k = 0; k < 16; k++)
        bins[(bin + k * 37) & 511] += k;
}

static void row(int y) {
    for (int x = 0; x < 500; x++) {
        double v = x * y;
        for (int k = 0; k < 6; k++)
            v = sqrt(v + k);
        record((unsigned)(v * 100));
    }
}

int main(void) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < 6000; y++)
        row(y);
    long sum = 0;
    for (int i = 0; i < 512; i++)
        sum += bins[i];
    printf("%ld\n", sum);
}
