// cause: contention place=dart
// A loop that calls rand(), which takes a lock of libc for each number.
#include <stdio.h>
#include <stdlib.h>

static int dart(void) {
    double x = rand() / (RAND_MAX + 1.0), y = rand() / (RAND_MAX + 1.0);
    return x * x + y * y < 1;
}

int main(void) {
    long inside = 0;
#pragma omp parallel for reduction(+ : inside)
    for (long i = 0; i < 6000000; i++)
        inside += dart();
    printf("%d\n", inside > 0);
}
