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
    add("reduce", [] {
        HeavySum s(0);
        tbb::parallel_reduce(Range(0, 500, 5), s, tbb::simple_partitioner());
        if (s.value != 500)
            abort();
    }, [] { return exactly(Cost().spawn(reduce_task(0, 500, 5, 0), false).join()); });
}
