// inlined.cpp - code of headers that the compiler inlines into the program's functions: an
// intrinsic, the standard library, a runtime's tasks and bodies. The lines that the report must
// name end in a comment with the name that check.sh looks for.
#include <ctime>
#include <numeric>
#include <thread>
#include <vector>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <x86intrin.h>

static volatile unsigned long sink;

static double __attribute__((noinline)) cpu_ms()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

// Inlined, too, and the program's. It ends by CPU time, not by the counter: on a busy machine the
// counter runs while the thread does not, and no sample would find it here.
static inline unsigned long turn(double ms)
{
    unsigned long turns = 0;
    for (double end = cpu_ms() + ms; cpu_ms() < end;)
        for (int i = 0; i < 100000; i++)
            turns += __rdtsc(); // TURN
    return turns;
}

static void __attribute__((noinline)) sum(const std::vector<double> &v, int rounds)
{
    double all = 0;
    for (int i = 0; i < rounds; i++)
        all += std::accumulate(v.begin(), v.end(), all); // SUM
    sink = all != 0;
}

int main()
{
    std::vector<double> v(1 << 16, 0.5);
    sum(v, 4000);
    tbb::parallel_for(0, 8, [](int) { sink = turn(20); });
    tbb::flow::graph g;
    tbb::flow::function_node<int, int> body(g, 1, [](int i) { // BODY
        sink = turn(10);
        return i;
    });
    tbb::flow::function_node<int> next(g, 1, [](int) { sink = turn(1); }); // NEXT
    make_edge(body, next);
    for (int i = 0; i < 4; i++)
        body.try_put(i);
    g.wait_for_all();
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([] { sink = turn(10); }); // THREAD
    for (auto &t : threads)
        t.join();
    return 0;
}
