// fork_graph.cpp - fork while a oneTBB flow graph has messages in flight: in the bodies of other
// threads, in buffers, and waiting for a place in a serial node. The child has none of those
// threads: it leaves that graph alone and runs one of its own, in an arena of its own. Each process
// prints what its messages summed up to. All other threads stand still at the fork: oneTBB's locks
// do not survive one. A lock that is held at the fork stays held in the child for ever.
//
//     fork_graph outside    the thread that waits for the graph forks
//     fork_graph inside     a node's body does, on a worker
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/wait.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>
#include "libprof.h"

using namespace tbb::flow;

static std::atomic<int> held{ 0 };
static std::atomic<bool> gate{ false };

static void until(const std::function<bool()> &done)
{
    while (!done())
        usleep(100);
}

// A message costs COST in each of two bodies. FIRST is called in the first's.
struct Network {
    graph g;
    long sum = 0;
    function_node<int, int> any;
    queue_node<int> queue;
    function_node<int, int> last;

    Network(long cost, std::function<void()> first)
        : any(g, unlimited, [cost, first](int i) {
              libprof_cost(cost);
              first();
              return i;
          }),
          queue(g), last(g, serial, [this, cost](int i) {
              libprof_cost(cost);
              sum += i;
              return i;
          })
    {
        make_edge(any, queue);
        make_edge(queue, last);
    }

    void put(int count)
    {
        for (int i = 0; i < count; i++)
            any.try_put(i);
    }
};

static void child()
{
    tbb::task_arena(1).execute([] {
        Network own(7, [] {});
        own.put(20);
        own.g.wait_for_all();
        std::printf("child %ld\n", own.sum);
    });
    std::fflush(stdout);
    _exit(5);
}

static void fork_now()
{
    std::fflush(stdout);
    int status = 0;
    pid_t pid = fork();
    if (!pid)
        child();
    waitpid(pid, &status, 0);
    std::printf("the child's status %d\n", status);
    gate = true;
}

// The two workers are held in the bodies of the first messages, but for the second if it forks.
static void first_bodies(bool inside)
{
    static std::atomic<int> came{ 0 };
    int order = came++;
    if (order >= 2)
        return;
    if (inside && order == 1) {
        until([] { return held == 1; });
        fork_now();
        return;
    }
    held++;
    until([] { return gate.load(); });
}

static void run(bool inside)
{
    Network &network = *new Network(3, [=] { first_bodies(inside); });
    network.put(50);
    if (inside) {
        until([] { return gate.load(); });
    } else {
        until([] { return held == 2; });
        fork_now();
    }
    network.g.wait_for_all();
    std::printf("parent %ld\n", network.sum);
}

int main(int argc, char **argv)
{
    // this thread and two workers, whatever the number of processors
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena(3).execute([&] { run(argc > 1 && !std::strcmp(argv[1], "inside")); });
    return 4;
}
