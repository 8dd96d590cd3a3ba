// pipeline_items.cpp - what travels through a pipeline: null pointers, zeros, large objects.
#include "cases.hpp"
#include "large.hpp"
#include "pipeline.hpp"

CASES(pipeline_nulls)
{
    add("pipeline_null_pointers", [] {
        static long values[40];
        for (Mode input : { IN_ORDER, PARALLEL }) {
            std::atomic<long> next{ 0 }, nulls{ 0 }, seen{ 0 };
            tbb::parallel_pipeline(1000, tbb::make_filter<void, long *>(input,
                [&](tbb::flow_control &f) {
                long i = next++;
                if (i >= 40)
                    return f.stop(), (long *)0;
                cost(1);
                return i % 3 ? &values[i] : 0;
            }) & tbb::make_filter<long *, long *>(PARALLEL, [&](long *p) {
                cost(4);
                nulls += !p;
                return seen++ % 2 ? p : 0;
            }) & tbb::make_filter<long *, void>(IN_ORDER, [&](long *) { cost(2); }));
            if (nulls != 14 || seen != 40)
                abort();
        }
    }, [] {
        std::vector<Stage> s{ stage(IN_ORDER, [](long i) { return i < 40; }), stage(PARALLEL, 4),
            stage(IN_ORDER, 2) };
        Cost c = pipeline_cost(40, 1000, s);
        s[0].mode = PARALLEL;
        return any_order(c.call(pipeline_cost(40, 1000, s)), "syncs 2\n");
    });
    for (Mode input : { IN_ORDER, PARALLEL })
        add(input == IN_ORDER ? "pipeline_zeros" : "pipeline_zeros_parallel_input", [=] {
            std::atomic<long> next{ 0 }, seen{ 0 };
            tbb::parallel_pipeline(1000, tbb::make_filter<void, int>(input,
                [&](tbb::flow_control &f) {
                if (next++ >= 40)
                    f.stop();
                return 0;
            }) & tbb::make_filter<int, char>(ANY_ORDER, [](int i) { cost(4); return (char)i; })
              & tbb::make_filter<char, void>(PARALLEL, [&](char) { seen++; cost(2); }));
            if (seen != 40)
                abort();
        }, [=] { return any_order(pipeline_cost(40, 1000, { stage(input, 0L), stage(ANY_ORDER, 4),
            stage(PARALLEL, 2) }), "syncs 1\n"); });
}

CASES(pipeline_large)
{
    add("pipeline_large", [] {
        {
            long next = 0, last = 0;
            tbb::parallel_pipeline(8, tbb::make_filter<void, Large>(IN_ORDER,
                [&](tbb::flow_control &f) {
                cost(1);
                if (next == 50)
                    f.stop();
                return Large(next++);
            }) & tbb::make_filter<Large, Large>(PARALLEL, [](Large l) { cost(10); return l; })
              & tbb::make_filter<Large, void>(IN_ORDER, [&](const Large &l) {
                    if (l.i != last++ || l.text.size() != 100)
                        abort();
                    cost(5);
                }));
        }
        if (Large::alive)
            abort();
    }, [] { return exactly(pipeline_cost(50, 8, { stage(IN_ORDER, 1), stage(PARALLEL, 10),
        stage(IN_ORDER, 5) })); });
}
