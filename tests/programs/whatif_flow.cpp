// whatif_flow.cpp - regions around single messages of flow graphs, under the virtual clock. A body
// is inside of the regions that all of its messages were put inside of; what only delays it (the
// body before it in a serial node, a limiter's slot, an earlier message of a sequence) does not
// count. Each case states its work and span by this rule, as sums and maxima of its costs.
//
//   whatif_flow --list | --spec CASE | --expect CASE | --delays CASE | --delayed CASE |
//               CASE WORKERS
// as whatif.cpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include "libprof.h"

using namespace tbb::flow;

struct Length { double work, span; };
// What a cost is in each of the two regions, and outside.
struct Factors { double o, q, r; };
struct Case {
    const char *name;
    std::function<void()> run;
    std::function<Length(const Factors &)> expect;
};

static void cost(long c) { libprof_cost(c); }
static void in(const char *region, const std::function<void()> &f)
{
    libprof_region_start(region);
    f();
    libprof_region_stop(region);
}
template <class T> __attribute__((noipa)) static void put(receiver<T> &r, T v) { r.try_put(v); }

// A body of a multifunction_node puts inside of R; B costs 800.
using Ports = multifunction_node<int, std::tuple<int>>;

static const std::vector<Case> cases = {
    // the wait comes after the region: what the region put is inside of it all the same
    { "left_before_wait", [] {
        graph g;
        function_node<int, int> a(g, unlimited, [](int v) { cost(800); return v; });
        function_node<int, int> b(g, unlimited, [](int v) { cost(400); return v; });
        make_edge(a, b);
        in("Q", [&] { put(a, 1); });
        cost(80);
        g.wait_for_all();
    }, [](const Factors &f) {
        double bodies = f.q * 1200;
        return Length{ f.o * 80 + bodies, std::max(f.o * 80, bodies) };
    } },
    // the second body waits for the first, which was put outside
    { "serial", [] {
        graph g;
        function_node<int, int> a(g, serial, [](int v) { cost(800); return v; });
        put(a, 1);
        in("Q", [&] { put(a, 2); });
        g.wait_for_all();
    }, [](const Factors &f) {
        return Length{ f.o * 800 + f.q * 800, f.o * 800 + f.q * 800 };
    } },
    // a round of a message from inside and one from outside is outside
    { "round", [] {
        graph g;
        continue_node<continue_msg> a(g, [](continue_msg m) { cost(800); return m; });
        continue_node<continue_msg> b(g, [](continue_msg m) { cost(400); return m; });
        continue_node<continue_msg> c(g, [](continue_msg m) { cost(1600); return m; });
        make_edge(a, c);
        make_edge(b, c);
        in("Q", [&] { put(a, continue_msg()); });
        put(b, continue_msg());
        g.wait_for_all();
    }, [](const Factors &f) {
        double a = f.q * 800, b = f.o * 400, c = f.o * 1600;
        return Length{ a + b + c, std::max(a, b) + c };
    } },
    { "round_inside", [] {
        graph g;
        continue_node<continue_msg> a(g, [](continue_msg m) { cost(800); return m; });
        continue_node<continue_msg> b(g, [](continue_msg m) { cost(400); return m; });
        continue_node<continue_msg> c(g, [](continue_msg m) { cost(1600); return m; });
        make_edge(a, c);
        make_edge(b, c);
        in("Q", [&] { put(a, continue_msg()); });
        in("Q", [&] { put(b, continue_msg()); });
        g.wait_for_all();
    }, [](const Factors &f) {
        return Length{ f.q * 2800, f.q * 2400 };
    } },
    // inside of both regions, in either order
    { "round_crossed", [] {
        graph g;
        continue_node<continue_msg> a(g, [](continue_msg m) { cost(800); return m; });
        continue_node<continue_msg> b(g, [](continue_msg m) { cost(800); return m; });
        continue_node<continue_msg> c(g, [](continue_msg m) { cost(1600); return m; });
        make_edge(a, c);
        make_edge(b, c);
        in("Q", [&] { in("R", [&] { put(a, continue_msg()); }); });
        in("R", [&] { in("Q", [&] { put(b, continue_msg()); }); });
        g.wait_for_all();
    }, [](const Factors &f) {       // the first one named counts where the order is in doubt
        double q = f.q == f.o ? f.r : f.q, r = f.r == f.o ? f.q : f.r;
        return Length{ q * 800 + r * 800 + q * 1600, std::max(q, r) * 800 + q * 1600 };
    } },
    { "join", [] {
        graph g;
        join_node<std::tuple<int, int>> j(g);
        function_node<std::tuple<int, int>> a(g, unlimited,
                                              [](const std::tuple<int, int> &) { cost(800); });
        make_edge(j, a);
        put<int>(input_port<0>(j), 0);  // libprof sees the puts after a graph's first task
        put<int>(input_port<1>(j), 0);
        put<int>(input_port<0>(j), 1);
        in("Q", [&] { put<int>(input_port<1>(j), 1); });        // a pair: outside
        in("Q", [&] { put<int>(input_port<0>(j), 2); put<int>(input_port<1>(j), 2); });
        g.wait_for_all();
    }, [](const Factors &f) {
        return Length{ f.o * 1600 + f.q * 800, std::max(f.o, f.q) * 800 };
    } },
    { "join_reserving", [] {
        graph g;
        queue_node<int> left(g), right(g);
        join_node<std::tuple<int, int>, reserving> j(g);
        function_node<std::tuple<int, int>> a(g, unlimited,
                                              [](const std::tuple<int, int> &) { cost(800); });
        make_edge(left, input_port<0>(j));
        make_edge(right, input_port<1>(j));
        make_edge(j, a);
        put(left, 1);
        in("Q", [&] { put(right, 1); });
        in("Q", [&] { put(left, 2); put(right, 2); });
        g.wait_for_all();
    }, [](const Factors &f) {
        return Length{ f.o * 800 + f.q * 800, std::max(f.o, f.q) * 800 };
    } },
    // the messages before one in its sequence delay it
    { "sequence", [] {
        graph g;
        sequencer_node<int> s(g, [](int v) { return v; });
        function_node<int, int> a(g, unlimited, [](int v) { cost(800 << v); return v; });
        make_edge(s, a);
        in("Q", [&] { put(s, 1); });
        cost(80);
        put(s, 0);
        g.wait_for_all();
    }, [](const Factors &f) {
        return Length{ f.o * 880 + f.q * 1600, f.o * 80 + std::max(f.o * 800, f.q * 1600) };
    } },
    // the slot of the second message is the first one's
    { "limiter", [] {
        graph g;
        queue_node<int> queue(g);
        limiter_node<int> l(g, 1);
        function_node<int, continue_msg> a(g, unlimited,
                                           [](int) { cost(800); return continue_msg(); });
        make_edge(queue, l);
        make_edge(l, a);
        make_edge(a, l.decrementer());
        put(queue, 1);
        in("Q", [&] { put(queue, 2); });
        g.wait_for_all();
    }, [](const Factors &f) {
        return Length{ f.o * 800 + f.q * 800, f.o * 800 + f.q * 800 };
    } },
    { "buffers", [] {
        graph g;
        buffer_node<int> buffer(g);
        overwrite_node<int> overwrite(g);
        function_node<int, int> a(g, unlimited, [](int v) { cost(400 << v); return v; });
        make_edge(buffer, a);
        make_edge(overwrite, a);
        in("Q", [&] { put(buffer, 0); });
        put(buffer, 1);
        in("R", [&] { put(overwrite, 2); });
        g.wait_for_all();
    }, [](const Factors &f) {
        double x = f.q * 400, y = f.o * 800, z = f.r * 1600;
        return Length{ x + y + z, std::max({ x, y, z }) };
    } },
    // a body puts inside of a region of its own, and is inside of Q itself
    { "body", [] {
        graph g;
        Ports a(g, unlimited, [](int v, Ports::output_ports_type &out) {
            cost(400);
            std::get<0>(out).try_put(v);
            in("R", [&] { cost(80); std::get<0>(out).try_put(v); });
            cost(160);
        });
        function_node<int, int> b(g, unlimited, [](int v) { cost(800); return v; });
        make_edge(output_port<0>(a), b);
        in("Q", [&] { put(a, 1); });
        put(a, 1);
        g.wait_for_all();
    }, [](const Factors &f) {
        double qr = f.q == f.o ? f.r : f.q;         // Q is the outer one
        double one = f.q * 400 + std::max(f.q * 800, qr * 80 + std::max(qr * 800, f.q * 160));
        double two = f.o * 400 + std::max(f.o * 800, f.r * 80 + std::max(f.r * 800, f.o * 160));
        return Length{ f.q * 1360 + qr * 880 + f.o * 1360 + f.r * 880, std::max(one, two) };
    } },
    { "input", [] {
        graph g;
        int n = 0;
        input_node<int> a(g, [&](tbb::flow_control &c) {
            if (n == 2)
                c.stop();
            else
                cost(80);
            return n++;
        });
        function_node<int, int> b(g, unlimited, [](int v) { cost(800); return v; });
        make_edge(a, b);
        in("Q", [&] { a.activate(); });
        g.wait_for_all();
    }, [](const Factors &f) {
        return Length{ f.q * 1760, f.q * 960 };
    } },
    // another thread's own regions count where it puts through the gateway
    { "gateway", [] {
        using Node = async_node<int, int>;
        graph g;
        std::thread thread;
        Node a(g, unlimited, [&](int v, Node::gateway_type &gate) {
            cost(80);
            gate.reserve_wait();
            thread = std::thread([&gate, v] {
                in("R", [&] { cost(80); gate.try_put(v); });
                gate.release_wait();
            });
        });
        function_node<int, int> b(g, unlimited, [](int v) { cost(800); return v; });
        make_edge(a, b);
        in("Q", [&] { put(a, 1); });
        g.wait_for_all();
        thread.join();
    }, [](const Factors &f) {
        double qr = f.q == f.o ? f.r : f.q;
        return Length{ f.q * 80 + qr * 880, f.q * 80 + qr * 880 };
    } },
};

static Length expected(const Case &c, double q, double r)
{
    return c.expect({ 1, q, r });
}

int main(int argc, char **argv)
{
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (const Case &c : cases)
            std::puts(c.name);
        return 0;
    }
    if (argc != 3)
        return 2;
    const char *name = argv[1][0] == '-' ? argv[2] : argv[1];
    auto c = std::find_if(cases.begin(), cases.end(),
                          [&](const Case &x) { return !std::strcmp(x.name, name); });
    if (c == cases.end())
        return 2;
    std::string option = argv[1];
    if (option == "--spec") {
        std::puts("Q=2x;R=4x");
    } else if (option == "--expect") {
        for (auto [text, q, r] : std::initializer_list<std::tuple<const char *, double, double>>{
                 { "Q 2x", 0.5, 1 }, { "R 4x", 1, 0.25 }, { "Q 2x, R 4x", 0.5, 0.25 },
                 { "Q at no cost", 0, 1 }, { "R at no cost", 1, 0 } }) {
            Length l = expected(*c, q, r);
            std::printf("%.0f %.0f %s\n", l.work, l.span, text);
        }
    } else if (option == "--delays") {
        std::puts("Q=2;R=4");
    } else if (option == "--delayed") {
        Length l = expected(*c, 2, 4);
        std::printf("%.0f %.0f\n", l.work, l.span);
    } else {
        int workers = std::atoi(argv[2]);
        tbb::global_control control(tbb::global_control::max_allowed_parallelism, workers);
        tbb::task_arena(workers).execute([&] { c->run(); });
    }
}
