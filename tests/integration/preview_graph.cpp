// preview_graph.cpp - a flow graph with TBB's preview features: since 2022.0 its receivers and
// senders have other vtables. Prints what its bodies have summed up, or "old headers".
#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1
#include <atomic>
#include <cstdio>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/version.h>

using namespace tbb::flow;

#if TBB_INTERFACE_VERSION >= 12140
int main()
{
    graph g;
    std::atomic<int> sum{0};
    function_node<int, int> first(g, 1, [](int i) { return i + 1; });
    queue_node<int> queue(g), left(g), right(g);
    limiter_node<int> limiter(g, 2);
    function_node<int, continue_msg> last(g, unlimited, [&](int i) {
        sum += i;
        return continue_msg();
    });
    make_edge(first, queue);
    make_edge(queue, limiter);
    make_edge(limiter, last);
    make_edge(last, limiter.decrementer());
    join_node<std::tuple<int, int>, reserving> join(g);
    make_edge(left, input_port<0>(join));
    make_edge(right, input_port<1>(join));
    function_node<std::tuple<int, int>> both(g, 1, [&](const std::tuple<int, int> &t) {
        sum += std::get<0>(t);
    });
    make_edge(join, both);
    multifunction_node<int, std::tuple<int>> many(g, 1, [](int i, auto &ports) {
        std::get<0>(ports).try_put(i);
    });
    make_edge(output_port<0>(many), left);
    input_node<int> input(g, [k = 0](tbb::flow_control &control) mutable {
        if (k == 10)
            control.stop();
        return k++;
    });
    make_edge(input, right);
    input.activate();
    for (int i = 0; i < 10; i++) {
        first.try_put(i);
        many.try_put(i);
    }
    g.wait_for_all();
    first.try_put_and_wait(5);
    g.wait_for_all();
    std::printf("%d\n", sum.load());
}
#else
int main()
{
    std::puts("old headers");
}
#endif
