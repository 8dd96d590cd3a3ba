// pipeline_sites.cpp - every measurement of the spawn sites of pipelines. Some cases find their
// lines by __LINE__ and an offset.
#include "cases.hpp"
#include "pipeline.hpp"

CASES(pipeline_sites)
{
    // Every measurement of both sites: critical is the read of item 0, then filter 1 over and over.
    static int run_line, pipeline_line;
    run_line = __LINE__ + 8, pipeline_line = __LINE__ + 3;
    add("pipeline_sites", [] {
        long next = 0;
        tbb::parallel_pipeline(4, tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &f) {
            cost(2);
            return next == 10 ? f.stop(), 0 : ++next;
        }) & tbb::make_filter<long, long>(IN_ORDER, [](long i) {
            tbb::task_group g;
            g.run(spend(50));
            cost(12);
            g.wait();
            return i;
        }) & tbb::make_filter<long, void>(IN_ORDER, [](long) { cost(4); }));
    }, [] {
        Expect e = exactly(pipeline_cost(10, 4, { stage(IN_ORDER, 2),
                                                  { IN_ORDER, nullptr, [](long) {
            return Cost().spawn(Cost().run(50)).run(12).join();
        } }, stage(IN_ORDER, 4) }));
        std::string loop = "1 182 6 1 682 506 1 682 506",
            child = "10 500 500 10 500 500 10 500 500";
        e.more = "invocations 11\nsite " + std::to_string(pipeline_line) + " " + loop + " " + loop +
                 "\nsite " + std::to_string(run_line) + " " + child + " " + child + "\n";
        return e;
    });
}

CASES(pipeline_travels)
{
    // A group travels with its item: run in one filter, waited for in another, whose turn has come
    // meanwhile.
    static int travel_line, travel_run_line;
    travel_line = __LINE__ + 3, travel_run_line = __LINE__ + 10;
    add("pipeline_group_travels", [] {
        long next = 0;
        tbb::parallel_pipeline(100, tbb::make_filter<void,
                               long>(IN_ORDER, [&](tbb::flow_control &f) {
            cost(1);
            return next == 5 ? f.stop(), 0 : next++;
        }) & tbb::make_filter<long, tbb::task_group *>(PARALLEL, [](long i) {
            cost(2);
            auto *g = new tbb::task_group;
            g->run(spend(i == 1 ? 500 : 10));
            return g;
        }) & tbb::make_filter<tbb::task_group *, void>(IN_ORDER, [](tbb::task_group *g) {
            cost(20);
            g->wait();
            cost(1);
            delete g;
        }));
    }, [] {
        // critical: two reads, filter 1 and the task of item 1, the end of its filter 2, those
        // after it
        Expect e = bounded(6 + 5 * 23 + 540, 0, true);
        e.cost.span = 2 + 2 + 500 + 1 + 3 * 21;
        e.span_known = true;
        std::string task = "1 500 500 1 500 500 1 500 500", pipe = "1 121 68 1 661 568 1 661 568";
        e.more = "spawns 10\nsyncs 6\nsite " + std::to_string(travel_line)
               + " " + pipe + " " + pipe + "\nsite " +
                 std::to_string(travel_run_line) + " 5 540 540 5 540 540 5 540 540 " + task + "\n";
        return e;
    });
}

CASES(pipeline_tie)
{
    // Items 1 and 2 are of equal length; where there are threads, 1 ends last, on another than the
    // caller's. The critical path leads through 1 in every schedule.
    static int tie_line;
    tie_line = __LINE__ + 8;
    static const auto nap = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    };
    add("pipeline_tie", [] {
        pipeline(3, 4, { stage(IN_ORDER, 0L), { PARALLEL, [](long i) {
            tbb::task_group g;
            nap(i == 0 ? 2 : 0);
            if (i == 2)
                g.run(spend(50));
            if (i == 1)
                g.run([] { nap(6); cost(50); });
            g.wait();
        }, nullptr } });
    }, [] {
        std::string task = " 1 50 50 1 50 50 1 50 50", none = " 0 0 0 0 0 0 0 0 0";
        Expect e = bounded(100, 0, true);
        e.cost.span = 50;
        e.span_known = true;
        e.more = "spawns 5\nsyncs 4\nsite " + std::to_string(tie_line) + task + none + "\nsite " +
                 std::to_string(tie_line + 2) + task + task + "\n";
        return e;
    });
}
