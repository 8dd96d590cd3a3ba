// inlined.cpp - puts that are no virtual calls when the compiler knows the node: libprof sees
// them, or names a lower bound.
#include "cases.hpp"
#include "dag.hpp"

namespace {
struct Local {
    int v;
};
}

struct Members {
    graph g;
    function_node<int> last{ g, serial, [](int) { cost(20); } };
    function_node<int> first{ g, unlimited, [this](int v) { cost(5 * v); last.try_put(v); } };
    void run(int n)
    {
        for (int i = 0; i < n; i++)
            first.try_put(i);
        g.wait_for_all();
    }
};

CASES(inlined_nodes)
{
    for (long c : { 0, 3, 50 })
        add("inlined_serial_" + std::to_string(c), [=] {
            graph g;
            function_node<int> a(g, serial, [](int) { cost(10); });
            for (int i = 0; i < 20; i++) {
                cost(c);
                a.try_put(i);
            }
            g.wait_for_all();
        }, [=] {
            Dag d;
            At a;
            for (int i = 0; i < 20; i++) {
                d.run(c);
                a = i ? d.body(10, { d.now, a }) : d.body(10, { d.now });
            }
            return honest(d.over());
        });
    add("inlined_join", [] {
        graph g;
        join_node<std::tuple<int, int>> j(g);
        function_node<std::tuple<int, int>> e(g, unlimited,
                                              [](const std::tuple<int, int> &) { cost(11); });
        make_edge(j, e);
        for (int i = 0; i < 10; i++) {
            cost(1);
            input_port<0>(j).try_put(i);
            cost(2);
            input_port<1>(j).try_put(i);
        }
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 10; i++) {
            d.run(3);
            d.body(11, { d.now });
        }
        return honest(d.over());
    });
    add("inlined_queue", [] {
        graph g;
        queue_node<int> q(g);
        function_node<int> e(g, unlimited, [](int) { cost(11); });
        make_edge(q, e);
        for (int i = 0; i < 10; i++) {
            cost(1);
            q.try_put(i);
        }
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 10; i++) {
            d.run(1);
            d.body(11, { d.now });
        }
        return honest(d.over());
    });
}

CASES(inlined_types)
{
    add("inlined_members", [] {
        Members m;
        m.run(10);
    }, [] {
        // in the order in which the last one was reached, at best: that of the first ones' costs
        Dag d;
        At a;
        for (int i = 0; i < 10; i++) {
            At f = d.body(5 * i, { d.now });
            a = i ? d.body(20, { f, a }) : d.body(20, { f });
        }
        d.over();
        return bounded(d.work, 0, 45 + 200);
    });
    add("inlined_local_type", [] {
        graph g;
        broadcast_node<Local> start(g);
        function_node<Local, Local> a(g, unlimited, [](Local v) { cost(10); return v; });
        function_node<Local, Local> b(g, serial, [](Local v) { cost(20); return v; });
        function_node<Local> end(g, unlimited, [](Local) { cost(5); });
        make_edge(start, a);
        make_edge(a, b);
        make_edge(b, end);
        for (int i = 0; i < 10; i++)
            start.try_put({ i });
        g.wait_for_all();
    }, [] {
        Dag d;
        At b = d.now;
        for (int i = 0; i < 10; i++)
            d.body(5, { b = d.body(20, { d.body(10, { d.now }), b }) });
        return honest(d.over());
    });
}
