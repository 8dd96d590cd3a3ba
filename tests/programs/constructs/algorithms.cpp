// algorithms.cpp - parallel_scan, parallel_sort, parallel_for_each, parallel_invoke, and the
// parallel algorithms of the standard library. Where the runtime decides the cost, a bound of the
// span.
#include "cases.hpp"
#include <execution>
#include "loop.hpp"
#include "numbers.h"

CASES(scan_and_sort)
{
    add("scan", [] {
        std::vector<long> out(1000);
        tbb::parallel_scan(Range(0, 1000, 50), 0L, [&](const Range &r, long v, bool final) {
            cost(r.size());
            for (long i = r.begin(); i < r.end(); i++)
                v += 1, final ? (void)(out[i] = v) : (void)0;
            return v;
        }, std::plus<long>());
        if (out[999] != 1000)
            abort();
    }, [] {
        Expect e = bounded(0, 2000, false);
        e.work_known = false;
        return e;
    });
    add("sort", [] {
        std::vector<long> a = numbers(20000);
        tbb::parallel_sort(a.begin(), a.end(), [](long x, long y) { cost(1); return x < y; });
        if (!std::is_sorted(a.begin(), a.end()))
            abort();
    }, [] {
        Expect e = bounded(0, 20000 * 60, true);
        e.work_known = false;
        return e;
    });
}

CASES(for_each_and_invoke)
{
    add("for_each", [] {
        std::vector<long> a(100);
        std::iota(a.begin(), a.end(), 0);
        tbb::parallel_for_each(a, [](long i) { cost(index_cost(i)); });
        std::list<long> l(a.begin(), a.end());
        tbb::parallel_for_each(l, [](long i) { cost(index_cost(i)); });
    }, [] { return bounded(2 * range_cost(0, 100).work, 2 * range_cost(0, 100).work, true); });
    add("feeder", [] {
        std::vector<long> a{ 6, 6 };
        tbb::parallel_for_each(a, [](long i, tbb::feeder<long> &f) {
            cost(10);
            if (i)
                f.add(i - 1), f.add(i - 1);
        });
    }, [] { return bounded(2 * 127 * 10, 2 * 127 * 10, true); });
    add("invoke_3_to_10", [] {
        auto f = [](long c) { return [=] { cost(c); }; };
        tbb::parallel_invoke(f(1), f(2), f(3));
        tbb::parallel_invoke(f(1), f(2), f(3), f(4), f(5));
        tbb::parallel_invoke(f(10), f(9), f(8), f(7), f(6), f(5), f(4), f(3), f(2), f(1));
    }, [] {
        Expect e = bounded(6 + 15 + 55, 3 + 5 + 10, true);
        e.cost.span = 3 + 5 + 10;
        e.span_known = true;
        return e;
    });
}

CASES(standard)
{
    for (const char *kind : { "for_each", "reduce", "sort" })
        add(std::string("std_par_") + kind, [=] {
            std::vector<long> a = numbers(3000);
            if (!std::strcmp(kind, "for_each"))
                std::for_each(std::execution::par, a.begin(), a.end(), [](long) { cost(2); });
            else if (!std::strcmp(kind, "reduce"))
                std::transform_reduce(std::execution::par, a.begin(), a.end(), 0L,
                                      std::plus<long>(),
                                      [](long x) { cost(2); return x; });
            else
                std::sort(std::execution::par, a.begin(), a.end(),
                          [](long x, long y) { cost(1); return x < y; });
        }, [=] {
            Expect e = bounded(6000, 3000 * 40, std::strcmp(kind, "sort") != 0);
            e.work_known = std::strcmp(kind, "sort") != 0;
            return e;
        });
}
