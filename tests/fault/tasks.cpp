// tasks.cpp - fork-join and a loop of oneTBB, with exceptions and nesting: 10 ms, the same output
// in every run.
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

static long fib(int n)
{
    if (n < 10)
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    long a, b;
    tbb::task_group g;
    g.run([&] { a = fib(n - 1); });
    b = fib(n - 2);
    g.wait();
    return a + b;
}

static void strike(int) {}

int main()
{
    struct sigaction action = {};
    action.sa_handler = strike;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
    std::printf("fib %ld\n", fib(17));
    static int cells[2000];
    tbb::parallel_for(0, 2000, [](int i) { cells[i] = i; });
    std::printf("sum %ld\n", tbb::parallel_reduce(
                                 tbb::blocked_range<int>(0, 2000), 0l,
                                 [](const tbb::blocked_range<int> &r, long sum) {
                                     for (int i = r.begin(); i < r.end(); i++)
                                         sum += cells[i];
                                     return sum;
                                 },
                                 std::plus<long>()));
    try {
        tbb::parallel_for(0, 100, [](int i) {
            if (i == 50)
                throw std::runtime_error("expected");
        });
    } catch (const std::runtime_error &e) {
        std::puts(e.what());
    }
    int next = 0;
    long total = 0;
    tbb::parallel_pipeline(
        4,
        tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control &c) {
            if (next == 20)
                c.stop();
            return next++;
        }) & tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) {
            return 2 * i;
        }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) {
            total += i;
        }));
    std::printf("pipeline %ld\n", total);
    return 6;
}
