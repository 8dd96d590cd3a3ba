// stencil.cpp - Cilkview's section 5 in TBB: a 25-point stencil of the 3D wave equation, three
// ways:
//   inner      parallel loop innermost: tasks far too small (low burdened parallelism)
//   outer      parallel loop outermost: ample parallelism, but every step sweeps all memory
//   oblivious  space-time is cut recursively (trapezoids along x), so that pieces fit the caches
#include <cmath>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <vector>
#include "common.h"

static const int HALO = 4;
static int nx, ny, nz, steps;
static std::vector<float> grid[2], velocity;
static const float c0 = 0.5f, c[5] = { 0, 0.06f, -0.01f, 0.002f, -0.0004f };

static inline size_t at(int x, int y, int z) { return ((size_t)x * ny + y) * nz + z; }

static inline void point(int t, int x, int y, int z)
{
    const float *a = grid[t & 1].data();
    float *b = grid[(t + 1) & 1].data();
    size_t i = at(x, y, z), sy = nz, sx = (size_t)ny * nz;
    float v = c0 * a[i];
    for (int k = 1; k <= HALO; k++)
        v += c[k] *
             (a[i + k] + a[i - k] + a[i + k * sy] + a[i - k * sy] + a[i + k * sx] + a[i - k * sx]);
    b[i] = 2 * a[i] - b[i] + velocity[i] * (v - a[i]);
}

static void plane(int t, int x)
{
    for (int y = HALO; y < ny - HALO; y++)
        for (int z = HALO; z < nz - HALO; z++)
            point(t, x, y, z);
}

static void inner()
{
    for (int t = 0; t < steps; t++)
        for (int x = HALO; x < nx - HALO; x++)
            for (int y = HALO; y < ny - HALO; y++)
                tbb::parallel_for(
                    tbb::blocked_range<int>(HALO, nz - HALO, 1),
                    [=](const tbb::blocked_range<int> &r) {
                        for (int z = r.begin(); z < r.end(); z++)
                            point(t, x, y, z);
                    },
                    tbb::simple_partitioner());
}

static void outer()
{
    for (int t = 0; t < steps; t++)
        tbb::parallel_for(
            tbb::blocked_range<int>(HALO, nx - HALO, 1),
            [=](const tbb::blocked_range<int> &r) {
                for (int x = r.begin(); x < r.end(); x++)
                    plane(t, x);
            },
            tbb::simple_partitioner());
}

// Points (t, x) with t0 <= t < t1 and x0 + dx0 (t - t0) <= x < x1 + dx1 (t - t0); slopes are +-HALO
// or 0.
static void walk(int t0, int t1, int x0, int dx0, int x1, int dx1)
{
    int dt = t1 - t0;
    int width = x1 - x0 + (dx1 - dx0) * dt / 2;
    if (dt <= 2) {
        for (int t = t0; t < t1; t++)
            for (int x = x0 + dx0 * (t - t0); x < x1 + dx1 * (t - t0); x++)
                plane(t, x);
    } else if (width >= 4 * HALO * dt) {
        // Space cut: two pieces that shrink upwards run in parallel, the gap between them follows.
        int m = x0 + (x1 - x0 + (dx1 - dx0) * dt / 2) / 2 + dx0 * dt / 2;
        tbb::parallel_invoke([=] { walk(t0, t1, x0, dx0, m, -HALO); },
                             [=] { walk(t0, t1, m, HALO, x1, dx1); });
        walk(t0, t1, m, -HALO, m, HALO);
    } else {
        int h = dt / 2;
        walk(t0, t0 + h, x0, dx0, x1, dx1);
        walk(t0 + h, t1, x0 + dx0 * h, dx0, x1 + dx1 * h, dx1);
    }
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "inner|outer|oblivious [planes] [steps]");
    const char *form = args.count ? args.values[0] : "outer";
    bool small = !std::strcmp(form, "inner");
    // inner: long rows, few of them; the others: a long x, which they cut
    nx = args.number(1, small ? 12 : 800) + 2 * HALO;
    ny = (small ? 12 : 60) + 2 * HALO;
    nz = (small ? 2000 : 60) + 2 * HALO;
    steps = args.number(2, small ? 200 : 20);
    if (nx < 16 || steps < 1 || !std::strstr(" inner outer oblivious ", form)) {
        std::fprintf(stderr, "usage: %s [-t threads] inner|outer|oblivious [planes] [steps]\n",
                     argv[0]);
        return 2;
    }
    for (auto &g : grid)
        g.assign((size_t)nx * ny * nz, 0);
    velocity.assign((size_t)nx * ny * nz, 0.1f);
    grid[0][at(nx / 2, ny / 2, nz / 2)] = 1;
    Stopwatch watch;
    if (!std::strcmp(form, "inner"))
        inner();
    else if (!std::strcmp(form, "outer"))
        outer();
    else
        walk(0, steps, HALO, 0, nx - HALO, 0);
    double ms = watch.ms(), sum = 0;
    for (float v : grid[steps & 1])
        sum += std::fabs(v);
    std::printf("%d planes, %d steps: %.6e\n", nx - 2 * HALO, steps, sum);
    std::fprintf(stderr, "%.3f ms\n", ms);
}
