// pipeline_suspend.cpp - tasks that are suspended in the filters of a pipeline.
#include <mutex>
#include "cases.hpp"
#include "pipeline.hpp"

CASES(pipeline_suspend)
{
    add("pipeline_suspend", [] {
        std::vector<std::thread> others;
        pipeline(5, 4, { stage(IN_ORDER, 1), { IN_ORDER, [&](long) {
            cost(10);
            tbb::task::suspend([&](tbb::task::suspend_point tag) {
                others.emplace_back([tag] { cost(100); tbb::task::resume(tag); });
            });
            cost(5);
        }, nullptr }, stage(PARALLEL, 3), stage(IN_ORDER, 2) });
        for (auto &t : others)
            t.join();
    }, [] {
        return with_span(6 + 5 * 120,
                         pipeline_cost(5, 4, { stage(IN_ORDER, 1), stage(IN_ORDER, 115),
                             stage(PARALLEL, 3), stage(IN_ORDER, 2) }).span);
    });
    // The callers of these pipelines are suspended and resumed themselves, below the filters that
    // they ran.
    // The threads are joined: the program may end before a thread that has resumed a task does.
    static std::vector<std::thread> others;
    static std::mutex guard;
    static const auto suspended = [](long c) {
        tbb::task::suspend([c](tbb::task::suspend_point tag) {
            std::lock_guard<std::mutex> lock(guard);
            others.emplace_back([tag, c] { cost(c); tbb::task::resume(tag); });
        });
    };
    add("pipeline_suspend_in_tasks", [] {
        tbb::task_group g;
        for (long k = 0; k < 6; k++)
            g.run([k] {
                pipeline(4 + k, 3, { stage(IN_ORDER, 1),
                    { PARALLEL, [](long i) { cost(10); suspended(7 + i); cost(5); }, nullptr },
                                     stage(IN_ORDER, 2) });
                cost(k);
            });
        g.wait();
        for (auto &t : others)
            t.join();
        others.clear();
    }, [] {
        long work = 0, span = 0;
        for (long k = 0; k < 6; k++) {
            Cost c = pipeline_cost(4 + k, 3,
                                   { stage(IN_ORDER, 1), stage(PARALLEL,
                                       [](long i) { return 22 + i; }), stage(IN_ORDER, 2) });
            work += c.work + k;
            span = std::max(span, c.span + k);
        }
        return with_span(work, span);
    });
}
