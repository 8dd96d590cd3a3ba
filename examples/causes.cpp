// causes.cpp - programs that do not scale, each for one reason, which prof bench has to find: too
// little parallelism, tasks that are too small, memory bandwidth, a cache that the workers share,
// false sharing, a lock; and one that does scale.
//
//     prof bench --copies -- ./causes memory
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <vector>
#include "common.h"

static uint64_t spin(uint64_t x, long steps)
{
    for (long i = 0; i < steps; i++)
        x = x * 6364136223846793005ull + 1442695040888963407ull;
    return x;
}

// Runs BODY(i) for i < n, GRAIN of them a task.
template <class Body> static void for_all(long n, long grain, const Body &body)
{
    tbb::parallel_for(tbb::blocked_range<long>(0, n, grain),
                      [&](const tbb::blocked_range<long> &r) {
                          for (long i = r.begin(); i < r.end(); i++)
                              body(i);
                      },
                      tbb::simple_partitioner());
}

static std::atomic<uint64_t> result;

// Enough work, of registers only, in tasks of 100 us.
static void scales(long scale)
{
    for_all(4000 * scale, 1,
            [](long i) { result.fetch_xor(spin(i, 100000), std::memory_order_relaxed); });
}

// Half of the work is done before the workers are given the other half.
static void serial(long scale)
{
    result ^= spin(1, 200000000 * scale);
    for_all(2000 * scale, 1,
            [](long i) { result.fetch_xor(spin(i, 100000), std::memory_order_relaxed); });
}

// A task for every few ns of work.
static void grain(long scale)
{
    static std::vector<uint64_t> cells(4000000);
    for (long r = 0; r < 2 * scale; r++)
        for_all(cells.size(), 1, [](long i) { cells[i] = spin(i, 2); });
}

// Acar, section 4: every cell is read and written once, in an order in which each is in another
// cache line than the one before.
static void memory(long scale)
{
    const long cells = 1 << 24, gap = 32;
    static std::vector<uint64_t> array(cells);
    for (long r = 0; r < 4 * scale; r++)
        for_all(cells / 1000, 1, [](long group) {
            for (long i = group * 1000; i < group * 1000 + 1000; i++)
                array[(i * gap + i * gap / cells) % cells] += i;
        });
}

// Each worker follows a ring of its own, whose size is such that one fits into what a program gets
// of the last cache, and two do not.
static long ring_bytes = 4 << 20;
static void cache(long scale)
{
    const uint32_t line = 64 / sizeof(uint32_t);
    struct Ring {
        std::unique_ptr<uint32_t[]> next;
        uint32_t at = 0;
        char pad[64];
    };
    static std::vector<Ring> rings(tbb::this_task_arena::max_concurrency());
    std::vector<uint32_t> order(ring_bytes / 64);
    for (Ring &r : rings) {
        r.next.reset(new uint32_t[ring_bytes / sizeof(uint32_t)]);
        for (uint32_t i = 0; i < order.size(); i++)
            order[i] = i * line;
        uint64_t x = 88172645463325252ull;
        for (size_t i = order.size() - 1; i > 0; i--) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            std::swap(order[i], order[(x >> 33) % (i + 1)]);
        }
        for (size_t i = 0; i < order.size(); i++)
            r.next[order[i]] = order[(i + 1) % order.size()];
    }
    for_all(1000 * scale, 1, [](long) {
        Ring &mine = rings[tbb::this_task_arena::current_thread_index()];
        for (long i = 0; i < 20000; i++)
            mine.at = mine.next[mine.at];
    });
}

// Each worker counts for itself, but all counters lie in one cache line.
static void sharing(long scale)
{
    static std::atomic<uint64_t> counters[8];
    for_all(2000 * scale, 1, [](long) {
        std::atomic<uint64_t> &mine = counters[tbb::this_task_arena::current_thread_index() & 7];
        for (long i = 0; i < 100000; i++)
            mine.store(mine.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    });
}

// Most of each task's time is spent with the lock held.
static void lock(long scale)
{
    static std::mutex mutex;
    static uint64_t sum;
    for_all(4000 * scale, 1, [](long i) {
        uint64_t x = spin(i, 20000);
        std::lock_guard<std::mutex> hold(mutex);
        sum += spin(x, 80000);
    });
    result ^= sum;
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(long);
    } causes[] = {
        { "scales", scales }, { "serial", serial },   { "grain", grain }, { "memory", memory },
        { "cache", cache },   { "sharing", sharing }, { "lock", lock },
    };
    Arguments args(
        argc, argv,
        "scales|serial|grain|memory|cache|sharing|lock [scale] [MB a worker, for cache]");
    if (args.number(2, 0) > 0)
        ring_bytes = args.number(2, 0) << 20;
    for (const auto &c : causes)
        if (args.count && !strcmp(args.values[0], c.name)) {
            Stopwatch watch;
            c.run(std::max(args.number(1, 1), 1l));
            std::printf("%s done\n", c.name);
            std::fprintf(stderr, "%.3f ms\n", watch.ms());
            return 0;
        }
    std::fprintf(stderr, "causes: which? scales, serial, grain, memory, cache, sharing, lock\n");
    return 2;
}
