// quicksort.cpp - Cilkprof's figure 1 in TBB: parallel quicksort with a serial partition, which
// limits its parallelism to O(log n). The profiler must convict `partition` on the span: libprof
// sees tasks, so the large partitions are named as a region (libprof.h; nothing happens without the
// preload). "fast": these large ones are done without branches that nobody can predict; what-if's
// prediction of that can be compared (bench/whatif.sh).
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

// The same swaps as partition's: of a block from each end it first notes which elements have to go
// to the other side, and then exchanges these in pairs, from the outside in. Where the blocks would
// meet, partition's own loop ends it.
__attribute__((noinline)) static long fast_partition(long *array, long low, long high)
{
    enum { BLOCK = 128 };
    uint64_t seed = low * 0x9e3779b97f4a7c15ull + high;
    long pivot = array[low + random_next(seed) % (high - low)];
    long l = low - 1, r = high;             // swapped last
    long left = low, right = high;          // of the blocks
    unsigned char from_left[BLOCK], from_right[BLOCK];
    int lefts = 0, rights = 0, a = 0, b = 0;
    while (right - left >= 2 * BLOCK) {
        if (a == lefts) {
            a = lefts = 0;
            for (int i = 0; i < BLOCK; i++) {
                from_left[lefts] = i;
                lefts += array[left + i] >= pivot;
            }
        }
        if (b == rights) {
            b = rights = 0;
            for (int i = 0; i < BLOCK; i++) {
                from_right[rights] = i;
                rights += array[right - 1 - i] <= pivot;
            }
        }
        for (; a < lefts && b < rights; a++, b++)
            std::swap(array[l = left + from_left[a]], array[r = right - 1 - from_right[b]]);
        left += a == lefts ? BLOCK : 0;
        right -= b == rights ? BLOCK : 0;
    }
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

static bool fast;

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
        middle = fast ? fast_partition(array, low, high) : partition(array, low, high);
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
    Arguments args(argc, argv, "[n] [fast]");
    fast = args.count > 1 && !std::strcmp(args.values[1], "fast");
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
