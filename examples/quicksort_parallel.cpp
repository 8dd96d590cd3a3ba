// quicksort_parallel.cpp - quicksort.cpp after docs/QUICKSORT.md: large ranges are partitioned in
// parallel, which the profile of quicksort.cpp asks for. A block of the range counts its elements
// below the pivot, the counts say where each block's go, and all blocks move theirs into a buffer
// and back: three passes for one, but a span of O(n / blocks + blocks) for O(n).
#include <algorithm>
#include <cstdint>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <vector>
#include "common.h"
#include "libprof.h"

static const long COARSENING = 32;
static const long NAMED = 100000;
static const long BLOCK = 20000;

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

// Elements below the pivot go to the front of BUFFER's range, the others behind them. Never an
// empty side: of a range whose least element is the pivot, that one alone.
__attribute__((noinline)) static long parallel_partition(long *array, long *buffer, long low,
                                                         long high)
{
    uint64_t seed = low * 0x9e3779b97f4a7c15ull + high;
    long at = low + random_next(seed) % (high - low), pivot = array[at];
    long blocks = (high - low + BLOCK - 1) / BLOCK;
    std::vector<long> below(blocks + 1);
    auto first = [=](long b) { return low + b * BLOCK; };
    auto last = [=](long b) { return std::min(high, low + (b + 1) * BLOCK); };
    tbb::parallel_for(0L, blocks, [&](long b) {
        long n = 0;
        for (long i = first(b); i < last(b); i++)
            n += array[i] < pivot;
        below[b + 1] = n;
    });
    for (long b = 0; b < blocks; b++)
        below[b + 1] += below[b];
    long middle = low + below[blocks];
    if (middle == low) {
        std::swap(array[low], array[at]);
        return low + 1;
    }
    tbb::parallel_for(0L, blocks, [&](long b) {
        long l = low + below[b], r = middle + b * BLOCK - below[b];
        for (long i = first(b); i < last(b); i++) {     // without a branch that nobody can predict
            bool less = array[i] < pivot;
            buffer[less ? l : r] = array[i];
            l += less;
            r += !less;
        }
    });
    tbb::parallel_for(0L, blocks, [&](long b) {
        std::copy(buffer + first(b), buffer + last(b), array + first(b));
    });
    return middle;
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

static void pqsort(long *array, long *buffer, long low, long high)
{
    if (high - low < COARSENING) {
        insertion_sort(array, low, high);
        return;
    }
    long middle;
    if (high - low >= NAMED) {
        libprof_region region("partition");
        middle = parallel_partition(array, buffer, low, high);
    } else {
        middle = partition(array, low, high);
    }
    tbb::task_group group;
    group.run([=] { pqsort(array, buffer, low, middle); });
    pqsort(array, buffer, middle, high);
    group.wait();
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[n]");
    std::vector<long> a(args.number(0, 10000000)), buffer(a.size());
    for (long &x : a)
        x = random_next(random_state) >> 1;
    Stopwatch watch;
    tbb::task_group group;
    group.run_and_wait([&] { pqsort(a.data(), buffer.data(), 0, a.size()); });
    double ms = watch.ms();
    bool sorted = std::is_sorted(a.begin(), a.end());
    std::printf("%zu numbers %s\n", a.size(), sorted ? "sorted" : "NOT SORTED");
    std::fprintf(stderr, "%.3f ms\n", ms);
    return !sorted;
}
