// cancel.cpp - exceptions in bodies, cancelled graphs, reset graphs.
#include "cases.hpp"
#include "dag.hpp"
#include <oneapi/tbb/version.h>

// The body that throws has ended the graph G, which begins anew.
static void wait_thrown(graph &g)
{
    try {
        g.wait_for_all();
        abort();
    } catch (const std::runtime_error &) {
        cost(2);
    }
    g.reset();
}

// A message that cannot be copied if it is negative. The runtime copies it inside the put.
struct Fragile {
    int v = 0;
    Fragile() = default;
    explicit Fragile(int i) : v(i) {}
    Fragile(const Fragile &o) : v(o.v)
    {
        if (v < 0)
            throw std::runtime_error("expected");
    }
    Fragile &operator=(const Fragile &) = default;
};

// Since 2022.0 a task counts itself before it copies its message, and if the copy throws, nobody
// counts it back: the program waits for ever, with and without libprof.
#if TBB_INTERFACE_VERSION < 12140
CASES(cancel_put)
{
    add("put_throws", [] {
        graph g;
        function_node<int, Fragile> a(g, unlimited, [](int v) { cost(10); return Fragile(v); });
        function_node<Fragile> b(g, unlimited, [](const Fragile &) { cost(5); });
        make_edge(a, b);
        for (int r = 0; r < 3; r++) {
            put(a, 1);
            g.wait_for_all();
            put(a, -1);
            wait_thrown(g);
        }
    }, [] { return bounded(3 * 27, 3 * 27, 3 * 27); });
}
#endif

CASES(cancel)
{
    add("exception", [] {
        graph g;
        function_node<int, int> a(g, serial, [](int v) {
            cost(10);
            if (v == 3)
                throw std::runtime_error("expected");
            return v;
        });
        for (int r = 0; r < 3; r++) {
            for (int i = 0; i < 6; i++)
                put(a, i);
            wait_thrown(g);
        }
    }, [] { return bounded(3 * 42, 3 * 42, 3 * 42); });
    add("cancel", [] {
        graph g;
        Continue a(g, spend(10)),
            b(g, [&g](const continue_msg &) { cost(20); g.cancel(); return continue_msg(); }),
                c(g, spend(1000));
        make_edge(a, b);
        make_edge(b, c);
        a.try_put(continue_msg());
        g.wait_for_all();
        if (!g.is_cancelled())
            abort();
        g.reset();
        cost(1);
        a.try_put(continue_msg());
        g.wait_for_all();
    }, [] { return bounded(61, 61, 61); });
    add("reset_bodies", [] {
        graph g;
        function_node<int, int> a(g, serial, pass(10));
        for (int r = 0; r < 3; r++) {
            for (int i = 0; i < 4; i++)
                put(a, i);
            g.wait_for_all();
            g.reset(rf_reset_bodies);
        }
    }, [] {
        Dag d;
        for (int r = 0; r < 3; r++) {
            At a;
            for (int i = 0; i < 4; i++)
                a = i ? d.body(10, { d.now, a }) : d.body(10, { d.now });
            d.wait();
        }
        d.syncs++;
        return Expect{ d };
    });
}
