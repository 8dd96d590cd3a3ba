// parallel_for.cpp - parallel_for: sizes, grains, partitioners, loops in loops.
#include "cases.hpp"
#include "loop.hpp"

Cost range_cost(long lo, long hi)
{
    Cost c;
    for (long i = lo; i < hi; i++)
        c.run(index_cost(i));
    return c;
}

// The task of [lo, hi): spawns right halves, runs what is left; its children end with the loop.
static Cost loop_task(long lo, long hi, long grain, const std::function<Cost(long, long)> &body)
{
    Cost c;
    while (hi - lo > grain) {
        long mid = lo + (hi - lo) / 2;
        c.spawn(loop_task(mid, hi, grain, body));
        hi = mid;
    }
    return c.call(body(lo, hi)).join(false);
}

Cost loop_cost(long n, long grain, const std::function<Cost(long, long)> &body)
{
    return Cost().spawn(loop_task(0, n, grain, body), false).join();
}

template <class Partitioner> static void loop(long n, long grain, Partitioner &&p)
{
    tbb::parallel_for(Range(0, n, grain), range_body, p);
}
void plain_loop(long n, long grain) { loop(n, grain, tbb::simple_partitioner()); }

CASES(parallel_for)
{
    for (long n : { 1, 7, 64, 1000 })
        for (long g : { 1, 5, 100 })
            add("pfor_" + std::to_string(n) + "_" + std::to_string(g),
                [=] { plain_loop(n, g); },
                [=] { return exactly(loop_cost(n, g, range_cost)); });
    long work = range_cost(0, 1000).work;
    add("pfor_auto", [] { loop(1000, 1, tbb::auto_partitioner()); },
        [=] { return bounded(work, work, true); });
    add("pfor_static", [] { loop(1000, 1, tbb::static_partitioner()); },
        [=] { return bounded(work, work, true); });
    add("pfor_affinity", [] {
        tbb::affinity_partitioner p;
        for (int i = 0; i < 5; i++)
            loop(1000, 1, p);
    }, [=] { return bounded(5 * work, 5 * work, true); });
    add("pfor_2d", [] {
        tbb::parallel_for(tbb::blocked_range2d<int>(0, 16, 1, 0, 16, 1),
                          [](const tbb::blocked_range2d<int> &r) {
                              cost(r.rows().size() * r.cols().size() * 3);
                          },
                          tbb::simple_partitioner());
    }, [] {
        return with_span(16 * 16 * 3, 3);
    });
}

// Who cut a loop: by the grain size, the program did.
CASES(parallel_for_cut)
{
    static const long work = range_cost(0, 1000).work;
    add("pfor_by_grain", [] { plain_loop(1000, 64); },
        [] { return by_grain(loop_cost(1000, 64, range_cost)); });
    // the body's class has the partitioner in its name, too: the end of the name abbreviates it
    add("pfor_by_grain_of_name", [] {
        auto of = [](auto &&p) {
            tbb::parallel_for(Range(0, 1000, 64), [](const Range &r) { range_body(r); }, p);
        };
        of(tbb::simple_partitioner());
    }, [] { return by_grain(loop_cost(1000, 64, range_cost)); });
    add("pfor_by_grain_2d", [] {
        tbb::parallel_for(tbb::blocked_range2d<int>(0, 16, 4, 0, 16, 4),
                          [](const tbb::blocked_range2d<int> &r) {
                              cost(r.rows().size() * r.cols().size() * 3);
                          },
                          tbb::simple_partitioner());
    }, [] { return as_executed_at(with_span(16 * 16 * 3, 48), {}); });
    static const int line = __LINE__ + 3;
    add("pfor_by_both", [] {
        plain_loop(1000, 64);
        tbb::parallel_for(Range(0, 1000), range_body);
        cost(1);                // no tail call: the loop's line is this file's
    }, [] { return as_executed_at(bounded(2 * work + 1, 2 * work + 1, true), { line }); });
}

CASES(parallel_for_nested)
{
    add("pfor_nested", [] {
        tbb::parallel_for(Range(0, 12, 1), [](const Range &r) {
            cost(4);
            tbb::parallel_for(Range(0, 10 + r.begin(), 2), range_body, tbb::simple_partitioner());
            cost(2);
        }, tbb::simple_partitioner());
    }, [] {
        return exactly(loop_cost(12, 1, [](long lo, long) {
            return Cost().run(4).call(loop_cost(10 + lo, 2, range_cost)).run(2);
        }));
    });
    add("pfor_in_group_in_pfor", [] {
        tbb::parallel_for(Range(0, 6, 1), [](const Range &) {
            tbb::task_group g;
            g.run([] { cost(7); plain_loop(20, 3); });
            cost(9);
            g.wait();
        }, tbb::simple_partitioner());
    }, [] {
        return exactly(loop_cost(6, 1, [](long, long) {
            return Cost().spawn(Cost().run(7).call(loop_cost(20, 3, range_cost))).run(9).join();
        }));
    });
}
