// loop.hpp - loops with simple_partitioner, which halves until a range is no larger than the grain,
// and reductions: index i costs index_cost(i).
#ifndef TESTS_PROGRAMS_CONSTRUCTS_LOOP_HPP
#define TESTS_PROGRAMS_CONSTRUCTS_LOOP_HPP

#include "cost.hpp"

using Range = tbb::blocked_range<long>;

inline long index_cost(long i) { return 1 + i % 7; }
inline const auto range_body = [](const Range &r) {
    for (long i = r.begin(); i < r.end(); i++)
        cost(index_cost(i));
};
Cost range_cost(long lo, long hi);

// parallel_for.cpp: a loop of N indices, and one of any body.
void plain_loop(long n, long grain);
Cost loop_cost(long n, long grain, const std::function<Cost(long, long)> &body);

// reduce.cpp: every split is a join of both sides, which costs j.
Cost reduce_task(long lo, long hi, long grain, long j);

struct HeavySum {
    long value = 0, join_cost;
    explicit HeavySum(long j) : join_cost(j) {}
    HeavySum(HeavySum &o, tbb::split) : join_cost(o.join_cost) {}
    void operator()(const Range &r)
    {
        range_body(r);
        value += r.size();
    }
    void join(HeavySum &o)
    {
        cost(join_cost);
        value += o.value;
    }
};

#endif
