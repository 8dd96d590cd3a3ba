// tbb.cpp - soak.hpp on TBB: recursion, loops of grain 1, task groups that live on, a flow graph's
// wavefront, nested loops, an arena.
#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <memory>
#include <vector>
#include "soak.hpp"

#ifdef PLUGIN
extern "C" long soak_plugin(int n);
long soak_plugin(int n)
{
    std::atomic<long> sum{0};
    tbb::task_group g;
    for (int i = 0; i < n; i++)
        g.run([&sum, i] { sum += i; });
    g.wait();
    return sum;
}
#else
static long fib(long n)
{
    soak::count();
    if (n < 2)
        return n;
    long a, b;
    tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
    return a + b;
}

static long fib_group(long n)
{
    soak::count();
    if (n < 2)
        return n;
    long a, b;
    tbb::task_group g;
    g.run([&] { a = fib_group(n - 1); });
    b = fib_group(n - 2);
    g.wait();
    return a + b;
}

struct mix {
    tbb::task_group lasting;
    tbb::task_arena arena{2};

    long round()
    {
        long sum = fib(20) + fib_group(18);
        std::atomic<long> loops{0};
        tbb::parallel_for(tbb::blocked_range<int>(0, 20000, 1),
                          [&](const tbb::blocked_range<int> &r) {
            soak::count();
            loops.fetch_add(r.size(), std::memory_order_relaxed); }, tbb::simple_partitioner());
        tbb::parallel_for(0, 64, [&](int) {
            tbb::parallel_for(0, 32, [&](int) { soak::count();
            loops.fetch_add(1, std::memory_order_relaxed); }); });
        sum += tbb::parallel_reduce(tbb::blocked_range<long>(0, 5000, 1), 0L,
            [](const tbb::blocked_range<long> &r, long s) { soak::count(); for (long i = r.begin();
            i < r.end(); i++) s += i; return s; },
            [](long a, long b) { return a + b; }, tbb::simple_partitioner());
        for (int i = 0; i < 2000; i++)
            lasting.run([&] { soak::count(); loops.fetch_add(1, std::memory_order_relaxed); });
        lasting.wait();
        arena.execute([&] { sum += fib(10); });
        return sum + loops + wavefront();
    }

    static long wavefront()
    {
        enum { N = 16 };
        using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
        static long at[N][N];
        tbb::flow::graph g;
        std::vector<std::unique_ptr<node>> nodes;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                nodes.emplace_back(new node(g, [i, k](const tbb::flow::continue_msg &m) {
                    soak::count();
                    at[i][k] = 1 + (i ? at[i - 1][k] % 1000 : 0) + (k ? at[i][k - 1] % 1000 : 0);
                    return m; }));
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                if (i + 1 < N)
                    tbb::flow::make_edge(*nodes[i * N + k], *nodes[(i + 1) * N + k]);
                if (k + 1 < N)
                    tbb::flow::make_edge(*nodes[i * N + k], *nodes[i * N + k + 1]);
            }
        nodes[0]->try_put(tbb::flow::continue_msg());
        g.wait_for_all();
        return at[N - 1][N - 1];
    }
};

int main(int argc, char **argv) { return soak::run(argc, argv, mix{}); }
#endif
