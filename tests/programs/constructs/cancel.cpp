// cancel.cpp - exceptions, cancelled groups, suspended tasks.
#include "cases.hpp"
#include "loop.hpp"

CASES(cancel)
{
    add("exception", [] {
        for (int i = 0; i < 3; i++) {
            tbb::task_group g;
            g.run([] { cost(50); throw std::runtime_error("expected"); });
            try {
                cost(1);
                g.wait();
                abort();
            } catch (const std::runtime_error &) {
                cost(2);
            }
        }
        try {
            tbb::parallel_for(Range(0, 1), [](const Range &) { cost(20); throw 1; });
        } catch (int) {
            cost(3);
        }
    }, [] {
        Cost c;
        for (int i = 0; i < 3; i++)
            c.spawn(Cost().run(50)).run(1).join().run(2);
        return exactly(c.spawn(Cost().run(20), false).join().run(3));
    });
    add("cancel", [] {
        tbb::task_group g;
        g.run(spend(5));
        g.wait();
        g.cancel();
        for (int i = 0; i < 10; i++)
            g.run(spend(1000));
        g.wait();
        cost(1);
    }, [] {
        return with_span(6, 6);
    });
    add("suspend", [] {
        std::thread other;
        tbb::task_group g;
        g.run([&] {
            cost(10);
            tbb::task::suspend([&](tbb::task::suspend_point tag) {
                other = std::thread([tag] { cost(100); tbb::task::resume(tag); });
            });
            cost(5);
        });
        g.wait();
        other.join();
    }, [] {
        return with_span(115, 115);
    });
}
