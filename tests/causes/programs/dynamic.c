// cause: small_tasks place=norm
// schedule(dynamic, 1) over six million iterations of 30 ns.
#include <math.h>
#include <stdio.h>

static double norm(long n) {
    double sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        double x = i;
        for (int k = 0; k < 4; k++)
            x = sqrt(x + k);
        sum += x;
    }
    return sum;
}

int main(void) { printf("%d\n", norm(6000000) > 0); }
