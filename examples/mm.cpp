// mm.cpp - Cilkprof's figure 8 in TBB: divide-and-conquer matrix multiplication, eight recursive
// products in two groups of four, three spawned and one called each.
#include <cmath>
#include <tbb/task_group.h>
#include <vector>
#include "common.h"

static const size_t COARSENING = 32;
static size_t dim;

static void base(double *c, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double v = a[i * dim + k];
            for (size_t j = 0; j < n; j++)
                c[i * dim + j] += v * b[k * dim + j];
        }
}

static void mm(double *c, const double *a, const double *b, size_t n)
{
    if (n <= COARSENING) {
        base(c, a, b, n);
        return;
    }
    size_t h = n / 2, down = h * dim;
    tbb::task_group group;
    group.run([=] { mm(c, a, b, h); });
    group.run([=] { mm(c + h, a, b + h, h); });
    group.run([=] { mm(c + down, a + down, b, h); });
    mm(c + down + h, a + down, b + h, h);
    group.wait();
    group.run([=] { mm(c, a + h, b + down, h); });
    group.run([=] { mm(c + h, a + h, b + down + h, h); });
    group.run([=] { mm(c + down, a + down + h, b + down, h); });
    mm(c + down + h, a + down + h, b + down + h, h);
    group.wait();
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[n, a power of two]");
    dim = args.number(0, 512);
    if (!dim || dim & (dim - 1)) {
        std::fprintf(stderr, "mm: n must be a power of two\n");
        return 2;
    }
    std::vector<double> a(dim * dim), b(dim * dim), c(dim * dim);
    for (size_t i = 0; i < dim * dim; i++) {
        a[i] = i % 7 - 3;
        b[i] = i % 5 - 2;
    }
    Stopwatch watch;
    tbb::task_group group;
    group.run_and_wait([&] { mm(c.data(), a.data(), b.data(), dim); });
    double ms = watch.ms();
    double worst = 0;
    for (size_t t = 0; t < 16; t++) {
        size_t i = t * 37 % dim, j = t * 101 % dim;
        double v = 0;
        for (size_t k = 0; k < dim; k++)
            v += a[i * dim + k] * b[k * dim + j];
        worst = std::fmax(worst, std::fabs(v - c[i * dim + j]));
    }
    std::printf("%zu x %zu %s\n", dim, dim, worst < 1e-6 ? "correct" : "WRONG");
    std::fprintf(stderr, "%.3f ms\n", ms);
    return worst >= 1e-6;
}
