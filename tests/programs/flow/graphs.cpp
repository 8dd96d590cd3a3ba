// graphs.cpp - graphs beside others and in tasks, puts from tasks.
#include "cases.hpp"
#include "dag.hpp"

CASES(graphs)
{
    add("two_graphs", [] {
        graph g, h;
        function_node<int, int> a(g, serial, pass(10)), b(h, serial, pass(7));
        for (int i = 0; i < 10; i++) {
            put(a, i);
            put(b, i);
        }
        g.wait_for_all();
        cost(1);
        h.wait_for_all();
    }, [] {
        Dag d, h;
        At a, b;
        for (int i = 0; i < 10; i++) {
            a = i ? d.body(10, { d.now, a }) : d.body(10, { d.now });
            b = i ? h.body(7, { h.now, b }) : h.body(7, { h.now });
        }
        d.wait();
        d.run(1);
        d.end = later(d.end, h.end);
        d.wait();
        d.work += h.work;
        d.spawns += h.spawns;
        d.syncs += 2;
        return Expect{ d };
    });
    add("in_tasks", [] { // each task has a graph
        tbb::task_group t;
        for (int k = 0; k < 6; k++)
            t.run([k] {
                graph g;
                Continue a(g, spend(10 + k)), b(g, spend(5));
                make_edge(a, b);
                a.try_put(continue_msg());
                g.wait_for_all();
                cost(k);
            });
        t.wait();
    }, [] {
        Dag d;
        At end;
        for (int k = 0; k < 6; k++) {
            Dag t;
            t.now = { 0, B };
            t.spawns = 1;
            t.body(5, { t.body(10 + k, { t.now }) });
            t.over().run(k);
            end = later(end, t.now);
            d.work += t.work;
            d.spawns += t.spawns;
            d.syncs += t.syncs;
        }
        d.end = end;
        d.wait();
        return Expect{ d };
    });
}

CASES(puts_from_tasks)
{
    add("puts_from_tasks", [] { // other strands put, one waits
        graph g;
        function_node<int, int> a(g, unlimited, pass(10));
        function_node<int> b(g, unlimited, [](int) { cost(5); });
        make_edge(a, b);
        tbb::task_group t;
        for (int k = 0; k < 8; k++)
            t.run([&a, k] { cost(k); put(a, k); cost(2); });
        t.wait();
        g.wait_for_all();
    }, [] { return bounded(28 + 16 + 80 + 40, 22, 22); });
}
