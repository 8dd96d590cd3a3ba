// putters.cpp - threads come, put messages into a flow graph, and go. Meanwhile other threads put
// and wait for the graph again and again. No thread frees what another one still uses. A message
// that comes while a wait returns is counted once. WAITERS 1: only the main thread waits.
//   putters ROUNDS WAITERS
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <thread>
#include <vector>

using namespace tbb::flow;

namespace {

std::atomic<long> bodies;

// All classes are hidden from the compiler, or it would inline the puts.
void put(receiver<continue_msg> *volatile to) { to->try_put(continue_msg()); }
void put(receiver<int> *volatile to) { to->try_put(1); }

void round(int waiters)
{
    const int putters = 4, threads = 10, puts = 4;
    graph g;
    continue_node<continue_msg> all(g, 3, [](const continue_msg &) { bodies++; });
    function_node<int, continue_msg> some(g, 2, [](int) { bodies++; return continue_msg(); });
    make_edge(some, all);
    std::atomic<int> active{putters};
    std::vector<std::thread> running;
    for (int p = 0; p < putters; p++)
        running.emplace_back([&] {
            for (int k = 0; k < threads; k++)
                std::thread([&] {
                    for (int i = 0; i < puts; i++) {
                        put(&all);
                        put(&some);
                    }
                }).join();
            active--;
        });
    auto wait = [&] {
        while (active) {
            put(&all);
            g.wait_for_all();
        }
    };
    for (int w = 1; w < waiters; w++)
        running.emplace_back(wait);
    wait();
    for (std::thread &t : running)
        t.join();
    g.wait_for_all();
}

}

int main(int, char **argv)
{
    tbb::global_control workers(tbb::global_control::max_allowed_parallelism, 4);
    for (int rounds = atoi(argv[1]); rounds; rounds--)
        round(atoi(argv[2]));
    std::printf("%s\n", bodies ? "done" : "nothing");
}
