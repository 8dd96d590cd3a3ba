// pipeline_cancel.cpp - exceptions in pipelines, cancelled pipelines.
#include "cases.hpp"
#include "large.hpp"
#include "pipeline.hpp"

// Reads n Larges that cost 1, passes them on in parallel for 10 and in order for 5; filter WHERE
// calls TROUBLE on item 7. A pipeline that ends early leaks the same without libprof.
static void pipeline_in_trouble(size_t tokens, int where, std::function<void()> trouble,
                                tbb::task_group_context &ctx)
{
    long next = 0;
    auto check = [&](int f, long i) {
        if (f == where && i == 7)
            trouble();
    };
    tbb::parallel_pipeline(tokens, tbb::make_filter<void, Large>(IN_ORDER,
        [&](tbb::flow_control &f) {
        cost(1);
        check(0, next);
        if (next == 20)
            f.stop();
        return Large(next++);
    }) & tbb::make_filter<Large, Large>(PARALLEL, [&](Large l) {
        cost(10);
        check(1, l.i);
        return l;
    }) & tbb::make_filter<Large, void>(IN_ORDER, [&](const Large &l) {
        cost(5);
        check(2, l.i);
    }), ctx);
}
// The same with one token: everything one after the other. Filter WHERE on item 7 is the last that
// runs.
static long trouble_cost(int where) { return 7 * 16 + (where == 0 ? 1 : where == 1 ? 11 : 16); }

CASES(pipeline_trouble)
{
    for (int where : { 0, 1, 2 })
        for (int how : { 0, 1 })
            for (size_t tokens : { 1, 4 }) {
                std::string name = std::string("pipeline_") +
                                   (how ? "cancel_" : "exception_") + std::to_string(where) +
                                   "_" + std::to_string(tokens);
                add(name, [=] {
                    tbb::task_group_context ctx;
                    if (how) {
                        pipeline_in_trouble(tokens, where, [&] { ctx.cancel_group_execution(); },
                                            ctx);
                        if (!ctx.is_group_execution_cancelled())
                            abort();
                    } else {
                        try {
                            pipeline_in_trouble(tokens, where,
                                                [] { throw std::runtime_error("expected"); }, ctx);
                            abort();
                        } catch (const std::runtime_error &) {
                        }
                    }
                    if (tokens == 1 && Large::alive)
                        abort();
                    cost(3);
                }, [=] {
                    long c = trouble_cost(where) + 3;
                    Expect e = bounded(c, 21 + 20 * 15 + 3, true);
                    e.work_known = tokens == 1;
                    if (tokens == 1)
                        e.cost.span = c, e.span_known = true, e.cost.burdened = c, e.cost.syncs = 1,
                            e.spawns_known = true;
                    return e;
                });
            }
}

CASES(pipeline_cancel)
{
    // Items 1 to 3 stand before the last filter, behind item 0, when the pipeline is cancelled:
    // libtbb forgets them.
    add("pipeline_cancel_waiting", [] {
        tbb::task_group_context ctx;
        std::atomic<long> passed{ 0 };
        std::thread other;
        long next = 0;
        tbb::parallel_pipeline(4, tbb::make_filter<void, long>(IN_ORDER,
            [&](tbb::flow_control &) { cost(1); return next++; }) &
                                  tbb::make_filter<long, long>(PARALLEL, [&](long i) {
            cost(10);
            if (i)
                passed++;
            else
                tbb::task::suspend([&](tbb::task::suspend_point tag) {
                    other = std::thread([&, tag] {
                        while (passed < 3)
                            std::this_thread::yield();
                        ctx.cancel_group_execution();
                        tbb::task::resume(tag);
                    });
                });
            return i;
        }) & tbb::make_filter<long, void>(IN_ORDER, [](long) { cost(1000); }), ctx);
        other.join();
        cost(3);
    }, [] {
        return with_span(4 + 40 + 3, 4 + 10 + 3);
    });
    add("pipeline_cancelled_before", [] {
        tbb::task_group_context ctx;
        ctx.cancel_group_execution();
        pipeline_in_trouble(4, 3, [] {}, ctx);
        cost(1);
    }, [] {
        Cost c = Cost().run(1);
        c.syncs = 1;
        return exactly(c);
    });
}
