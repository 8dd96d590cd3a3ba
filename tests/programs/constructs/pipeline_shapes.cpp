// pipeline_shapes.cpp - pipelines of all shapes: filters, modes, tokens.
#include "cases.hpp"
#include "loop.hpp"
#include "pipeline.hpp"
#include "recursion.hpp"

CASES(pipeline_shapes)
{
    for (long tokens : { 1, 2, 4, 100 }) {
        std::string t = "_" + std::to_string(tokens);
        add_pipeline("even" + t, 20, tokens, { stage(IN_ORDER, 1), stage(PARALLEL, 30),
            stage(IN_ORDER, 30) });
        add_pipeline("uneven" + t, 60, tokens, { stage(IN_ORDER, uneven), stage(PARALLEL, late),
            stage(IN_ORDER, 3) });
        add_pipeline("serial" + t, 60, tokens, { stage(IN_ORDER, 2), stage(IN_ORDER, late),
            stage(IN_ORDER, uneven) });
        add_pipeline("long" + t, 40, tokens, { stage(IN_ORDER, 1), stage(PARALLEL, late),
            stage(IN_ORDER, uneven), stage(PARALLEL, uneven), stage(PARALLEL, 9),
            stage(IN_ORDER, 5), stage(PARALLEL, 2), stage(IN_ORDER, 1) });
        std::vector<Stage> nested{ stage(IN_ORDER, 2),
            { PARALLEL, [](long i) { cost(3); plain_loop(5 + i % 9, 2); },
              [](long i) { return Cost().run(3).call(loop_cost(5 + i % 9, 2, range_cost)); } },
            { IN_ORDER, [](long i) {
                tbb::task_group g;
                g.run([i] { cost(i % 5 * 10); });
                cost(12);
                g.wait();
              }, [](long i) { return Cost().spawn(Cost().run(i % 5 * 10)).run(12).join(); } },
            { PARALLEL, [](long i) { cost(fib_one(i % 6)); },
              [](long i) { return fib_one_cost(i % 6)
                  .run(std::array<long, 6>{ 0, 1, 1, 2, 3, 5 }[i % 6]); } },
            stage(IN_ORDER, 4) };
        add_pipeline("nested" + t, 40, tokens, nested);
        std::vector<Stage> outer{ stage(IN_ORDER, uneven),
            { PARALLEL, [=](long i) { pipeline(i % 7, tokens, nested); },
              [=](long i) { return pipeline_cost(i % 7, tokens, nested); } },
            stage(IN_ORDER, 6) };
        add_pipeline("in_pipeline" + t, 15, tokens, outer);
        add_pipeline("one_filter" + t, 30, tokens, { stage(IN_ORDER, uneven) });
        add_pipeline("one_filter_any_order" + t, 30, tokens, { stage(ANY_ORDER, uneven) });
    }
}

CASES(pipeline_any_order)
{
    // An input of no cost: all items are there at once, in whatever order the others take them.
    for (long tokens : { 1, 100 }) {
        std::string t = "_" + std::to_string(tokens);
        std::vector<Stage> s{ stage(IN_ORDER, 0L), stage(ANY_ORDER, uneven) };
        add("pipeline_any_order" + t, [=] { pipeline(50, tokens, s); }, [=] {
            return any_order(pipeline_cost(50, tokens, s), tokens > 1 ? "spawns 50\nsyncs 1\n"
                             : "spawns 0\nsyncs 1\n");
        });
    }
    add("pipeline_any_order_bounded", [=] {
        pipeline(50, 100, { stage(ANY_ORDER, 3), stage(PARALLEL, late), stage(ANY_ORDER, uneven),
            stage(PARALLEL, 5) });
    }, [=] {
        long work = 0, turns = 0;
        for (long i = 0; i < 50; i++)
            work += 3 + late(i) + uneven(i) + 5, turns += uneven(i);
        Expect e = bounded(work + 3, 51 * 3 + 200 + turns + 5, true);
        e.more = "spawns 50\nsyncs 1\n";
        return e;
    });
}

CASES(pipeline_tokens)
{
    // Behind a parallel last filter the token freed first is the next read's, in the order of
    // execution.
    add("pipeline_tokens_bounded", [=] {
        pipeline(48, 4, { stage(IN_ORDER, 1), stage(PARALLEL, late) });
    }, [=] {
        long work = 49;
        for (long i = 0; i < 48; i++)
            work += late(i);
        Expect e = bounded(work, work, true);
        e.more = "spawns 48\nsyncs 1\n";
        return e;
    });
    // More tokens than libprof follows: no edge is missing while the tokens do not run out.
    add_pipeline("even_1000000", 20, 1000000, { stage(IN_ORDER, 1), stage(PARALLEL, 30),
        stage(IN_ORDER, 30) });
    add("pipeline_too_many_tokens",
        [] { pipeline(70000, 66000, { stage(IN_ORDER, 1), stage(IN_ORDER, 2) }); },
        [] { return bounded(70001 + 140000, 70001 + 140000, false); });
    add_pipeline("parallel_last", 50, 100, { stage(IN_ORDER, 2), stage(PARALLEL, late) });
}

CASES(pipeline_parallel_input)
{
    for (long last : { 2, 40 })
        add("pipeline_parallel_input_" + std::to_string(last), [=] {
            pipeline(40, 1000, { stage(PARALLEL, 3), stage(PARALLEL, 10), stage(IN_ORDER, last) });
        }, [=] {
            return any_order(pipeline_cost(40, 1000, { stage(PARALLEL, 3), stage(PARALLEL, 10),
                stage(IN_ORDER, last) }),
                             "syncs 1\n");
        });
    add("pipeline_parallel_one_filter", [] { pipeline(40, 1000, { stage(PARALLEL, 5) }); },
        [] { return any_order(pipeline_cost(40, 1000, { stage(PARALLEL, 5) }), "syncs 1\n"); });
}

CASES(pipeline_many)
{
    add("pipeline_many", [] {
        // memory does not grow
        long pages = 0;
        pipeline(100000, 64, { stage(IN_ORDER, 1), stage(PARALLEL, 10), { IN_ORDER, [&](long i) {
            cost(2);
            if (i == 50000)
                pages = resident_pages();
        }, nullptr } });
        if (resident_pages() > pages + 512)
            abort();
    }, [] { return exactly(pipeline_cost(100000, 64, { stage(IN_ORDER, 1), stage(PARALLEL, 10),
        stage(IN_ORDER, 2) })); });
}
