// cause: memory place=convolve
// Each task allocates two vectors of 4 MiB: their pages come from the kernel each time.
#include <cstdio>
#include <malloc.h>
#include <tbb/parallel_for.h>
#include <vector>

static double convolve(int tile) {
    std::vector<double> in(1 << 19, tile), out(1 << 19);
    for (size_t i = 1; i < in.size(); i++)
        out[i] = 0.5 * (in[i] + in[i - 1]) + 0.25 * out[i - 1];
    return out.back();
}

int main() {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);     // without it, the first free raises the threshold
    static double sums[400];
    tbb::parallel_for(0, 400, [](int tile) { sums[tile] = convolve(tile); },
                      tbb::simple_partitioner());
    std::printf("%.6g\n", sums[399]);
}
