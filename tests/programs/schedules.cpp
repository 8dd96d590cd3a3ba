// schedules.cpp - programs whose T_P is known, under the virtual clock.
//
//   schedules CASE P         run CASE on P workers
//   schedules --expect CASE  lines "P T_P of a greedy schedule", "P -" where any between the bounds
//                            will do
//   schedules --list         name the cases
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>
#include <omp.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
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

// Partition, then both sides: the shape of a quicksort of distinct numbers that are split in the
// ratio 1 : 3.
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

// Three of 100, and one of 50 after all of them: on two workers the last starts when the third has
// ended, at 200, not when the two longest paths to it have.
static void after_by_depend(int p)
{
    char done[3] __attribute__((unused));       // names the tasks
#pragma omp parallel num_threads(p)
#pragma omp single
    {
        for (int i = 0; i < 3; i++) {
#pragma omp task depend(out : done[i])
            libprof_cost(100);
        }
#pragma omp task depend(in : done[0], done[1], done[2])
        libprof_cost(50);
    }
}

// N x N blocks of 10 that wait for the one above and the one to the left.
static void wavefront_by_depend(int p, int n)
{
    std::vector<char> done((n + 1) * (n + 1));
    char *d __attribute__((unused)) = done.data();
#pragma omp parallel num_threads(p)
#pragma omp single
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
#pragma omp task depend(in : d[i * (n + 1) + j + 1], d[(i + 1) * (n + 1) + j])                     \
    depend(out : d[(i + 1) * (n + 1) + j + 1])
            libprof_cost(10);
        }
}

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
static std::function<tbb::flow::continue_msg(const tbb::flow::continue_msg &)> costs(long c)
{
    return [c](const tbb::flow::continue_msg &) { libprof_cost(c); return tbb::flow::continue_msg();
        };
}

static void after_by_graph()
{
    tbb::flow::graph g;
    Node a(g, costs(100)), b(g, costs(100)), c(g, costs(100)), d(g, costs(50));
    for (Node *n : { &a, &b, &c })
        make_edge(*n, d);
    for (Node *n : { &a, &b, &c })
        n->try_put({});
    g.wait_for_all();
}

static void wavefront_by_graph(int n)
{
    tbb::flow::graph g;
    std::vector<std::unique_ptr<Node>> nodes;
    for (int i = 0; i < n * n; i++) {
        nodes.push_back(std::make_unique<Node>(g, costs(10)));
        if (i % n)
            make_edge(*nodes[i - 1], *nodes[i]);
        if (i >= n)
            make_edge(*nodes[i - n], *nodes[i]);
    }
    nodes[0]->try_put({});
    g.wait_for_all();
}

// Filters of these costs, one after the other for each of N items, all serial or with a parallel
// one between.
static void pipeline(int n, size_t tokens, long read, bool parallel, long work, long write)
{
    int i = 0;
    tbb::parallel_pipeline(tokens,
        tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control &c) {
            if (i == n) {
                c.stop();
                return 0;
            }
            libprof_cost(read);
            return i++;
        }) &
        tbb::make_filter<int, int>(parallel ? tbb::filter_mode::parallel
                                   : tbb::filter_mode::serial_in_order,
                                   [=](int x) { libprof_cost(work); return x; }) &
        tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                    [=](int) { libprof_cost(write); }));
}

struct Case {
    std::function<void()> body;
    std::map<long, long> greedy;    // P -> T_P
};

static int workers = 1;

static std::map<std::string, Case> cases()
{
    return {
        { "equal", { [] { equal(16, 100); }, { { 1, 1600 }, { 2, 800 }, { 3, 600 }, { 4, 400 },
            { 5, 400 }, { 16, 100 }, { 1024, 100 } } } },
        { "many", { [] { equal(100000, 1); }, { { 1, 100000 }, { 2, 50000 }, { 64, 1563 },
            { 1000, 100 } } } },
        { "chain", { [] { chain(500); }, { { 1, 1503 }, { 2, 1503 }, { 1024, 1503 } } } },
        { "phases", { [] { phases(50); }, { { 1, 10000 }, { 2, 7500 }, { 5, 6000 }, { 10, 5500 },
            { 64, 5500 } } } },
        { "fib", { [] { fib(12); }, { { 1, 465 }, { 1024, 12 } } } },
        { "quicksort", { [] { quicksort(5000); }, { { 1, -1 }, { 2, -1 }, { 8, -1 } } } },
        { "depend", { [] { after_by_depend(workers); }, { { 1, 350 }, { 2, 250 }, { 3, 150 },
            { 1024, 150 } } } },
        { "depend_wavefront", { [] { wavefront_by_depend(workers, 8); },
            { { 1, 640 }, { 2, -1 }, { 4, -1 }, { 8, 150 }, { 1024, 150 } } } },
        { "flow", { [] { after_by_graph(); }, { { 1, 350 }, { 2, 250 }, { 3, 150 },
            { 1024, 150 } } } },
        { "flow_wavefront", { [] { wavefront_by_graph(8); }, { { 1, 640 }, { 2, -1 }, { 4, -1 },
            { 8, 150 }, { 1024, 150 } } } },
        // all serial: as many items are under way as there are filters
        { "pipeline", { [] { pipeline(20, 8, 10, false, 10, 10); },
            { { 1, 600 }, { 2, -1 }, { 3, 220 }, { 1024, 220 } } } },
        // two tokens: the third item is read when the first has been written, at 110, the fourth at
        // 120
        { "pipeline_tokens", { [] { pipeline(4, 2, 0, true, 100, 10); },
            { { 1, 440 }, { 2, 230 }, { 1024, 230 } } } },
        { "pipeline_parallel", { [] { pipeline(3, 8, 0, true, 100, 10); },
            { { 1, 330 }, { 2, -1 }, { 3, 130 }, { 1024, 130 } } } },
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
    workers = strtoul(argv[2], 0, 10);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
    found->second.body();
    return 0;
}
