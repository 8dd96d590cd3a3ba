// continue.cpp - continue_node.
#include "cases.hpp"
#include "dag.hpp"

CASES(continue)
{
    add("diamond", [] {
        graph g;
        Continue a(g, spend(10)), b(g, spend(1000)), c(g, spend(500)), d(g, spend(500));
        make_edge(a, b);
        make_edge(a, c);
        make_edge(b, d);
        make_edge(c, d);
        cost(7);
        a.try_put(continue_msg());
        cost(20);
        g.wait_for_all();
        cost(1);
    }, [] {
        Dag d;
        d.run(7);
        At a = d.body(10, { d.now });
        d.body(500, { d.body(1000, { a }), d.body(500, { a }) });
        d.run(20);
        d.over().run(1);
        return Expect{ d };
    });
    // a count of its own: three puts a round, from outside
    add("threshold", [] {
        graph g;
        Continue a(g, 3, spend(10)), b(g, spend(5));
        make_edge(a, b);
        for (int i = 0; i < 9; i++) {
            cost(2);
            go(a);
        }
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 9; i++) {
            d.run(2);
            if (i % 3 == 2)
                d.body(5, { d.body(10, { d.now }) });
        }
        return Expect{ d.over() };
    });
    add("outside_and_inside", [] { // one message from a body, one from outside, either may be last
        for (long c : { 10, 1000 }) {
            graph g;
            Continue a(g, spend(100)), b(g, 1, spend(5));
            make_edge(a, b);
            a.try_put(continue_msg());
            cost(c);
            go(b);
            g.wait_for_all();
        }
    }, [] {
        Dag d;
        for (long c : { 10, 1000 }) {
            At a = d.body(100, { d.now });
            d.run(c);
            d.body(5, { a, d.now });
            d.over();
        }
        return Expect{ d };
    });
}

CASES(continue_output)
{
    add("continue_light", [] {
        graph g;
        Continue a(g, spend(10)), c(g, spend(40));
        continue_node<continue_msg, lightweight> l(g, spend(3)), m(g, spend(4));
        make_edge(a, l);
        make_edge(l, m);
        make_edge(m, c);
        a.try_put(continue_msg());
        g.wait_for_all();
    }, [] {
        Dag d;
        d.body(40, { d.inside(4, d.inside(3, d.body(10, { d.now }))) });
        return Expect{ d.over() };
    });
    add("continue_output", [] { // continue_node that sends ints
        graph g;
        continue_node<int> a(g, [](const continue_msg &) { cost(6); return 1; });
        function_node<int> f(g, unlimited, [](int) { cost(8); });
        make_edge(a, f);
        a.try_put(continue_msg());
        g.wait_for_all();
    }, [] {
        Dag d;
        d.body(8, { d.body(6, { d.now }) });
        return Expect{ d.over() };
    });
}

CASES(continue_nested)
{
    add("nested_loops", [] { // bodies with parallelism of their own
        graph g;
        auto body = [](const continue_msg &) {
            cost(5);
            tbb::parallel_for(tbb::blocked_range<int>(0, 2, 1),
                              [](const tbb::blocked_range<int> &) { cost(30); },
                              tbb::simple_partitioner());
            cost(2);
            return continue_msg();
        };
        Continue a(g, body), b(g, body), c(g, body);
        make_edge(a, b);
        make_edge(a, c);
        a.try_put(continue_msg());
        g.wait_for_all();
    }, [] {
        Dag d;
        auto body = [&](At after) {
            At e = d.body(5, { after });
            At stolen = { e.s + 30, e.b + B + 30 };
            d.work += 60;
            d.spawns++;
            d.syncs++;
            e = later({ e.s + 30, e.b + 30 }, stolen);
            e = { e.s + 2, e.b + 2 };
            d.work += 2;
            d.end = later(d.end, e);
            return e;
        };
        At a = body(d.now);
        body(a);
        body(a);
        return Expect{ d.over() };
    });
}
