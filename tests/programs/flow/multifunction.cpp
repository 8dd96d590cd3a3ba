// multifunction.cpp - multifunction_node, async_node.
#include "cases.hpp"
#include "dag.hpp"

CASES(multifunction)
{
    add("multifunction", [] {
        using Two = multifunction_node<int, std::tuple<int, int>>;
        graph g;
        Two m(g, serial, [](int v, Two::output_ports_type &p) {
            cost(3);
            std::get<0>(p).try_put(v);
            cost(4);
            if (v % 2)
                std::get<1>(p).try_put(v);
            cost(1);
        });
        function_node<int> a(g, unlimited, [](int) { cost(20); }),
            b(g, serial, [](int) { cost(30); });
        make_edge(output_port<0>(m), a);
        make_edge(output_port<1>(m), b);
        for (int i = 0; i < 8; i++)
            put(m, i);
        g.wait_for_all();
    }, [] {
        Dag d;
        At m, b;
        for (int i = 0; i < 8; i++) {
            m = i ? d.body(8, { d.now, m }) : d.body(8, { d.now });
            d.body(20, { { m.s - 5, m.b - 5 } });
            At half = { m.s - 1, m.b - 1 };
            if (i % 2)
                b = i > 1 ? d.body(30, { half, b }) : d.body(30, { half });
        }
        return Expect{ d.over() };
    });
    add("cycle", [] { // a message goes round and round: memory does not grow
        graph g;
        using M = multifunction_node<long, std::tuple<long>>;
        M m(g, unlimited, [](long v, M::output_ports_type &p) {
            cost(2);
            if (v)
                std::get<0>(p).try_put(v - 1);
        });
        make_edge(output_port<0>(m), m);
        put(m, 20000L);
        g.wait_for_all();
    }, [] {
        Dag d;
        At at = d.now;
        for (int i = 0; i <= 20000; i++)
            at = d.body(2, { at });
        return Expect{ d.over() };
    });
}

CASES(async)
{
    add("async", [] {
        using Async = async_node<int, int>;
        graph g;
        std::vector<std::thread> others;
        Async a(g, unlimited, [&](int v, Async::gateway_type &gateway) {
            cost(10);
            gateway.reserve_wait();
            others.emplace_back([&gateway, v] {
                cost(100);
                gateway.try_put(v);
                gateway.release_wait();
            });
        });
        function_node<int> e(g, unlimited, [](int) { cost(5); });
        make_edge(a, e);
        put((receiver<int> &)a, 1);
        g.wait_for_all();
        for (auto &t : others)
            t.join();
    }, [] { return bounded(115, 115, 115); });
}
