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
    // Invocations of one site join each other: their sum is no exact work.
    add("threads_joined_in_turn", [] {
        std::vector<std::thread> t(3);
        cost(10);
        for (int i = 0; i < 3; i++)
            t[i] = std::thread([&t, i] {
                if (!i)
                    cost(1000);
                else
                    t[i - 1].join();
                cost(5);
            });
        t[2].join();
    }, [] {
        Expect e = with_span(10 + 1000 + 15, 10 + 1000 + 15);
        e.more = "took pthread_create\n";
        return e;
    });
    add("thread_joined_below", [] {
        std::thread a([] { cost(1000); });
        std::thread manager([&] {
            cost(2);
            std::thread b([&] { a.join(); cost(5); });
            b.join();
        });
        manager.join();
        cost(1);
    }, [] {
        Expect e = with_span(1000 + 2 + 5 + 1, 1006);
        e.more = "took pthread_create\n";
        return e;
    });
    // The creator of both has ended when one joins the other. Its own joins, and main's, are of
    // threads below.
    add("threads_of_an_ended_creator", [] {
        std::thread t[2];
        std::thread([&t] {
            t[0] = std::thread([] { cost(1000); });
            t[1] = std::thread([&t] { t[0].join(); cost(5); });
        }).join();
        t[1].join();
    }, [] {
        Expect e = with_span(1005, 1005);
        e.more = "took pthread_create\n";
        return e;
    });
    add("thread_joined_by_ancestor", [] {
        std::thread([] {
            std::thread t;
            std::thread([&t] { t = std::thread([] { cost(40); }); cost(2); }).join();
            t.join();
        }).join();
    }, [] {
        Expect e = with_span(42, 40);
        e.more = "took\n";
        return e;
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
