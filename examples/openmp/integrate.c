/* integrate.c - integrates a function: halves each interval until Simpson's rule is exact enough
 * there. Its tasks are too fine: docs/WALKTHROUGH-OPENMP.md finds that out. With -DMENDED it is
 * integrate-mended.
 */
#include <math.h>
#include "common.h"

struct interval {
    double from, to;
    double left, middle, right;     /* the function there */
};

static double f(double x) { return sin(x * x); }

static double simpson(struct interval i)
{
    return (i.to - i.from) / 6 * (i.left + 4 * i.middle + i.right);
}

static double integrate(struct interval all, double tolerance, int depth)
{
    double middle = (all.from + all.to) / 2;
    struct interval low = {all.from, middle, all.left, f((all.from + middle) / 2), all.middle};
    struct interval high = {middle, all.to, all.middle, f((middle + all.to) / 2), all.right};
    double l = simpson(low), h = simpson(high);
    if (fabs(l + h - simpson(all)) < 15 * tolerance)
        return l + h;
#ifdef MENDED
    if (depth == 8)
        return integrate(low, tolerance / 2, depth) + integrate(high, tolerance / 2, depth);
#endif
#pragma omp task shared(l)
    l = integrate(low, tolerance / 2, depth + 1);
    h = integrate(high, tolerance / 2, depth + 1);
#pragma omp taskwait
    return l + h;
}

int main(int argc, char **argv)
{
    arguments(argc, argv, "[digits]");
    double tolerance = pow(10, -number(0, 8, 1)), end = 100, result = 0;
    struct interval all = {0, end, f(0), f(end / 2), f(end)};
    double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    result = integrate(all, tolerance, 0);
    double ms = ms_since(start);
    printf("the integral of sin(x * x) from 0 to %.0f is %.6f\n", end, result);
    fprintf(stderr, "%.3f ms\n", ms);
    return 0;
}
