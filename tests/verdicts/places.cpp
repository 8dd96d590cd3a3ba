/* places.cpp NODE PLACES - a flow graph in which messages wait for a place in NODE (limiter or
 * function), which has PLACES of them. 40 bodies of unequal cost; a serial node takes their
 * results. */
#include <cstdlib>
#include <cstring>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include "libprof.h"

using namespace tbb::flow;

static int body(int i)
{
    libprof_cost(1000 + i % 7 * 100);
    return i;
}

int main(int, char **argv)
{
    /* On several threads a decrement may come a moment too late to be seen (docs/EXACTNESS.md). */
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    bool limits = !strcmp(argv[1], "limiter");
    size_t places = atoi(argv[2]);
    graph g;
    int n = 0;
    input_node<int> in(g, [&](tbb::flow_control &f) {
        if (n == 40)
            f.stop();
        return n++;
    });
    limiter_node<int> limiter(g, places);
    queue_node<int> queue(g);
    function_node<int, int> worker(g, limits ? unlimited : places, body);
    function_node<int, continue_msg> last(g, serial, [](int) {
        libprof_cost(100);
        return continue_msg();
    });
    if (limits) {
        make_edge(in, limiter);
        make_edge(limiter, worker);
        make_edge(last, limiter.decrementer());
    } else {
        make_edge(in, queue);
        make_edge(queue, worker);
    }
    make_edge(worker, last);
    in.activate();
    g.wait_for_all();
}
