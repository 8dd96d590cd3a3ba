// function.cpp - function_node: serial, limited, unlimited.
#include "cases.hpp"
#include "dag.hpp"

CASES(function)
{
    add("mixed", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, unlimited, pass(10));
        function_node<int, int> b(g, serial, pass(20));
        function_node<int> end(g, unlimited, [](int) { cost(5); });
        make_edge(start, a);
        make_edge(a, b);
        make_edge(b, end);
        for (int i = 0; i < 10; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Dag d;
        At b = d.now;
        for (int i = 0; i < 10; i++)
            d.body(5, { b = d.body(20, { d.body(10, { d.now }), b }) });
        return Expect{ d.over() };
    });
    add("serial", [] { // costs between the puts, some longer than the bodies
        graph g;
        function_node<int, int> a(g, serial, [](int v) { cost(vary(v)); return v; });
        function_node<int> b(g, unlimited, [](int) { cost(9); });
        make_edge(a, b);
        for (int i = 0; i < 30; i++) {
            cost(i % 5 * 4);
            put(a, i);
        }
        g.wait_for_all();
    }, [] {
        Dag d;
        At a;
        bool first = true;
        for (int i = 0; i < 30; i++) {
            d.run(i % 5 * 4);
            a = first ? d.body(vary(i), { d.now }) : d.body(vary(i), { d.now, a });
            first = false;
            d.body(9, { a });
        }
        return Expect{ d.over() };
    });
}

// A message whose first copy takes time, and spawns. The runtime makes it inside the put.
struct Copied {
    int v = 0;
    mutable bool fresh = true;
    Copied() = default;
    Copied(const Copied &o) : v(o.v), fresh(false)
    {
        if (!o.fresh)
            return;
        o.fresh = false;
        /* the runtime holds a lock while it copies, which another task of the graph would take */
        tbb::this_task_arena::isolate([] {
            tbb::task_group g;
            g.run([] { cost(40); });
            cost(1);
            g.wait();
        });
    }
    Copied &operator=(const Copied &) = default;
};

CASES(function_copies)
{
    add("copies", [] { // the body does not wait for what the put goes on with
        graph g;
        broadcast_node<int> start(g);
        function_node<int, Copied> a(g, unlimited, [](int) { cost(10); return Copied(); });
        function_node<Copied> b(g, unlimited, [](const Copied &) { cost(60); });
        make_edge(start, a);
        make_edge(a, b);
        for (int i = 0; i < 10; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 10; i++) {
            At a = d.body(10, { d.now });
            d.body(60, { a });
            d.body(40, { a });
            d.work++;
            d.syncs++;
        }
        return Expect{ d.over() };
    });
}

CASES(function_input)
{
    add("pipeline", [] { // input_node and a serial node: the order is the input's
        graph g;
        int i = 0;
        input_node<int> in(g, [&](tbb::flow_control &fc) {
            if (i == 40)
                return fc.stop(), 0;
            cost(2 + i % 3);
            return i++;
        });
        function_node<int, int> a(g, serial, [](int v) { cost(vary(v)); return v; });
        function_node<int, int> b(g, unlimited, [](int v) { cost(vary(v + 5)); return v; });
        function_node<int, int> c(g, unlimited, pass(7));
        make_edge(in, a);
        make_edge(a, b);
        make_edge(b, c);
        in.activate();
        g.wait_for_all();
    }, [] {
        Dag d;
        At in = d.now, a, b;
        for (int i = 0; i < 40; i++) {
            in = d.body(2 + i % 3, { in });
            a = i ? d.body(vary(i), { in, a }) : d.body(vary(i), { in });
            b = d.body(vary(i + 5), { a });
            d.body(7, { b });
        }
        d.body(0, { in });              // the call that finds the end
        return Expect{ d.over() };
    });
    add("overtaken", [] {
        graph g;
        int i = 0;
        std::vector<int> order;         // b's, which is serial
        input_node<int> in(g, [&](tbb::flow_control &fc) {
            if (i == 40)
                return fc.stop(), 0;
            cost(2);
            return i++;
        });
        function_node<int, int> a(g, serial, [](int v) { cost(vary(v)); return v; });
        function_node<int> b(g, serial, [&](int v) { cost(vary(v + 5)); order.push_back(v); });
        make_edge(in, a);
        make_edge(a, b);
        in.activate();
        g.wait_for_all();
        long ready[40], put = 0, end = 0;
        for (int v = 0; v < 40; v++)
            ready[v] = end = std::max(put += 2, end) + vary(v);
        end = 0;
        for (int v : order)
            end = std::max(ready[v], end) + vary(v + 5);
        observe_span(end);
    }, [] {
        long work = 40 * 2;
        for (int v = 0; v < 40; v++)
            work += vary(v) + vary(v + 5);
        return observed(work);
    });
}

CASES(function_limited)
{
    add("limited", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int> f(g, 3, [](int) { cost(10); });
        make_edge(start, f);
        for (int i = 0; i < 30; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] { return bounded(300, 100, 300); });
}
