// storm.cpp - what could make a profiler's memory grow: many tasks from outside (a thread that
// enqueues faster than anybody waits), many children before one wait, and their repetition. Prints
// the process' resident size after each phase; bench/memory.sh compares it with and without
// libprof.
#include <atomic>
#include <fstream>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <thread>
#include "common.h"

static long resident_kib()
{
    std::ifstream statm("/proc/self/statm");
    long total, resident;
    statm >> total >> resident;
    return resident * 4;
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[enqueued] [children] [rounds]");
    long enqueued = args.number(0, 1000000), children = args.number(1, 1000000),
         rounds = args.number(2, 5);
    Stopwatch watch;
    std::atomic<long> done { 0 };
    tbb::task_arena arena;
    long total = 0;
    for (long r = 0; r < rounds; r++) {
        std::thread([&] {
            for (long i = 0; i < enqueued; i++) {
                arena.enqueue([&] { done++; });
                while (total + i - done.load() > 1000)
                    std::this_thread::yield();
            }
        }).join();
        total += enqueued;
        while (done < total)
            std::this_thread::yield();
        std::printf("enqueue %ld: %ld KiB\n", r, resident_kib());
    }
    for (long r = 0; r < rounds; r++) {
        tbb::task_group group;
        for (long i = 0; i < children; i++)
            group.run([&] { done++; });
        group.wait();
        std::printf("children %ld: %ld KiB\n", r, resident_kib());
    }
    std::fprintf(stderr, "%.3f ms, %ld tasks\n", watch.ms(), rounds * (enqueued + children));
    return done != rounds * (enqueued + children);
}
