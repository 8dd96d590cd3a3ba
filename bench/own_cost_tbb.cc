/* own_cost_tbb.cc NAME TASKS STEPS THREADS - TASKS bodies of STEPS multiplications, as tasks of
 * oneTBB; prints their CPU time in ns, the runtime's with it. Without arguments: the names. */
#include <functional>
#include <memory>
#include <vector>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>
#include "own_cost.h"

static void calls(void)             /* no construct: what the bodies cost */
{
    for (int i = 0; i < tasks; i++)
        body();
}
static void group_few(void)         /* eight live tasks at most */
{
    tbb::task_group g;
    for (int i = 0; i < tasks;) {
        do
            g.run(body);
        while (++i % 8 && i < tasks);
        g.wait();
    }
}
static void group_many(void)        /* all of them live */
{
    tbb::task_group g;
    for (int i = 0; i < tasks; i++)
        g.run(body);
    g.wait();
}
static void tree_one(int n)         /* N bodies, N - 1 groups of one task */
{
    if (n <= 1)
        return body();
    tbb::task_group g;
    g.run([n] { tree_one(n / 2); });
    tree_one(n - n / 2);
    g.wait();
}
static void tree_two(int n)         /* N bodies, N - 1 groups of two tasks */
{
    if (n <= 1)
        return body();
    tbb::task_group g;
    g.run([n] { tree_two(n / 2); });
    g.run([n] { tree_two(n - n / 2); });
    g.wait();
}
static void group_tree_one(void)
{
    tree_one(tasks);
}
static void group_tree_two(void)
{
    tree_two(tasks);
}
static void pfor_grain1(void)
{
    tbb::parallel_for(tbb::blocked_range<int>(0, tasks, 1), [](tbb::blocked_range<int> r) {
        for (int i = r.begin(); i < r.end(); i++)
            body();
    }, tbb::simple_partitioner());
}
static void invoke_tree(int n)      /* N bodies */
{
    if (n <= 1)
        body();
    else
        tbb::parallel_invoke([n] { invoke_tree(n / 2); }, [n] { invoke_tree(n - n / 2); });
}
static void invoke(void)
{
    invoke_tree(tasks);
}
static void reduce_grain1(void)
{
    tbb::parallel_reduce(tbb::blocked_range<int>(0, tasks, 1), 0,
                         [](tbb::blocked_range<int> r, int sum) {
                             for (int i = r.begin(); i < r.end(); i++)
                                 body();
                             return sum + 1;
                         }, std::plus<int>(), tbb::simple_partitioner());
}
static void flow_serial(void)       /* the node's queue has the messages that wait */
{
    tbb::flow::graph g;
    tbb::flow::function_node<int, int> a(g, tbb::flow::serial, [](int i) { return body(), i; });
    for (int i = 0; i < tasks; i++)
        a.try_put(i);
    g.wait_for_all();
}
static void flow_functions(void)    /* three bodies a message */
{
    using node = tbb::flow::function_node<int, int>;
    tbb::flow::graph g;
    auto f = [](int i) { return body(), i; };
    node a(g, tbb::flow::unlimited, f), b(g, tbb::flow::unlimited, f);
    node c(g, tbb::flow::unlimited, f);
    tbb::flow::make_edge(a, b);
    tbb::flow::make_edge(b, c);
    for (int i = 0; i < (tasks + 2) / 3; i++)
        a.try_put(i);
    g.wait_for_all();
}
static void flow_chain(void)        /* ten continue_nodes, one after the other, again and again */
{
    using message = tbb::flow::continue_msg;
    using node = tbb::flow::continue_node<message>;
    tbb::flow::graph g;
    std::vector<std::unique_ptr<node>> chain;
    for (int i = 0; i < 10; i++) {
        chain.push_back(std::make_unique<node>(g, [](const message &m) { return body(), m; }));
        if (i)
            tbb::flow::make_edge(*chain[i - 1], *chain[i]);
    }
    for (int i = 0; i < (tasks + 9) / 10; i++) {
        chain[0]->try_put(message());
        g.wait_for_all();
    }
}

static void start(const struct construct *c, int threads)
{
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    c->run();
}

int main(int argc, char **argv)
{
    static const struct construct all[] = {
        { "calls", calls, 0 }, { "group_few", group_few, 0 }, { "group_many", group_many, 0 },
        { "group_tree_one", group_tree_one, 0 }, { "group_tree_two", group_tree_two, 0 },
        { "pfor_grain1", pfor_grain1, 0 }, { "invoke", invoke, 0 },
        { "reduce_grain1", reduce_grain1, 0 }, { "flow_serial", flow_serial, 0 },
        { "flow_functions", flow_functions, 0 }, { "flow_chain", flow_chain, 0 },
    };
    return own_cost_main(argc, argv, all, sizeof all / sizeof *all, start);
}
