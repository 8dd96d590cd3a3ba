// gateway.cpp - messages that enter through an async_node's gateway, from threads and other arenas.
// A message's path is the path of the activity that put it, back to where that was started. The
// cases expect the split of the span, too: each construct's own part of it.
#include "cases.hpp"
#include "dag.hpp"
#include <condition_variable>
#include <deque>
#include <mutex>

using Async = async_node<int, int>;
using Gateway = Async::gateway_type;

namespace {

// A thread of the program's that works on what it is given, COST each, and hands it on. How items
// come to it is no edge that libprof sees.
class Worker {
    std::mutex mutex;
    std::condition_variable some;
    std::deque<std::pair<int, Gateway *>> items;
    bool done = false;
    std::thread thread;

public:
    explicit Worker(long c) : thread([this, c] { work(c); }) { }
    ~Worker() { stop(); }
    void give(int v, Gateway &gateway)
    {
        gateway.reserve_wait();
        std::lock_guard<std::mutex> hold(mutex);
        items.emplace_back(v, &gateway);
        some.notify_one();
    }
    void stop()
    {
        if (!thread.joinable())
            return;
        {
            std::lock_guard<std::mutex> hold(mutex);
            done = true;
            some.notify_one();
        }
        thread.join();
    }

private:
    void work(long c)
    {
        for (;;) {
            std::unique_lock<std::mutex> hold(mutex);
            some.wait(hold, [this] { return done || !items.empty(); });
            if (items.empty())
                return;
            auto [v, gateway] = items.front();
            items.pop_front();
            hold.unlock();
            cost(c);
            gateway->try_put(v);
            gateway->release_wait();
        }
    }
};

// Joined at the end of its case.
class Threads {
    std::mutex mutex;
    std::vector<std::thread> all;

public:
    // The thread that calls starts another one, which costs C and puts V.
    void start(long c, int v, Gateway &gateway)
    {
        gateway.reserve_wait();
        std::lock_guard<std::mutex> hold(mutex);
        all.emplace_back([c, v, &gateway] { put_after(c, v, gateway); });
    }
    static void put_after(long c, int v, Gateway &gateway)
    {
        cost(c);
        gateway.try_put(v);
        gateway.release_wait();
    }
    void join()
    {
        for (auto &t : all)
            t.join();
    }
};

}

CASES(gateway)
{
    add("gateway_thread_of_body", [] { // the body itself starts the thread
        graph g;
        Threads others;
        Async a(g, unlimited, [&](int v, Gateway &gateway) {
            cost(10);
            others.start(100, v, gateway);
            cost(2);
        });
        function_node<int> e(g, unlimited, [](int) { cost(5); });
        make_edge(a, e);
        cost(3);
        put<int>(a, 1);
        g.wait_for_all();
        others.join();
    }, [] {
        Expect e = bounded(120, 118, 118);
        e.split = { { "", 3 }, { "flow::async_node", 10 }, { "pthread_create", 100 },
                    { "flow::function_node", 5 } };
        return e;
    });
    add("gateway_own_thread", [] { // older than the graph
        cost(3);
        Worker w(100);
        cost(20);
        graph g;
        Async a(g, unlimited, [&](int v, Gateway &gateway) { cost(10); w.give(v, gateway); });
        function_node<int> e(g, serial, [](int) { cost(5); });
        make_edge(a, e);
        for (int i = 0; i < 4; i++)
            put<int>(a, i);
        g.wait_for_all();
        w.stop();
    }, [] {
        Expect e = bounded(23 + 4 * 115, 408, 408);
        e.split = { { "", 3 }, { "pthread_create", 400 }, { "flow::async_node", 0 },
                    { "flow::function_node", 5 } };
        return e;
    });
    add("gateway_after_tasks", [] { // the strand that started the thread has joined tasks since
        cost(3);
        Worker w(100);
        tbb::task_group t;
        t.run([] { cost(50); });
        t.wait();
        graph g;
        Async a(g, unlimited, [&](int v, Gateway &gateway) { cost(10); w.give(v, gateway); });
        function_node<int> e(g, serial, [](int) { cost(5); });
        make_edge(a, e);
        for (int i = 0; i < 4; i++)
            put<int>(a, i);
        g.wait_for_all();
        w.stop();
    }, [] {
        Expect e = bounded(53 + 4 * 115, 408, 408);
        e.split = { { "", 3 }, { "pthread_create", 400 }, { "task_group", 0 },
                    { "flow::async_node", 0 }, { "flow::function_node", 5 } };
        return e;
    });
    add("gateway_frames", [] { // the strand waits for the graph again and again; the thread goes on
        cost(3);
        Worker w(100);
        graph g;
        Async a(g, unlimited, [&](int v, Gateway &gateway) { cost(10); w.give(v, gateway); });
        function_node<int> e(g, serial, [](int) { cost(5); });
        make_edge(a, e);
        for (int i = 0; i < 6; i++) {
            put<int>(a, i);
            g.wait_for_all();
            cost(1);
        }
        w.stop();
    }, [] {
        Expect e = bounded(3 + 6 * 116, 609, 609);
        e.split = { { "", 4 }, { "pthread_create", 600 }, { "flow::async_node", 0 },
                    { "flow::function_node", 5 } };
        return e;
    });
    add("gateway_short_thread", [] { // the longest path is that of the bodies
        cost(3);
        Worker w(1);
        graph g;
        Async a(g, serial, [&](int v, Gateway &gateway) { cost(100); w.give(v, gateway); });
        function_node<int> e(g, serial, [](int) { cost(5); });
        make_edge(a, e);
        for (int i = 0; i < 4; i++)
            put<int>(a, i);
        g.wait_for_all();
        w.stop();
    }, [] {
        Expect e = bounded(3 + 4 * 106, 403, 403);
        e.split = { { "", 3 }, { "pthread_create", 0 }, { "flow::async_node", 400 },
                    { "flow::function_node", 0 } };
        return e;
    });
    add("gateway_arena", [] { // a task of another arena, which the body enqueues
        tbb::task_arena arena(1, 0);
        graph g;
        Async a(g, unlimited, [&](int v, Gateway &gateway) {
            cost(10);
            gateway.reserve_wait();
            arena.enqueue([&gateway, v] { Threads::put_after(100, v, gateway); });
            cost(2);
        });
        function_node<int> e(g, unlimited, [](int) { cost(5); });
        make_edge(a, e);
        cost(3);
        for (int i = 0; i < 4; i++)
            put<int>(a, i);
        g.wait_for_all();
    }, [] {
        Expect e = bounded(3 + 4 * 117, 118, 118);
        e.split = { { "", 3 }, { "flow::async_node", 10 }, { "task_arena::enqueue", 100 },
                    { "flow::function_node", 5 } };
        return e;
    });
    add("gateway_chain", [] { // behind a gateway another, whose body starts a thread, too
        graph g;
        Threads others;
        auto stage = [&](long before, long in_thread) {
            return [&, before, in_thread](int v, Gateway &gateway) {
                cost(before);
                others.start(in_thread, v, gateway);
            };
        };
        Async a(g, serial, stage(10, 100)), b(g, unlimited, stage(7, 30));
        function_node<int, int> middle(g, unlimited, pass(4));
        function_node<int> e(g, unlimited, [](int) { cost(5); });
        make_edge(a, middle);
        make_edge(middle, b);
        make_edge(b, e);
        cost(3);
        for (int i = 0; i < 4; i++)
            put<int>(a, i);
        g.wait_for_all();
        others.join();
    }, [] {
        Expect e = bounded(3 + 4 * 156, 189, 189);
        e.split = { { "", 3 }, { "flow::async_node", 47 }, { "pthread_create", 130 },
                    { "flow::function_node", 9 } };
        return e;
    });
}
