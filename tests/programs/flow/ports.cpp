// ports.cpp - nodes of several ports: indexer, split, composite.
#include "cases.hpp"
#include "dag.hpp"

CASES(ports)
{
    add("indexer", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, unlimited, pass(10));
        function_node<int, double> b(g, unlimited, [](int v) { cost(25); return v; });
        indexer_node<int, double> x(g);
        using Either = indexer_node<int, double>::output_type;
        function_node<Either> e(g, unlimited, [](const Either &v) { cost(v.tag() ? 7 : 60); });
        make_edge(start, a);
        make_edge(start, b);
        make_edge(a, input_port<0>(x));
        make_edge(b, input_port<1>(x));
        make_edge(x, e);
        for (int i = 0; i < 10; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 10; i++) {
            d.body(60, { d.body(10, { d.now }) });
            d.body(7, { d.body(25, { d.now }) });
        }
        return Expect{ d.over() };
    });
    add("split", [] {
        graph g;
        split_node<std::tuple<int, int>> s(g);
        function_node<int> a(g, unlimited, [](int v) { cost(v); }),
            b(g, unlimited, [](int v) { cost(2 * v); });
        make_edge(output_port<0>(s), a);
        make_edge(output_port<1>(s), b);
        for (int i = 0; i < 10; i++) {
            cost(1);
            s.try_put(std::make_tuple(i, i));
        }
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 10; i++) {
            d.run(1);
            d.body(i, { d.now });
            d.body(2 * i, { d.now });
        }
        return Expect{ d.over() };
    });
}

CASES(composite)
{
    add("composite", [] {
        struct Twice : composite_node<std::tuple<int>, std::tuple<int>> {
            function_node<int, int> a, b;
            Twice(graph &g) : composite_node<std::tuple<int>, std::tuple<int>>(g),
                a(g, unlimited, pass(10)), b(g, serial, pass(20))
            {
                make_edge(a, b);
                set_external_ports(std::tuple<receiver<int> &>(a), std::tuple<sender<int> &>(b));
            }
        };
        graph g;
        broadcast_node<int> start(g);
        Twice t(g);
        function_node<int> e(g, unlimited, [](int) { cost(5); });
        make_edge(start, input_port<0>(t));
        make_edge(output_port<0>(t), e);
        for (int i = 0; i < 10; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Dag d;
        At b;
        for (int i = 0; i < 10; i++) {
            At a = d.body(10, { d.now });
            b = i ? d.body(20, { a, b }) : d.body(20, { a });
            d.body(5, { b });
        }
        return Expect{ d.over() };
    });
}
