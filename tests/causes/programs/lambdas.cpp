// cause: serial place=render_plain
// Two lambdas of one function: the first one's calls are tasks, the second one's are serial.
#include <cmath>
#include <cstdio>
#include <tbb/parallel_for.h>
#include <vector>

static double render_tiled(int i) {
    double x = i;
    for (int k = 0; k < 20000; k++)
        x += std::sqrt(x + k);
    return x;
}

__attribute__((noinline)) static double render_plain(int i) {
    double x = i;
    for (int k = 0; k < 20000; k++)
        x += std::sqrt(x + k);
    return x;
}

template <class F> __attribute__((noinline)) static void each(int n, const F &f) {
    for (int i = 0; i < n; i++)
        f(i);
}

int main() {
    std::vector<double> out(5000);
    double sum = 0;
    tbb::parallel_for(0, int(out.size()), [&](int i) { out[i] = render_tiled(i); });
    each(int(out.size()), [&](int i) { sum += out[i] * render_plain(i); });
    std::printf("%.6g\n", sum);
}
