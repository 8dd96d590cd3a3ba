// lightweight.cpp - lightweight bodies, and bodies that put by themselves.
#include "cases.hpp"
#include "dag.hpp"

CASES(lightweight)
{
    add("light", [] { // inside the strand that puts, one after the other
        graph g;
        auto quick = [](int v) noexcept { cost(4); return v; };
        function_node<int, int> a(g, unlimited, pass(10));
        function_node<int, int, lightweight> l(g, unlimited, quick), m(g, unlimited, quick);
        function_node<int> e(g, unlimited, [](int) { cost(1); });
        make_edge(a, l);
        make_edge(a, m);
        make_edge(m, e);
        for (int i = 0; i < 5; i++)
            put(a, i);
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 5; i++)
            d.body(1, { d.inside(4, d.inside(4, d.body(10, { d.now }))) });
        return Expect{ d.over() };
    });
    add("serial_then_light", [] { // a serial node's place is free before what it puts runs
        graph g;
        function_node<int, int> a(g, serial, pass(10));
        function_node<int, int, lightweight> l(g, unlimited, [](int v) noexcept { cost(40);
            return v; });
        make_edge(a, l);
        for (int i = 0; i < 6; i++)
            put(a, i);
        g.wait_for_all();
    }, [] {
        Dag d;
        At a;
        for (int i = 0; i < 6; i++) {
            a = i ? d.body(10, { d.now, a }) : d.body(10, { d.now });
            d.inside(40, a);
        }
        return Expect{ d.over() };
    });
}

CASES(puts_itself)
{
    add("serial_puts_itself", [] { // bodies that put by themselves, and go on
        graph g;
        function_node<int> b(g, unlimited, [](int) { cost(3); });
        receiver<int> &other = b;
        function_node<int, int> a(g, serial, [&other](int v) { cost(4); put(other, v); cost(6);
            return v; });
        make_edge(a, b);
        for (int i = 0; i < 12; i++) {
            if (i == 6)
                g.wait_for_all();
            put(a, i);
        }
        g.wait_for_all();
    }, [] {
        Dag d;
        At a;
        for (int i = 0; i < 12; i++) {
            if (i == 6)
                d.wait();
            a = i % 6 ? d.body(10, { d.now, a }) : d.body(10, { d.now });
            d.body(3, { { a.s - 6, a.b - 6 } });
            d.body(3, { a });
        }
        return Expect{ d.over() };
    });
}
