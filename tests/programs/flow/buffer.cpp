// buffer.cpp - nodes that hold messages: queue, buffer, sequencer, overwrite, limiter.
#include "cases.hpp"
#include "dag.hpp"

CASES(queue)
{
    add("queue", [] {
        graph g;
        queue_node<int> q(g);
        function_node<int, int> a(g, unlimited, [](int v) { cost(vary(v)); return v; });
        function_node<int> s(g, serial, [](int v) { cost(15); });
        make_edge(q, a);
        make_edge(a, s);
        for (int i = 0; i < 1; i++) {
            cost(6);
            q.try_put(i);
        }
        g.wait_for_all();
        cost(3);
        for (int i = 1; i < 2; i++)
            q.try_put(i);
        g.wait_for_all();
    }, [] {
        Dag d;
        d.run(6);
        d.body(15, { d.body(vary(0), { d.now }) });
        d.wait();
        d.run(3);
        d.body(15, { d.body(vary(1), { d.now }) });
        return Expect{ d.over() };
    });
}

CASES(buffers)
{
    for (const char *kind : { "queue", "buffer", "sequencer", "priority" })
        add(std::string("many_") + kind, [=] {
            graph g;
            std::unique_ptr<buffer_node<int>> q;
            if (!std::strcmp(kind, "queue"))
                q = std::make_unique<queue_node<int>>(g);
            else if (!std::strcmp(kind, "buffer"))
                q = std::make_unique<buffer_node<int>>(g);
            else if (!std::strcmp(kind, "sequencer"))
                q = std::make_unique<sequencer_node<int>>(g, [](int v) { return (size_t)v; });
            else
                q = std::make_unique<priority_queue_node<int>>(g);
            function_node<int> a(g, unlimited, [](int v) { cost(1000 - 20 * v); });
            make_edge(*q, a);
            for (int i = 0; i < 40; i++) {
                cost(8);
                q->try_put(i);
            }
            g.wait_for_all();
        }, [=] {
            Dag d;
            for (int i = 0; i < 40; i++) {
                d.run(8);
                d.body(1000 - 20 * i, { d.now });
            }
            Expect e{ d.over() };
            if (!std::strcmp(kind, "priority")) {
                e.span_known = e.spawns_known = false;
                e.exact = false;
            }
            return e;
        });
}

CASES(sequencer)
{
    add("sequencer_late", [] { // the first in sequence is put last
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, unlimited, [](int v) { cost(100 - 10 * v); return v; });
        sequencer_node<int> q(g, [](int v) { return (size_t)v; });
        function_node<int> e(g, unlimited, [](int v) { cost(5 + v); });
        make_edge(start, a);
        make_edge(a, q);
        make_edge(q, e);
        for (int i = 0; i < 8; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] {
        Dag d;
        At before;
        for (int i = 0; i < 8; i++) {
            before = later(before, d.body(100 - 10 * i, { d.now }));
            d.body(5 + i, { before });
        }
        return Expect{ d.over() };
    });
}

CASES(overwrite_and_limiter)
{
    add("overwrite", [] {
        graph g;
        overwrite_node<int> o(g);
        write_once_node<int> w(g);
        function_node<int, int> a(g, unlimited, pass(12));
        function_node<int> e(g, unlimited, [](int) { cost(5); });
        make_edge(o, a);
        make_edge(a, w);
        make_edge(w, e);
        o.try_put(1);
        g.wait_for_all();
        o.try_put(2);
        g.wait_for_all();
    }, [] {
        Dag d;
        d.body(5, { d.body(12, { d.now }) });
        d.wait();
        d.body(12, { d.now });
        return Expect{ d.over() };
    });
    add("limiter", [] { // one at a time: each message waits for the one before to have come back
        graph g;
        int i = 0;
        input_node<int> in(g, [&](tbb::flow_control &fc) {
            if (i == 10)
                return fc.stop(), 0;
            cost(2);
            return i++;
        });
        queue_node<int> q(g);
        limiter_node<int> l(g, 1);
        function_node<int, continue_msg> a(g, unlimited,
                                           [](int v) { cost(30 + v); return continue_msg(); });
        make_edge(in, q);
        make_edge(q, l);
        make_edge(l, a);
        make_edge(a, l.decrementer());
        in.activate();
        g.wait_for_all();
    }, [] {
        Dag d;
        At in = d.now, a;
        for (int i = 0; i < 10; i++) {
            in = d.body(2, { in });
            a = i ? d.body(30 + i, { in, a }) : d.body(30, { in });
        }
        d.body(0, { in });
        return Expect{ d.over() };
    });
}
