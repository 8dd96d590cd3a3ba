// quicksort.cpp - Cilkprof's figure 1 in TBB: parallel quicksort with a serial partition, which
// limits its parallelism to O(log n). The profiler must convict `partition` on the span: libprof sees
// tasks, so the large partitions are named as a region (libprof.h; nothing happens without the preload).
#include <algorithm>
#include <cstdint>
#include <tbb/task_group.h>
#include <vector>
#include "common.h"
#include "libprof.h"

static const long COARSENING = 32;
static const long NAMED = 100000;

static uint64_t random_state = 88172645463325252ull;
static uint64_t random_next(uint64_t &s)
{
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

__attribute__((noinline)) static long partition(long *array, long low, long high)
{
    uint64_t seed = low * 0x9e3779b97f4a7c15ull + high;
    long pivot = array[low + random_next(seed) % (high - low)];
    long l = low - 1, r = high;
    for (;;) {
        do
            ++l;
        while (array[l] < pivot);
        do
            --r;
        while (array[r] > pivot);
        if (l >= r)
            return l == low ? l + 1 : l;
        std::swap(array[l], array[r]);
    }
}

static void insertion_sort(long *array, long low, long high)
{
    for (long i = low + 1; i < high; i++) {
        long v = array[i], j = i;
        for (; j > low && array[j - 1] > v; j--)
            array[j] = array[j - 1];
        array[j] = v;
    }
}

static void pqsort(long *array, long low, long high)
{
    if (high - low < COARSENING) {
        insertion_sort(array, low, high);
        return;
    }
    long middle;
    if (high - low >= NAMED) {
        libprof_region region("partition");
        middle = partition(array, low, high);
    } else {
        middle = partition(array, low, high);
    }
    tbb::task_group group;
    group.run([=] { pqsort(array, low, middle); });
    pqsort(array, middle, high);
    group.wait();
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[n]");
    std::vector<long> a(args.number(0, 10000000));
    for (long &x : a)
        x = random_next(random_state) >> 1;
    Stopwatch watch;
    tbb::task_group group;
    group.run_and_wait([&] { pqsort(a.data(), 0, a.size()); });
    double ms = watch.ms();
    bool sorted = std::is_sorted(a.begin(), a.end());
    std::printf("%zu numbers %s\n", a.size(), sorted ? "sorted" : "NOT SORTED");
    std::fprintf(stderr, "%.3f ms\n", ms);
    return !sorted;
}
