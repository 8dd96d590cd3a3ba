// thread.cpp - std::thread: joined by its creator, by another thread, by nobody.
#include "cases.hpp"
#include "loop.hpp"

CASES(thread_trees)
{
    add("threads_with_loops", [] {
        std::vector<std::thread> t;
        for (int i = 0; i < 4; i++)
            t.emplace_back([=] { cost(3 + i); plain_loop(50, 4); }), cost(2);
        for (int i = 3; i >= 0; i--)
            t[i].join();
    }, [] {
        Cost c;
        for (int i = 0; i < 4; i++)
            c.spawn(Cost().run(3 + i).call(loop_cost(50, 4, range_cost))).run(2);
        for (int i = 0; i < 4; i++)
            c.join();
        return exactly(c);
    });
    add("threads_tree", [] {
        std::function<void(int)> tree = [&](int d) {
            cost(10);
            if (!d)
                return;
            std::thread a([&] { tree(d - 1); });
            cost(1);
            std::thread b([&] { tree(d - 1); });
            b.join();
            cost(2);
            a.join();
        };
        tree(4);
    }, [] {
        std::function<Cost(int)> tree = [&](int d) {
            Cost c = Cost().run(10);
            if (!d)
                return c;
            Cost b = c.spawn(tree(d - 1)).run(1);
            std::vector<Cost> a;
            std::swap(c.open, a);
            c.spawn(tree(d - 1)).join().run(2);
            std::swap(c.open, a);
            return c.join();
        };
        return invoking(tree(4));
    });
}

CASES(thread_ends)
{
    add("thread_joined_elsewhere", [] {
        std::thread a([] { cost(50); });
        std::thread b([&] { cost(5); a.join(); cost(7); });
        b.join();
        cost(1);
    }, [] {
        return with_span(50 + 5 + 7 + 1, 58);
    });
    add("thread_local_destructors", [] {
        struct Last { ~Last() { cost(2); plain_loop(20, 4); } };
        std::thread([] {
            static thread_local std::unique_ptr<Last> last;
            last.reset(new Last);
            cost(5);
        }).join();
        cost(1);
    }, [] { return exactly(Cost().spawn(Cost().run(7).call(loop_cost(20, 4, range_cost))).join()
                           .run(1)); });
    add("thread_detached", [] {
        std::atomic<bool> done{ false };
        cost(5);
        std::thread([&] { cost(90); done = true; }).detach();
        cost(10);
        while (!done)
            std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }, [] {
        return with_span(105, 95);
    });
}
