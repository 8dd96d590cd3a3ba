// threads.cpp - counts the threads that run its tasks, and appends "KIND THREADS" to a file: its
// environment shows which trial of prof bench it is.  threads FILE [tbb|openmp|affinity] [anything]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sched.h>
#include <set>
#include <tbb/parallel_for.h>
#include <thread>

static std::set<std::thread::id> seen;
static std::mutex mutex;

static void task()
{
    {
        std::lock_guard<std::mutex> hold(mutex);
        seen.insert(std::this_thread::get_id());
    }
    auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < end)
        ;
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "tbb", *preload = getenv("LD_PRELOAD");
    unsigned n;
    if (!strcmp(how, "tbb")) {
        tbb::parallel_for(0, 400, [](int) { task(); }, tbb::simple_partitioner());
        n = seen.size();
    } else if (!strcmp(how, "openmp")) {
#pragma omp parallel for schedule(dynamic, 1)
        for (int i = 0; i < 400; i++)
            task();
        n = seen.size();
    } else {
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        n = CPU_COUNT(&set);
        std::thread(task).join();
    }
    FILE *f = fopen(argv[1], "a");
    fprintf(f, "%s %u%s%s\n", preload && strstr(preload, "libprof.so") ? "profiled" : "native", n,
            argc > 3 ? " " : "", argc > 3 ? argv[3] : "");
    fclose(f);
    return 0;
}
