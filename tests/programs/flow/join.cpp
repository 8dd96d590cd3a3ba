// join.cpp - join_node by its policies.
#include "cases.hpp"
#include "dag.hpp"

CASES(join)
{
    add("join", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, serial, [](int v) { cost(vary(v)); return v; });
        function_node<int, int> b(g, serial, [](int v) { cost(vary(v + 4)); return v; });
        join_node<std::tuple<int, int>> j(g);
        std::atomic<int> count{ 0 };
        std::tuple<int, int> pairs[30]; // each port's order is that of a schedule
        function_node<std::tuple<int, int>> e(g, unlimited,
                                              [&](const std::tuple<int, int> &t) { cost(11);
                                                  pairs[count++] = t; });
        make_edge(start, a);
        make_edge(start, b);
        make_edge(a, input_port<0>(j));
        make_edge(b, input_port<1>(j));
        make_edge(j, e);
        for (int i = 0; i < 30; i++)
            start.try_put(i);
        g.wait_for_all();
        long ends[2][30], end[2] = { 0, 0 };
        for (int i = 0; i < 30; i++) {
            ends[0][i] = end[0] += vary(i);
            ends[1][i] = end[1] += vary(i + 4);
        }
        long span = 0;
        for (const auto &[x, y] : pairs)
            span = std::max(span, std::max(ends[0][x], ends[1][y]) + 11);
        observe_span(span);
    }, [] {
        long work = 30 * 11;
        for (int i = 0; i < 30; i++)
            work += vary(i) + vary(i + 4);
        return observed(work);
    });
    add("join_from_outside", [] {
        graph g;
        join_node<std::tuple<int, int>> j(g);
        function_node<std::tuple<int, int>> e(g, unlimited,
                                              [](const std::tuple<int, int> &) { cost(11); });
        make_edge(j, e);
        for (int i = 0; i < 10; i++) {
            cost(2);
            put<int>(input_port<0>(j), i);
            cost(3);
            put<int>(input_port<1>(j), i);
        }
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 10; i++) {
            d.run(5);
            d.body(11, { d.now });
        }
        return Expect{ d.over() };
    });
}

CASES(join_policies)
{
    add("join_reserving", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, serial, pass(10)), b(g, serial, pass(25));
        queue_node<int> p(g), q(g);
        join_node<std::tuple<int, int>, reserving> j(g);
        function_node<std::tuple<int, int>> e(g, unlimited,
                                              [](const std::tuple<int, int> &) { cost(11); });
        make_edge(start, a);
        make_edge(start, b);
        make_edge(a, p);
        make_edge(b, q);
        make_edge(p, input_port<0>(j));
        make_edge(q, input_port<1>(j));
        make_edge(j, e);
        for (int i = 0; i < 10; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Dag d;
        At a, b;
        for (int i = 0; i < 10; i++) {
            a = i ? d.body(10, { d.now, a }) : d.body(10, { d.now });
            b = i ? d.body(25, { d.now, b }) : d.body(25, { d.now });
            d.body(11, { later(a, b) });
        }
        return Expect{ d.over() };
    });
    add("join_matching", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, unlimited, pass(10)), b(g, unlimited, pass(25));
        auto key = [](int v) { return (tag_value)v; };
        join_node<std::tuple<int, int>, tag_matching> j(g, key, key);
        function_node<std::tuple<int, int>> e(g, unlimited,
                                              [](const std::tuple<int, int> &) { cost(11); });
        make_edge(start, a);
        make_edge(start, b);
        make_edge(a, input_port<0>(j));
        make_edge(b, input_port<1>(j));
        make_edge(j, e);
        for (int i = 0; i < 10; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Expect e = bounded(10 * 46, 21, 46);
        e.exact = false;
        return e;
    });
}
