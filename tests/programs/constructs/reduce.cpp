// reduce.cpp - parallel_reduce and parallel_deterministic_reduce.
#include "cases.hpp"
#include "loop.hpp"

Cost reduce_task(long lo, long hi, long grain, long j)
{
    if (hi - lo <= grain)
        return range_cost(lo, hi);
    long mid = lo + (hi - lo) / 2;
    return Cost().spawn(reduce_task(mid, hi, grain, j)).call(reduce_task(lo, mid, grain, j))
        .join(false).run(j);
}

CASES(reduce)
{
    for (long j : { 0, 50 })
        add("deterministic_reduce_" + std::to_string(j), [=] {
            HeavySum s(j);
            tbb::parallel_deterministic_reduce(Range(0, 200, 7), s, tbb::simple_partitioner());
            if (s.value != 200)
                abort();
        }, [=] { return exactly(Cost().spawn(reduce_task(0, 200, 7, j), false).join()); });
    add("reduce_lambda", [] {
        long v = tbb::parallel_deterministic_reduce(Range(0, 300, 10), 0L,
                                                    [](const Range &r, long v) {
            range_body(r);
            return v + (long)r.size();
        }, [](long a, long b) { cost(30); return a + b; }, tbb::simple_partitioner());
        if (v != 300)
            abort();
    }, [] { return exactly(Cost().spawn(reduce_task(0, 300, 10, 30), false).join()); });
    add("reduce_by_grain", [] {
        HeavySum s(50);
        tbb::parallel_deterministic_reduce(Range(0, 200, 7), s);
    }, [] { return by_grain(Cost().spawn(reduce_task(0, 200, 7, 50), false).join()); });
    // This run decides whether two chunks have a body each, and join.
    static const int line = __LINE__ + 3, workers = line + 7;
    add("reduce_by_thieves", [] {
        HeavySum s(0);
        tbb::parallel_reduce(Range(0, 500, 5), s, tbb::simple_partitioner());
    }, [] {
        return as_executed_at(exactly(Cost().spawn(reduce_task(0, 500, 5, 0), false).join()),
                              { line });
    });
    add("reduce_by_workers", [] {
        HeavySum s(0);
        tbb::parallel_deterministic_reduce(Range(0, 500), s, tbb::static_partitioner());
    }, [] {
        long work = range_cost(0, 500).work;
        return as_executed_at(bounded(work, work, true), { workers });
    });
    add("reduce", [] {
        HeavySum s(0);
        tbb::parallel_reduce(Range(0, 500, 5), s, tbb::simple_partitioner());
        if (s.value != 500)
            abort();
    }, [] { return exactly(Cost().spawn(reduce_task(0, 500, 5, 0), false).join()); });
}
