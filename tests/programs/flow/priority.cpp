// priority.cpp - nodes of different priorities.
#include "cases.hpp"
#include "dag.hpp"

CASES(priority)
{
    add("priorities", [] {
        graph g;
        function_node<int, int> start(g, unlimited, pass(1));
        function_node<int, int> a(g, unlimited, pass(10), node_priority_t(1)),
            b(g, unlimited, pass(20), node_priority_t(2));
        function_node<int> c(g, serial, [](int) { cost(4); });
        make_edge(start, a);
        make_edge(start, b);
        make_edge(a, c);
        for (int i = 0; i < 10; i++)
            put(start, i);
        g.wait_for_all();
    }, [] {
        Dag d;
        At c;
        for (int i = 0; i < 10; i++) {
            At s = d.body(1, { d.now }), a = d.body(10, { s });
            d.body(20, { s });
            c = i ? d.body(4, { a, c }) : d.body(4, { a });
        }
        return Expect{ d.over() };
    });
    add("priorities_first", [] { // nobody has seen the graph when the first messages arrive
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, unlimited, pass(10), node_priority_t(1)),
            b(g, unlimited, pass(20), node_priority_t(2));
        make_edge(start, a);
        make_edge(start, b);
        for (int i = 0; i < 10; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Expect e = bounded(300, 10, 300);
        e.exact = false;
        return e;
    });
}
