// cause: contention place=take_ticket
// A parallel_for whose body is in a std::mutex for half of its time.
#include <cmath>
#include <cstdio>
#include <mutex>
#include <tbb/parallel_for.h>
#include <vector>

static std::mutex desk;
static double last;

__attribute__((noinline)) static double take_ticket(int i) {
    std::lock_guard<std::mutex> hold(desk);
    for (int k = 0; k < 1500; k++)
        last = std::sqrt(last + k + i);
    return last;
}

static double show(double x) {
    for (int k = 0; k < 1500; k++)
        x = std::sqrt(x + k);
    return x;
}

int main() {
    std::vector<double> out(60000);
    tbb::parallel_for(0, int(out.size()), [&](int i) { out[i] = show(take_ticket(i)); });
    std::printf("%d\n", out[17] > 0);
}
