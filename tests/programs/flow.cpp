// flow.cpp - oneTBB flow graphs under the virtual clock, with what must be measured.
//
//   flow CASE P            run CASE on P workers
//   flow --expect CASE     print the expected values
//   flow --list            name the cases
//
// Expectations come from a dag of bodies that each case writes down by hand (struct Dag): a body starts when all that it
// waits for has ended, every edge to a body is one that a thief can take. Neither the profiler nor TBB has a part in it.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>
#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include "libprof.h"
#include "numbers.h"

using namespace tbb::flow;
using Continue = continue_node<continue_msg>;
static long B;                          // burden, for expectations

// A moment: the longest path to it, without and with burdens.
struct At {
    long s = 0, b = 0;
};
static At later(At x, At y) { return { std::max(x.s, y.s), std::max(x.b, y.b) }; }

struct Dag {
    long work = 0, spawns = 0, syncs = 0;
    At now, end;                        // the strand that puts and waits; the last body's end

    void run(long c)                    // the strand itself works
    {
        work += c;
        now.s += c;
        now.b += c;
    }
    At body(long c, std::initializer_list<At> after)
    {
        At start;
        for (At a : after)
            start = later(start, { a.s, a.b + B });
        work += c;
        spawns++;
        At e = { start.s + c, start.b + c };
        end = later(end, e);
        return e;
    }
    At inside(long c, At after)         // lightweight: a part of the strand that puts
    {
        work += c;
        At e = { after.s + c, after.b + c };
        end = later(end, e);
        return e;
    }
    void wait()
    {
        now = later(now, end);
        syncs++;
    }
    Dag &over()                         // wait_for_all, and the one of ~graph
    {
        wait();
        syncs++;
        return *this;
    }
};

struct Expect {
    Dag dag;
    bool span_known = true, spawns_known = true, work_known = true, exact = true;
    bool observed = false;              // the run itself tells the span
    bool honest = false;                // exact or a lower bound, and says which
    bool raced = false;                 // a race of the runtime's may make it a lower bound: see the case
    long span_min = 0;
};
struct Case {
    std::function<void()> run;
    std::function<Expect()> expect;
};
static std::map<std::string, Case> cases;
static std::vector<std::string> order;

static void add(const std::string &name, std::function<void()> run, std::function<Expect()> expect)
{
    cases["flow_" + name] = { run, expect };
    order.push_back("flow_" + name);
}
static Expect bounded(long work, long span_min, long span_max)
{
    Expect e;
    e.dag.work = work;
    e.dag.now.s = span_max;
    e.span_min = span_min;
    e.span_known = e.spawns_known = false;
    return e;
}

// What a serial node takes from another serial node's bodies is in the order of the schedule: the runtime starts the next body
// before it hands on what the last one made. Such a case's bodies write down the order, and the span follows from it.
static Expect observed(long work)
{
    Expect e;
    e.dag.work = work;
    e.observed = true;
    return e;
}
static long observed_span = -1;

static Expect honest(const Dag &d)
{
    Expect e{ d };
    e.honest = true;
    e.span_known = e.spawns_known = false;
    return e;
}

static void cost(long c) { libprof_cost(c); }
// A put that the compiler cannot see through, as between a program's functions.
template <class T> __attribute__((noipa)) static void put(receiver<T> &r, T v) { r.try_put(v); }
__attribute__((noipa)) static void go(receiver<continue_msg> &r) { r.try_put(continue_msg()); }

static auto spend(long c)
{
    return [c](const continue_msg &) { cost(c); return continue_msg(); };
}
static auto pass(long c)
{
    return [c](int v) { cost(c); return v; };
}
static long resident_pages()
{
    long size = 0, resident = 0;
    FILE *f = std::fopen("/proc/self/statm", "r");
    if (!f || std::fscanf(f, "%ld %ld", &size, &resident) != 2)
        abort();
    std::fclose(f);
    return resident;
}
static long vary(long i) { return 3 + i * 7 % 11; }

// ---- continue_node ----

struct Random {
    int n;
    std::vector<long> costs;
    std::vector<std::vector<int>> preds;
    Random(unsigned long seed, int n) : n(n), costs(n), preds(n)
    {
        for (int i = 0; i < n; i++) {
            costs[i] = lcg(seed) % 50;
            for (int k = lcg(seed) % 4; i && k > 0; k--)
                preds[i].push_back(lcg(seed) % i);
            std::sort(preds[i].begin(), preds[i].end());
            preds[i].erase(std::unique(preds[i].begin(), preds[i].end()), preds[i].end());
        }
    }
    void run(int rounds) const
    {
        graph g;
        broadcast_node<continue_msg> start(g);
        std::vector<std::unique_ptr<Continue>> node;
        for (int i = 0; i < n; i++) {
            node.push_back(std::make_unique<Continue>(g, spend(costs[i])));
            for (int p : preds[i])
                make_edge(*node[p], *node[i]);
            if (preds[i].empty())
                make_edge(start, *node[i]);
        }
        for (int r = 0; r < rounds; r++) {
            cost(4);
            start.try_put(continue_msg());
            g.wait_for_all();
        }
    }
    Expect expect(int rounds) const
    {
        Dag d;
        for (int r = 0; r < rounds; r++) {
            d.run(4);
            std::vector<At> end(n);
            for (int i = 0; i < n; i++) {
                At start = preds[i].empty() ? d.now : At();
                for (int p : preds[i])
                    start = later(start, end[p]);
                end[i] = d.body(costs[i], { start });
            }
            d.wait();
        }
        d.syncs++;
        return { d };
    }
};

static void wavefront(int n, int rounds)
{
    graph g;
    std::vector<std::unique_ptr<Continue>> node;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            node.push_back(std::make_unique<Continue>(g, spend(vary(i * n + j))));
            if (i)
                make_edge(*node[(i - 1) * n + j], *node.back());
            if (j)
                make_edge(*node[i * n + j - 1], *node.back());
        }
    for (int r = 0; r < rounds; r++) {
        node[0]->try_put(continue_msg());
        g.wait_for_all();
    }
}
static Expect wavefront_dag(int n, int rounds)
{
    Dag d;
    for (int r = 0; r < rounds; r++) {
        std::vector<At> e(n * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                At start = i || j ? At() : d.now;
                if (i)
                    start = later(start, e[(i - 1) * n + j]);
                if (j)
                    start = later(start, e[i * n + j - 1]);
                e[i * n + j] = d.body(vary(i * n + j), { start });
            }
        d.wait();
    }
    d.syncs++;
    return { d };
}

static void add_continue()
{
    for (int s = 1; s <= 6; s++)
        for (int rounds : { 1, 3 }) {
            Random r(s, s * 12);
            add("random_" + std::to_string(s) + "_" + std::to_string(rounds), [=] { r.run(rounds); }, [=] { return r.expect(rounds); });
        }
    add("random_large", [] { Random(77, 3000).run(2); }, [] { return Random(77, 3000).expect(2); });
    add("wavefront", [] { wavefront(20, 2); }, [] { return wavefront_dag(20, 2); });
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
    add("nested_loops", [] { // bodies with parallelism of their own
        graph g;
        auto body = [](const continue_msg &) {
            cost(5);
            tbb::parallel_for(tbb::blocked_range<int>(0, 2, 1), [](const tbb::blocked_range<int> &) { cost(30); },
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

// ---- function_node ----

static void add_functions()
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
        observed_span = end;
    }, [] {
        long work = 40 * 2;
        for (int v = 0; v < 40; v++)
            work += vary(v) + vary(v + 5);
        return observed(work);
    });
    add("limited", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int> f(g, 3, [](int) { cost(10); });
        make_edge(start, f);
        for (int i = 0; i < 30; i++)
            start.try_put(i);
        g.wait_for_all();
    }, [] { return bounded(300, 100, 300); });
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
        function_node<int, int, lightweight> l(g, unlimited, [](int v) noexcept { cost(40); return v; });
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
    add("serial_puts_itself", [] { // bodies that put by themselves, and go on
        graph g;
        function_node<int> b(g, unlimited, [](int) { cost(3); });
        receiver<int> &other = b;
        function_node<int, int> a(g, serial, [&other](int v) { cost(4); put(other, v); cost(6); return v; });
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
        function_node<int> a(g, unlimited, [](int) { cost(20); }), b(g, serial, [](int) { cost(30); });
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
    add("cycle", [] { // a message goes round and round: memory stays what it is
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
    }, [] {
        Expect e = bounded(115, 115, 115);
        return e;
    });
}

// ---- nodes that hold messages ----

static void add_holders()
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
    add("join", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, serial, [](int v) { cost(vary(v)); return v; });
        function_node<int, int> b(g, serial, [](int v) { cost(vary(v + 4)); return v; });
        join_node<std::tuple<int, int>> j(g);
        std::atomic<int> count{ 0 };
        std::tuple<int, int> pairs[30]; // each port's order is that of a schedule
        function_node<std::tuple<int, int>> e(g, unlimited, [&](const std::tuple<int, int> &t) { cost(11); pairs[count++] = t; });
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
        observed_span = 0;
        for (const auto &[x, y] : pairs)
            observed_span = std::max(observed_span, std::max(ends[0][x], ends[1][y]) + 11);
    }, [] {
        long work = 30 * 11;
        for (int i = 0; i < 30; i++)
            work += vary(i) + vary(i + 4);
        return observed(work);
    });
    add("join_from_outside", [] {
        graph g;
        join_node<std::tuple<int, int>> j(g);
        function_node<std::tuple<int, int>> e(g, unlimited, [](const std::tuple<int, int> &) { cost(11); });
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
    add("join_reserving", [] {
        graph g;
        broadcast_node<int> start(g);
        function_node<int, int> a(g, serial, pass(10)), b(g, serial, pass(25));
        queue_node<int> p(g), q(g);
        join_node<std::tuple<int, int>, reserving> j(g);
        function_node<std::tuple<int, int>> e(g, unlimited, [](const std::tuple<int, int> &) { cost(11); });
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
        function_node<std::tuple<int, int>> e(g, unlimited, [](const std::tuple<int, int> &) { cost(11); });
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
        function_node<int> a(g, unlimited, [](int v) { cost(v); }), b(g, unlimited, [](int v) { cost(2 * v); });
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
        function_node<int, continue_msg> a(g, unlimited, [](int v) { cost(30 + v); return continue_msg(); });
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
    add("composite", [] {
        struct Twice : composite_node<std::tuple<int>, std::tuple<int>> {
            function_node<int, int> a, b;
            Twice(graph &g) : composite_node<std::tuple<int>, std::tuple<int>>(g), a(g, unlimited, pass(10)), b(g, serial, pass(20))
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

// ---- puts that are no virtual calls when the compiler knows the node: seen, or a named lower bound ----

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

static void add_inlined()
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
        function_node<std::tuple<int, int>> e(g, unlimited, [](const std::tuple<int, int> &) { cost(11); });
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

// ---- a graph's life ----

static void add_lives()
{
    add("reused", [] {
        graph g;
        function_node<int, int> a(g, serial, pass(10));
        function_node<int> b(g, unlimited, [](int) { cost(5); });
        make_edge(a, b);
        for (int r = 0; r < 200; r++) {
            for (int i = 0; i < 5; i++)
                put(a, i);
            g.wait_for_all();
        }
    }, [] {
        Dag d;
        for (int r = 0; r < 200; r++) {
            At a;
            for (int i = 0; i < 5; i++) {
                a = i ? d.body(10, { d.now, a }) : d.body(10, { d.now });
                d.body(5, { a });
            }
            d.wait();
        }
        d.syncs++;
        return Expect{ d };
    });
    add("made_anew", [] { // on the same stack, at the same addresses
        long before = 0;
        for (int r = 0; r < 3000; r++) {
            if (r == 1000)
                before = resident_pages();
            graph g;
            Continue a(g, spend(10)), b(g, spend(r)), c(g, spend(5)), d(g, spend(1));
            make_edge(a, b);
            make_edge(a, c);
            make_edge(b, d);
            make_edge(c, d);
            a.try_put(continue_msg());
            g.wait_for_all();
        }
        if (resident_pages() > before + 256)
            abort();
    }, [] {
        Dag d;
        for (int r = 0; r < 3000; r++) {
            At a = d.body(10, { d.now });
            d.body(1, { later(d.body(r, { a }), d.body(5, { a })) });
            d.over();
        }
        return Expect{ d };
    });
    add("grows", [] { // nodes come and go while the graph stays
        graph g;
        Continue first(g, spend(3));
        for (int r = 0; r < 20; r++) {
            Continue a(g, spend(10)), b(g, spend(20));
            make_edge(first, a);
            make_edge(first, b);
            Continue last(g, spend(1));
            make_edge(a, last);
            make_edge(b, last);
            first.try_put(continue_msg());
            g.wait_for_all();
            remove_edge(first, a);
            remove_edge(first, b);
        }
    }, [] {
        Dag d;
        for (int r = 0; r < 20; r++) {
            At f = d.body(3, { d.now });
            d.body(1, { later(d.body(10, { f }), d.body(20, { f })) });
            d.wait();
        }
        d.syncs++;
        return Expect{ d };
    });
    add("two_graphs", [] {
        graph g, h;
        function_node<int, int> a(g, serial, pass(10)), b(h, serial, pass(7));
        for (int i = 0; i < 10; i++) {
            put(a, i);
            put(b, i);
        }
        g.wait_for_all();
        cost(1);
        h.wait_for_all();
    }, [] {
        Dag d, h;
        At a, b;
        for (int i = 0; i < 10; i++) {
            a = i ? d.body(10, { d.now, a }) : d.body(10, { d.now });
            b = i ? h.body(7, { h.now, b }) : h.body(7, { h.now });
        }
        d.wait();
        d.run(1);
        d.end = later(d.end, h.end);
        d.wait();
        d.work += h.work;
        d.spawns += h.spawns;
        d.syncs += 2;
        return Expect{ d };
    });
    add("in_tasks", [] { // each task has a graph
        tbb::task_group t;
        for (int k = 0; k < 6; k++)
            t.run([k] {
                graph g;
                Continue a(g, spend(10 + k)), b(g, spend(5));
                make_edge(a, b);
                a.try_put(continue_msg());
                g.wait_for_all();
                cost(k);
            });
        t.wait();
    }, [] {
        Dag d;
        At end;
        for (int k = 0; k < 6; k++) {
            Dag t;
            t.now = { 0, B };
            t.spawns = 1;
            t.body(5, { t.body(10 + k, { t.now }) });
            t.over().run(k);
            end = later(end, t.now);
            d.work += t.work;
            d.spawns += t.spawns;
            d.syncs += t.syncs;
        }
        d.end = end;
        d.wait();
        return Expect{ d };
    });
    add("in_arena", [] {
        tbb::task_arena arena(3);
        arena.execute([] {
            Random(5, 40).run(2);
        });
    }, [] { return Random(5, 40).expect(2); });
    add("own_context", [] {
        tbb::task_group_context ctx;
        graph g(ctx);
        Continue a(g, spend(10)), b(g, spend(5));
        make_edge(a, b);
        a.try_put(continue_msg());
        g.wait_for_all();
        a.try_put(continue_msg());
        g.wait_for_all();
    }, [] {
        Dag d;
        for (int i = 0; i < 2; i++) {
            d.body(5, { d.body(10, { d.now }) });
            d.wait();
        }
        d.syncs++;
        return Expect{ d };
    });
    add("own_context_anew", [] { // the context outlives its graphs, which stand at one address
        tbb::task_group_context ctx;
        for (int r = 0; r < 50; r++) {
            graph g(ctx);
            Continue a(g, spend(10)), b(g, spend(r)), c(g, spend(5)), d(g, spend(1));
            make_edge(a, b);
            make_edge(a, c);
            make_edge(b, d);
            make_edge(c, d);
            a.try_put(continue_msg());
            g.wait_for_all();
        }
    }, [] {
        Dag d;
        for (int r = 0; r < 50; r++) {
            At a = d.body(10, { d.now });
            d.body(1, { later(d.body(r, { a }), d.body(5, { a })) });
            d.over();
        }
        return Expect{ d };
    });
    add("puts_from_tasks", [] { // other strands put, one waits
        graph g;
        function_node<int, int> a(g, unlimited, pass(10));
        function_node<int> b(g, unlimited, [](int) { cost(5); });
        make_edge(a, b);
        tbb::task_group t;
        for (int k = 0; k < 8; k++)
            t.run([&a, k] { cost(k); put(a, k); cost(2); });
        t.wait();
        g.wait_for_all();
    }, [] {
        Expect e = bounded(28 + 16 + 80 + 40, 22, 22);
        return e;
    });
    add("priorities", [] {
        graph g;
        function_node<int, int> start(g, unlimited, pass(1));
        function_node<int, int> a(g, unlimited, pass(10), node_priority_t(1)), b(g, unlimited, pass(20), node_priority_t(2));
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
        function_node<int, int> a(g, unlimited, pass(10), node_priority_t(1)), b(g, unlimited, pass(20), node_priority_t(2));
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
            try {
                g.wait_for_all();
                abort();
            } catch (const std::runtime_error &) {
                cost(2);
            }
            g.reset();
        }
    }, [] {
        Expect e = bounded(3 * 42, 3 * 42, 3 * 42);
        return e;
    });
    add("cancel", [] {
        graph g;
        Continue a(g, spend(10)), b(g, [&g](const continue_msg &) { cost(20); g.cancel(); return continue_msg(); }), c(g, spend(1000));
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
    add("many", [] { // memory stays what it is
        graph g;
        long i = 0, before = 0;
        input_node<long> in(g, [&](tbb::flow_control &fc) {
            if (i == 60000)
                return fc.stop(), 0L;
            cost(1);
            return i++;
        });
        function_node<long, long> a(g, serial, [](long v) { cost(2); return v; });
        function_node<long> b(g, serial, [&](long v) {
            cost(1);
            if (v == 30000)
                before = resident_pages();
        });
        limiter_node<long> l(g, 64);
        make_edge(in, l);
        make_edge(l, a);
        make_edge(a, b);
        make_edge(b, l.decrementer());
        in.activate();
        g.wait_for_all();
        if (before && resident_pages() > before + 1024)
            abort();
    }, [] {
        Dag d;
        At in = d.now, a, b;
        std::vector<At> back;
        for (int i = 0; i < 60000; i++) {
            in = d.body(1, { in });
            if (i >= 64)
                in = later(in, back[i - 64]);
            a = i ? d.body(2, { in, a }) : d.body(2, { in });
            b = i ? d.body(1, { a, b }) : d.body(1, { a });
            back.push_back(b);
        }
        d.body(0, { in });
        // A limiter that finds nothing has the input_node make another task, which may do nothing, or be the next.
        d.over();
        // And in some runs one message of 60,000 is let through while the decrement that makes room for it is under way on the other
        // thread: its edge is missing, and the report says so.
        Expect e = bounded(240000, d.now.s - 8, d.now.s + 64);
        e.raced = true;
        return e;
    });
}

int main(int argc, char **argv)
{
    const char *burden = getenv("PROF_BURDEN");
    B = burden ? atol(burden) : 0;
    add_continue();
    add_functions();
    add_holders();
    add_inlined();
    add_lives();
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (auto &n : order)
            std::puts(n.c_str());
        return 0;
    }
    bool expect = argc == 3 && !std::strcmp(argv[1], "--expect");
    auto it = argc == 3 ? cases.find(expect ? argv[2] : argv[1]) : cases.end();
    if (it == cases.end()) {
        std::fprintf(stderr, "usage: %s --list | --expect CASE | CASE P\n", argv[0]);
        return 2;
    }
    if (expect) {
        Expect e = it->second.expect();
        if (e.work_known)
            std::printf("work %ld\n", e.dag.work);
        if (e.observed)
            e.spawns_known = false;
        else if (e.span_known)
            std::printf("span %ld\n", e.dag.now.s);
        else
            std::printf("span_min %ld\nspan_max %ld\n", e.span_min, e.dag.now.s);
        if (e.spawns_known)
            std::printf("burdened_span %ld\nspawns %ld\nsyncs %ld\n", e.dag.now.b, e.dag.spawns, e.dag.syncs);
        if (e.honest)
            std::printf("honest %ld\n", e.dag.now.s);
        else if (!e.raced)
            std::printf("exact %d\n", e.exact);
        return 0;
    }
    int P = std::atoi(argv[2]);
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, P);
    tbb::task_arena arena(P);
    arena.execute([&] { it->second.run(); });
    const char *name = std::getenv("EXPECT_OBSERVED");
    FILE *f = name && observed_span >= 0 ? std::fopen(name, "w") : nullptr;
    if (f) {
        std::fprintf(f, "span %ld\n", observed_span);
        std::fclose(f);
    }
    return 0;
}
