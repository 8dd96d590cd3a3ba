// inlined.cpp - code of headers that the compiler inlines into the program's functions: an
// intrinsic, the standard library, a runtime's tasks and bodies. The lines that the report must
// name end in a comment with the name that check.sh looks for.
#include <numeric>
#include <thread>
#include <vector>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <x86intrin.h>

static volatile unsigned long sink;

// Inlined, too, and the program's.
static inline unsigned long turn(unsigned long cycles)
{
    unsigned long turns = 0;
    for (unsigned long end = __rdtsc() + cycles; __rdtsc() < end;) // TURN
        turns++;
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
    tbb::parallel_for(0, 8, [](int) { sink = turn(50000000); });
    tbb::flow::graph g;
    tbb::flow::function_node<int, int> body(g, 1, [](int i) { // BODY
        sink = turn(20000000);
        return i;
    });
    tbb::flow::function_node<int> next(g, 1, [](int) { sink = turn(1000000); }); // NEXT
    make_edge(body, next);
    for (int i = 0; i < 4; i++)
        body.try_put(i);
    g.wait_for_all();
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([] { sink = turn(20000000); }); // THREAD
    for (auto &t : threads)
        t.join();
    return 0;
}
