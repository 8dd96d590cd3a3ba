/* rows.cpp - a chain of tasks: one thread computes, the other waits for the dependences. */
#include "spin.h"

static char d;

int main()
{
    calibrate();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 150; i++) {
#pragma omp task depend(inout : d)
        spin(400);
    }
}
