// pipeline_nested.cpp - pipelines in tasks, loops and contexts, and what their filters leave
// behind.
#include "cases.hpp"
#include "loop.hpp"
#include "pipeline.hpp"

CASES(pipeline_nested)
{
    add("pipeline_in_tasks", [=] {
        tbb::task_group g;
        for (long k = 0; k < 4; k++)
            g.run([=] { pipeline(10 + k, 4, { stage(IN_ORDER, 1), stage(PARALLEL, late),
                stage(IN_ORDER, 3) }); cost(k); });
        pipeline(9, 2, { stage(IN_ORDER, 2), stage(PARALLEL, uneven), stage(IN_ORDER, 3) });
        g.wait();
    }, [=] {
        Cost c;
        for (long k = 0; k < 4; k++)
            c.spawn(Cost().call(pipeline_cost(10 + k, 4,
                                              { stage(IN_ORDER, 1), stage(PARALLEL, late),
                                                  stage(IN_ORDER, 3) })).run(k));
        return exactly(c.call(pipeline_cost(9, 2, { stage(IN_ORDER, 2), stage(PARALLEL, uneven),
            stage(IN_ORDER, 3) })).join());
    });
    add("pipeline_in_loop_in_arena", [=] {
        tbb::task_arena a(3);
        a.execute([=] {
            tbb::parallel_for(Range(0, 6, 1), [=](const Range &r) {
                pipeline(8 + r.begin(), 3, { stage(IN_ORDER, 1), stage(PARALLEL, late),
                    stage(IN_ORDER, 3) });
            }, tbb::simple_partitioner());
        });
        cost(1);
    }, [=] {
        return exactly(Cost().call(loop_cost(6, 1, [=](long lo, long) {
            return pipeline_cost(8 + lo, 3, { stage(IN_ORDER, 1), stage(PARALLEL, late),
                stage(IN_ORDER, 3) });
        })).run(1));
    });
}

CASES(pipeline_shared)
{
    add("pipeline_shared_chain", [] {
        // three pipelines of one chain divide 60 items among them
        std::atomic<long> next{ 0 };
        tbb::filter<void, void> chain = tbb::make_filter<void, long>(IN_ORDER,
            [&](tbb::flow_control &f) {
            long i = next++;
            if (i < 60)
                cost(1);
            else
                f.stop();
            return i;
        }) & tbb::make_filter<long, long>(PARALLEL, [](long i) { cost(10); return i; })
           & tbb::make_filter<long, void>(IN_ORDER, [](long) { cost(5); });
        tbb::parallel_invoke([&] { tbb::parallel_pipeline(4, chain); },
                             [&] { tbb::parallel_pipeline(1, chain); },
                             [&] { tbb::parallel_pipeline(100, chain); });
    }, [] {
        Expect e = bounded(60 * 16, 60 * 16, true);
        e.more = "syncs 4\n";
        return e;
    });
}

CASES(pipeline_context)
{
    add("pipeline_in_context", [=] {
        // loops of the filters in the pipeline's own context
        tbb::task_group_context ctx;
        long next = 0;
        tbb::parallel_pipeline(4, tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &f) {
            cost(1);
            if (next == 20)
                f.stop();
            return next++;
        }) & tbb::make_filter<long, long>(PARALLEL, [&](long i) {
            tbb::parallel_for(Range(0, 10, 2), range_body, tbb::simple_partitioner(), ctx);
            cost(i);
            return i;
        }) & tbb::make_filter<long, void>(IN_ORDER, [](long) { cost(5); }), ctx);
    }, [=] {
        return exactly(pipeline_cost(20, 4, { stage(IN_ORDER, 1), { PARALLEL, nullptr, [](long i) {
            return loop_cost(10, 2, range_cost).run(i);
        } }, stage(IN_ORDER, 5) }));
    });
    add("pipeline_feeder_in_context", [] {
        // what a feeder adds is waited for by its own loop, not by the pipeline
        tbb::task_group_context ctx;
        long next = 0;
        tbb::parallel_pipeline(4, tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &f) {
            if (next == 10)
                f.stop();
            return next++;
        }) & tbb::make_filter<long, void>(IN_ORDER, [&](long) {
            std::vector<long> a{ 1 };
            tbb::parallel_for_each(a, [](long i, tbb::feeder<long> &f) {
                cost(10);
                if (i)
                    f.add(i - 1);
            }, ctx);
            cost(3);
        }), ctx);
    }, [] { return any_order(Cost().run(10 * 23)); });
}

CASES(pipeline_leaves)
{
    add("pipeline_leaves_tasks", [] {
        // tasks that the pipeline does not wait for: they start where their item stood
        tbb::task_group g;
        pipeline(10, 100, { stage(IN_ORDER, 5),
            { PARALLEL, [&](long i) { cost(20); g.run(spend(i == 9 ? 90 : 30)); cost(1); },
                nullptr },
                            stage(IN_ORDER, 2), stage(IN_ORDER, 3) });
        cost(4);
        g.wait();
    }, [] {
        Cost c = pipeline_cost(10, 100, { stage(IN_ORDER, 5), stage(PARALLEL, 21),
            stage(IN_ORDER, 2), stage(IN_ORDER, 3) });
        c.run(4);
        c.work += 9 * 30 + 90;
        c.span = std::max(c.span, 10 * 5 + 20 + 90L);
        c.burdened = std::max(c.burdened, 10 * 5 + 20 + 90 + 10 * B);
        c.spawns += 10;
        c.syncs++;
        return exactly(c);
    });
}
