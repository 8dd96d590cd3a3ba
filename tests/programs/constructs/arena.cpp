// arena.cpp - task arenas: execute, isolate, enqueue, and an arena without a free place.
#include "cases.hpp"
#include "loop.hpp"

CASES(arena)
{
    add("arena_execute", [] {
        tbb::task_arena a(2), b(3);
        a.execute([&] {
            cost(5);
            plain_loop(40, 4);
            b.execute([] { cost(7); plain_loop(30, 4); });
            tbb::this_task_arena::isolate([] { plain_loop(20, 4); });
        });
        cost(1);
    }, [] {
        return exactly(Cost().run(5).call(loop_cost(40, 4, range_cost)).run(7)
                       .call(loop_cost(30, 4, range_cost))
                           .call(loop_cost(20, 4, range_cost)).run(1));
    });
    add("arena_enqueue", [] {
        tbb::task_arena a(2);
        std::atomic<int> done{ 0 };
        cost(10);
        for (int i = 0; i < 20; i++)
            a.enqueue([&] { cost(100); done++; });
        cost(30);
        while (done < 20)
            std::this_thread::yield();
    }, [] {
        return with_span(10 + 2000 + 30, 110);
    });
    add("arena_full", [] {
        tbb::task_arena a(1, 1);
        std::vector<std::thread> t;
        for (int i = 0; i < 4; i++)
            t.emplace_back([&] {
                cost(1);
                a.execute([] { cost(20); plain_loop(30, 4); });
                cost(2);
            });
        for (auto &x : t)
            x.join();
    }, [] {
        Cost c, one = Cost().run(21).call(loop_cost(30, 4, range_cost)).run(2);
        for (int i = 0; i < 4; i++)
            c.spawn(one);
        for (int i = 0; i < 4; i++)
            c.join();
        return exactly(c);
    });
}
