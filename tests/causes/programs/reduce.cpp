// cause: nothing
// A healthy reduction.
#include <cmath>
#include <cstdio>
#include <functional>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

int main() {
    double sum = tbb::parallel_reduce(
        tbb::blocked_range<long>(0, 300000000, 100000), 0.0,
        [](const tbb::blocked_range<long> &r, double s) {
            for (long i = r.begin(); i != r.end(); i++)
                s += std::sqrt(double(i));
            return s;
        },
        std::plus<>());
    std::printf("%.9g\n", sum);
}
