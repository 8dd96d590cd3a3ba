// tbb.cpp - see openmp.c.
//
//     tbb tasks N US      N tasks of US microseconds, by a parallel_for of grain 1
//     tbb steps N         N steps of a simulation: compute_force in a parallel_for, then the serial
//                         rebuild_grid
//     tbb filters N       a pipeline of N items: serial_filter takes as long as parallel_filter
//     tbb filter N        a pipeline of N items, in which serial_filter takes nearly all the time
//     tbb flow N          a flow graph of N messages: unlimited_node, then serial_node, as long
//     tbb nodes N         a flow graph of N messages: an unlimited node beside a serial one, both
//                         of which call kernel
//     tbb mutex N         a parallel_for of N, each 800 us in a mutex and 200 us outside
//     tbb spins N         the same with a lock that spins
//     tbb joins US        a parallel_deterministic_reduce of 64 equal ranges, with equal joins
//     tbb one N           a parallel_for of N short iterations and one long one
//     tbb lazy N          a parallel_for of N equal iterations by the default partitioner
//     tbb parts N         N static_partitioner loops over a triangle; prints how many threads ran
//                         their parts, and how many of them the busiest thread ran
//     tbb fib N           tasks without a cutoff
//     tbb sorted N        parallel_sort of N numbers
//     tbb halves US       a recursion: split takes US, then each half of it does the same; four
//                         levels on, leaves
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tbb/tbb.h>
#include <thread>
#include <vector>
#include "spin.h"

static __attribute__((noinline)) void compute_force(int) { ROUNDS(100); }
static __attribute__((noinline)) void rebuild_grid() { ROUNDS(4000); }

static __attribute__((noinline)) void step()
{
    tbb::parallel_for(tbb::blocked_range<int>(0, 100, 1), [](const tbb::blocked_range<int> &r) {
        for (int i = r.begin(); i < r.end(); i++)
            compute_force(i);
    }, tbb::simple_partitioner());
    rebuild_grid();
}

static __attribute__((noinline)) void one(int n)
{
    tbb::parallel_for(0, n, [](int i) {
        ROUNDS(i ? 5000 : 200000);
    }, tbb::simple_partitioner());
}

static __attribute__((noinline)) void alike(int n)
{
    tbb::parallel_for(0, n, [](int) { ROUNDS(20000000); }, tbb::simple_partitioner());
}

static __attribute__((noinline)) void lazy(int n)
{
    tbb::parallel_for(0, n, [](int) { ROUNDS(2000); });
}

static std::mutex parts_lock;
static std::map<std::thread::id, int> parts_of;

static __attribute__((noinline)) void parts(int n)
{
    for (int i = 0; i < n; i++)
        tbb::parallel_for(tbb::blocked_range<int>(0, 64), [](const tbb::blocked_range<int> &r) {
            for (int k = r.begin(); k < r.end(); k++)
                ROUNDS(1000 * k);
            std::lock_guard<std::mutex> lock(parts_lock);
            parts_of[std::this_thread::get_id()]++;
        }, tbb::static_partitioner());
    int most = 0;
    for (const auto &p : parts_of)
        most = std::max(most, p.second);
    printf("[%zu,%d]\n", parts_of.size(), most);
}

static void sorted(int n)
{
    std::vector<unsigned> v(n);
    unsigned x = 1;
    for (unsigned &y : v)
        y = x = x * 1103515245u + 12345u;
    tbb::parallel_sort(v.begin(), v.end());
}

static __attribute__((noinline)) void split(int length) { ROUNDS(length + 1); }

static void halves(int n, int levels)
{
    if (!levels) {
        spin(n);
        return;
    }
    split(n);
    tbb::task_group g;
    g.run([=] { halves(n / 2, levels - 1); });
    halves(n / 2, levels - 1);
    g.wait();
}

/* Other code than spin, else the compiler makes one function of the two. */
static __attribute__((noinline)) void parallel_filter(double us) { ROUNDS(us + 1); }
static __attribute__((noinline)) void serial_filter() { ROUNDS(1001); }

static void filters(int n, double us)
{
    int i = 0;
    tbb::parallel_pipeline(
        16, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                        [&](tbb::flow_control &c) {
                                            if (i == n)
                                                c.stop();
                                            return i++;
                                        }) &
                tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                           [=](int x) {
                                               parallel_filter(us);
                                               return x;
                                           }) &
                tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                            [](int) { serial_filter(); }));
}

static __attribute__((noinline)) void unlimited_node() { ROUNDS(2003); }
static __attribute__((noinline)) void serial_node() { ROUNDS(2004); }

static void flow(int n)
{
    tbb::flow::graph g;
    tbb::flow::function_node<int, int> a(g, tbb::flow::unlimited, [](int x) {
        unlimited_node();
        return x;
    });
    tbb::flow::function_node<int, int> b(g, tbb::flow::serial, [](int x) {
        serial_node();
        return x;
    });
    tbb::flow::make_edge(a, b);
    for (int i = 0; i < n; i++)
        a.try_put(i);
    g.wait_for_all();
}

static __attribute__((noinline)) void kernel(int us) { ROUNDS(us); }
static __attribute__((noinline)) int kernel_beside(int x) { kernel(1000); return x; }
static __attribute__((noinline)) int kernel_in_turn(int x) { kernel(1200); return x; }

static void nodes(int n)
{
    tbb::flow::graph g;
    tbb::flow::function_node<int, int> a(g, tbb::flow::unlimited, [](int x) {
        return kernel_beside(x) + 1;
    });
    tbb::flow::function_node<int, int> b(g, tbb::flow::serial, [](int x) {
        return kernel_in_turn(x) + 1;
    });
    for (int i = 0; i < n; i++) {
        a.try_put(i);
        b.try_put(i);
    }
    g.wait_for_all();
}

static __attribute__((noinline)) void in_lock() { ROUNDS(800); }
static __attribute__((noinline)) void beside_lock() { ROUNDS(201); }

template <class Lock> static void locks(int n)
{
    Lock lock;
    tbb::parallel_for(0, n, [&](int) {
        {
            std::lock_guard<Lock> held(lock);
            in_lock();
        }
        beside_lock();
    }, tbb::simple_partitioner());
}

static __attribute__((noinline)) void range_() { ROUNDS(500); }
static __attribute__((noinline)) void join_(double us) { ROUNDS(us + 2); }

static void joins(double us)
{
    tbb::parallel_deterministic_reduce(
        tbb::blocked_range<int>(0, 64, 1), 0,
        [](const tbb::blocked_range<int> &r, int sum) {
            for (int i = r.begin(); i < r.end(); i++)
                range_();
            return sum + 1;
        },
        [=](int a, int b) {
            join_(us);
            return a + b;
        });
}

static long fib(int n)
{
    if (n < 2)
        return n;
    long x, y;
    tbb::task_group g;
    g.run([&] { x = fib(n - 1); });
    y = fib(n - 2);
    g.wait();
    return x + y;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 0;
    double us = argc > 3 ? atof(argv[3]) : 0;
    calibrate();
    if (!strcmp(what, "tasks"))
        tbb::parallel_for(tbb::blocked_range<int>(0, n, 1),
                          [=](const tbb::blocked_range<int> &r) {
                              for (int i = r.begin(); i < r.end(); i++)
                                  spin(us);
                          },
                          tbb::simple_partitioner());
    else if (!strcmp(what, "steps"))
        for (int i = 0; i < n; i++)
            step();
    else if (!strcmp(what, "halves"))
        for (int i = 0; i < 8; i++)
            halves(n, 4);
    else if (!strcmp(what, "filters"))
        filters(n, 1002);
    else if (!strcmp(what, "filter"))
        filters(n, 10);
    else if (!strcmp(what, "flow"))
        flow(n);
    else if (!strcmp(what, "nodes"))
        nodes(n);
    else if (!strcmp(what, "mutex"))
        locks<std::mutex>(n);
    else if (!strcmp(what, "spins"))
        locks<tbb::spin_mutex>(n);
    else if (!strcmp(what, "joins"))
        joins(n);
    else if (!strcmp(what, "one"))
        one(n);
    else if (!strcmp(what, "lazy"))
        lazy(n);
    else if (!strcmp(what, "parts"))
        parts(n);
    else if (!strcmp(what, "alike"))
        alike(n);
    else if (!strcmp(what, "sorted"))
        sorted(n);
    else if (!strcmp(what, "fib"))
        std::printf("%ld\n", fib(n));
    else
        return 2;
}
