// mixed.cpp - OpenMP inside oneTBB tasks inside threads: one dag. Thread k starts at k + 1 and
// spawns three tasks, 3 apart; a task costs 5, a region, and 2; in the region one thread creates
// four tasks, 1 apart, of 10, 11, 12, 13.
//   region    work 4 + 46, span 4 + 13          task     work 57, span 24
//   thread    work 9 + 3 * 57, span 9 + 24      program  work 2 + 2 * 180 + 4 = 366, span 2 + 33 +
//   4 = 39
//   spawns    2 threads, 6 tasks, 6 regions of 2 implicit and 4 explicit tasks: 44
#include <oneapi/tbb/task_group.h>
#include <thread>
#include "libprof.h"

__attribute__((noinline)) static void region()
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; i++) {
        libprof_cost(1);
#pragma omp task firstprivate(i)
        libprof_cost(10 + i);
    }
}

static void tasks()
{
    tbb::task_group g;
    for (int i = 0; i < 3; i++) {
        libprof_cost(3);
        g.run([] {
            libprof_cost(5);
            region();
            libprof_cost(2);
        });
    }
    g.wait();
}

int main()
{
    std::thread t[2];
    for (auto &x : t) {
        libprof_cost(1);
        x = std::thread(tasks);
    }
    for (auto &x : t)
        x.join();
    libprof_cost(4);
}
