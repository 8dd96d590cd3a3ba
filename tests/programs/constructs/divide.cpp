// divide.cpp - loops whose chunks divide further: in the divided dag a loop of equal iterations is
// as long as one of them, whatever the partitioner made of it, on any number of workers.
#include <vector>
#include "cases.hpp"
#include "cost.hpp"

enum { N = 1000, EACH = 5 };

template <class R> static void body(const R &r)
{
    for (auto i = r.begin(); i != r.end(); ++i)
        cost(EACH);
}

// WORK, and the longest path of the divided dag.
static Expect divisible(long work, long longest)
{
    Expect e = bounded(work, work, true);
    e.more = format("divisible %ld\n", longest);
    return e;
}

template <class R, class Partitioner> static void loop(R range, Partitioner &&p)
{
    tbb::parallel_for(range, [](const R &r) { body(r); }, p);
}

// A range of the program's own: libprof cannot count its iterations.
struct Halves {
    long from, to;
    Halves(long a, long b) : from(a), to(b) {}
    Halves(Halves &o, tbb::split) : from(o.from + (o.to - o.from) / 2), to(o.to) { o.to = from; }
    bool empty() const { return from >= to; }
    bool is_divisible() const { return to - from > 100; }
};

CASES(divide)
{
    static double numbers[N];
    static std::vector<short> list(N);
    auto loop_of = [](const char *name, auto range) {
        add(name, [=] { loop(range, tbb::auto_partitioner()); },
            [] { return divisible(N * EACH, EACH); });
    };
    loop_of("divide_int", tbb::blocked_range<int>(-300, N - 300));
    loop_of("divide_size", tbb::blocked_range<size_t>(0, N));
    loop_of("divide_unsigned", tbb::blocked_range<unsigned>(0, N));
    loop_of("divide_short", tbb::blocked_range<short>(-500, N - 500));
    loop_of("divide_pointer", tbb::blocked_range<double *>(numbers, numbers + N));
    using Iterator = std::vector<short>::iterator;
    loop_of("divide_iterator", tbb::blocked_range<Iterator>(list.begin(), list.end()));
    add("divide_static", [] { loop(tbb::blocked_range<int>(0, N), tbb::static_partitioner()); },
        [] { return divisible(N * EACH, EACH); });
    add("divide_affinity", [] {
        tbb::affinity_partitioner p;
        for (int i = 0; i < 3; i++)
            loop(tbb::blocked_range<int>(0, N), p);
    }, [] { return divisible(3 * N * EACH, 3 * EACH); });
    add("divide_simple", [] { loop(tbb::blocked_range<int>(0, N, 64), tbb::simple_partitioner()); },
        [] { return divisible(N * EACH, EACH); });
    add("divide_index", [] { tbb::parallel_for(0L, (long)N, 2L, [](long) { cost(EACH); }); },
        [] { return divisible(N / 2 * EACH, EACH); });
}

CASES(divide_dimensions)
{
    add("divide_2d", [] {
        tbb::parallel_for(tbb::blocked_range2d<int, long>(0, 30, 0, 40), [](const auto &r) {
            cost(EACH * r.rows().size() * r.cols().size());
        });
    }, [] { return divisible(30 * 40 * EACH, EACH); });
    add("divide_3d", [] {
        tbb::parallel_for(tbb::blocked_range3d<short, int>(0, 8, 0, 9, 0, 10), [](const auto &r) {
            cost(EACH * r.pages().size() * r.rows().size() * r.cols().size());
        });
    }, [] { return divisible(8 * 9 * 10 * EACH, EACH); });
    add("divide_own_range", [] {
        tbb::parallel_for(Halves(0, N), [](const Halves &r) { cost(EACH * (r.to - r.from)); },
                          tbb::simple_partitioner());
    }, [] {
        Expect e = divisible(N * EACH, 63 * EACH);
        e.more += "undivided 16\n";
        return e;
    });
}

CASES(divide_reduce)
{
    add("divide_reduce", [] {
        tbb::parallel_reduce(tbb::blocked_range<long>(0, N), 0L, [](const auto &r, long s) {
            body(r);
            return s;
        }, [](long a, long b) { return a + b; });
    }, [] { return divisible(N * EACH, EACH); });
    // Three levels of joins above the leaves, each after both sides.
    add("divide_reduce_joins", [] {
        tbb::parallel_deterministic_reduce(tbb::blocked_range<long>(0, 64, 8), 0L,
                                           [](const auto &r, long s) {
            body(r);
            return s;
        }, [](long a, long b) {
            cost(2);
            return a + b;
        });
    }, [] { return divisible(64 * EACH + 7 * 2, EACH + 3 * 2); });
}

CASES(divide_nested)
{
    // An iteration of the outer loop is 4, the inner loop, 2.
    add("divide_nested", [] {
        tbb::parallel_for(0, 48, [](int) {
            cost(4);
            tbb::parallel_for(0, 96, [](int) { cost(3); });
            cost(2);
        });
    }, [] { return divisible(48 * (6 + 96 * 3), 4 + 3 + 2); });
    // What the iterations spawn and wait for counts with its longest path.
    add("divide_group_inside", [] {
        tbb::parallel_for(0, 32, [](int) {
            tbb::task_group g;
            g.run([] { cost(7); });
            cost(4);
            g.wait();
        });
    }, [] { return divisible(32 * 11, 7); });
    add("divide_serial_around", [] {
        cost(100);
        tbb::parallel_for(0, (int)N, [](int) { cost(EACH); });
        cost(50);
        tbb::parallel_for(0, (int)N, [](int) { cost(2); });
    }, [] { return divisible(150 + N * (EACH + 2), 150 + EACH + 2); });
}
