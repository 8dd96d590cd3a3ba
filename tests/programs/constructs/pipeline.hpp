// pipeline.hpp - pipelines of longs, on TBB and as a dag.
#ifndef TESTS_PROGRAMS_CONSTRUCTS_PIPELINE_HPP
#define TESTS_PROGRAMS_CONSTRUCTS_PIPELINE_HPP

#include "cost.hpp"

using Mode = tbb::filter_mode;
inline constexpr Mode IN_ORDER = Mode::serial_in_order, ANY_ORDER = Mode::serial_out_of_order,
    PARALLEL = Mode::parallel;

// A filter of a pipeline of longs: what it does with item i, and what that costs.
struct Stage {
    Mode mode;
    std::function<void(long)> run;
    std::function<Cost(long)> cost;
};

Stage stage(Mode m, std::function<long(long)> c);
Stage stage(Mode m, long c);
inline long uneven(long i) { return 1 + i * i % 13; }
inline long late(long i) { return i % 10 == 3 ? 200 : 7; }

void pipeline(long n, size_t tokens, const std::vector<Stage> &s);

// The dag, cell by cell, items in order: (f,i) after (f-1,i); after (f,i-1) if f is serial; a read
// also after the last filter has let item i - tokens go. The n-th read finds the end.
Cost pipeline_cost(long n, long tokens, const std::vector<Stage> &s);

// The schedule decides the order of a serial_out_of_order filter, and how often it calls a parallel
// input. Costs here are such that neither moves work and span.
Expect any_order(const Cost &c, const char *more = "");

void add_pipeline(const std::string &name, long n, long tokens, std::vector<Stage> s,
                  Place place = Place::here());

#endif
