// cause: affinity
// An observer binds each worker to CPU 0, as a library does that sets the affinity of its threads.
#include <cmath>
#include <cstdio>
#include <functional>
#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_scheduler_observer.h>

struct Attach : tbb::task_scheduler_observer {
    Attach() { observe(true); }
    void on_scheduler_entry(bool) override {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(0, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
};

static double orbit(int body) {
    double x = body;
    for (int k = 0; k < 30000; k++)
        x = std::sqrt(x + k);
    return x;
}

int main() {
    Attach attach;
    double sum = tbb::parallel_reduce(
        tbb::blocked_range<int>(0, 3000, 4), 0.0,
        [](const tbb::blocked_range<int> &r, double s) {
            for (int i = r.begin(); i != r.end(); i++)
                s += orbit(i);
            return s;
        },
        std::plus<>());
    std::printf("%.6g\n", sum);
}
