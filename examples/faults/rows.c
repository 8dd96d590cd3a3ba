/* rows.c - a triangular loop. The fault: its schedule gives one thread the long rows. */
#include "burn.h"

static __attribute__((noinline)) void row(int i)
{
    burnt += burn(5 * i);
}

int main(void)
{
#pragma omp parallel for schedule(static)       /* fault */
    for (int i = 0; i < 450; i++)
        row(i);
    return 0;
}
