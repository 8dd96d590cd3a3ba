// schedules.cpp - programs whose T_P is known, under the virtual clock.
//
//   schedules CASE P         run CASE on P workers
//   schedules --expect CASE  lines "P T_P of a greedy schedule", "P -" where any between the bounds will do
//   schedules --list         name the cases
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>
#include <tbb/global_control.h>
#include <tbb/task_group.h>
#include "libprof.h"

// N tasks of C each, spawned by one strand at no cost.
static void equal(long n, long c)
{
    tbb::task_group group;
    for (long i = 0; i < n; i++)
        group.run([c] { libprof_cost(c); });
    group.wait();
}

static void chain(long n)
{
    libprof_cost(3);
    if (!n)
        return;
    tbb::task_group group;
    group.run([n] { chain(n - 1); });
    group.wait();
}

static void fib(long n)
{
    libprof_cost(1);
    if (n < 2)
        return;
    tbb::task_group group;
    group.run([n] { fib(n - 1); });
    fib(n - 2);
    group.wait();
}

// Partition, then both sides: the shape of a quicksort of distinct numbers that are split in the ratio 1 : 3.
static void quicksort(long n)
{
    libprof_cost(n);
    if (n < 8)
        return;
    tbb::task_group group;
    group.run([n] { quicksort(n / 4); });
    quicksort(n - n / 4 - 1);
    group.wait();
}

// A serial part, a parallel part, again and again.
static void phases(long n)
{
    for (long i = 0; i < n; i++) {
        libprof_cost(100);
        equal(10, 10);
    }
}

struct Case {
    std::function<void()> body;
    std::map<long, long> greedy;    // P -> T_P
};

static std::map<std::string, Case> cases()
{
    return {
        { "equal", { [] { equal(16, 100); }, { { 1, 1600 }, { 2, 800 }, { 3, 600 }, { 4, 400 }, { 5, 400 }, { 16, 100 }, { 1024, 100 } } } },
        { "many", { [] { equal(100000, 1); }, { { 1, 100000 }, { 2, 50000 }, { 64, 1563 }, { 1000, 100 } } } },
        { "chain", { [] { chain(500); }, { { 1, 1503 }, { 2, 1503 }, { 1024, 1503 } } } },
        { "phases", { [] { phases(50); }, { { 1, 10000 }, { 2, 7500 }, { 5, 6000 }, { 10, 5500 }, { 64, 5500 } } } },
        { "fib", { [] { fib(12); }, { { 1, 465 }, { 1024, 12 } } } },
        { "quicksort", { [] { quicksort(5000); }, { { 1, -1 }, { 2, -1 }, { 8, -1 } } } },
        // two threads beside the program's: 100 and 300, joined in the other order
        { "threads", { [] {
            std::thread a([] { libprof_cost(100); }), b([] { libprof_cost(300); });
            libprof_cost(50);
            b.join();
            libprof_cost(7);
            a.join();
        }, { { 1, 457 }, { 2, -1 }, { 3, 307 } } } },
    };
}

int main(int argc, char **argv)
{
    auto all = cases();
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (auto &c : all)
            puts(c.first.c_str());
        return 0;
    }
    if (argc != 3)
        return 2;
    bool expect = !strcmp(argv[1], "--expect");
    auto found = all.find(expect ? argv[2] : argv[1]);
    if (found == all.end())
        return 2;
    if (expect) {
        for (auto &e : found->second.greedy)
            e.second < 0 ? printf("%ld -\n", e.first) : printf("%ld %ld\n", e.first, e.second);
        return 0;
    }
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, strtoul(argv[2], 0, 10));
    found->second.body();
    return 0;
}
