/* cells.c - a task for each of 400,000 cells. The fault: a cell takes less than a task costs. */
#include "burn.h"

static __attribute__((noinline)) void cell(int i)
{
    burnt += burn(0.1 + 1e-9 * i);
}

int main(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 400000; i++)
#pragma omp task                                /* fault */
        cell(i);
    return 0;
}
