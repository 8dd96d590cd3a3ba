// constructs.cpp - every TBB construct under the virtual clock, with what must be measured.
//
//   constructs CASE P            run CASE on P workers
//   constructs --expect CASE     print the expected values, from closed forms or naive recursion
//   constructs --list            name the cases
//
// Expectations are computed without the profiler and without TBB: struct Cost follows DESIGN's rules
// (a child starts at its spawn, a join takes the maximum, the burden lies on the edge to a child
// that a thief can take). `span_max` is an upper bound where the schedule decides.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execution>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include "libprof.h"
#include "numbers.h"

using Range = tbb::blocked_range<long>;
static long B;                          // burden, for expectations

// Cost of a piece of program, relative to its start.
struct Cost {
    long work = 0, span = 0, burdened = 0, spawns = 0, syncs = 0;
    std::vector<Cost> open;             // spawned, not yet joined; their spans count from our start

    Cost &run(long c)
    {
        work += c;
        span += c;
        burdened += c;
        return *this;
    }
    Cost &call(const Cost &c)           // c runs here and is finished
    {
        work += c.work;
        span += c.span;
        burdened += c.burdened;
        spawns += c.spawns;
        syncs += c.syncs;
        return *this;
    }
    Cost &spawn(Cost c, bool stealable = true)
    {
        c.span += span;
        c.burdened += burdened + (stealable ? B : 0);
        spawns += stealable;
        open.push_back(c);
        return *this;
    }
    Cost &join(bool sync = true)
    {
        for (const Cost &c : open) {
            work += c.work;
            span = std::max(span, c.span);
            burdened = std::max(burdened, c.burdened);
            spawns += c.spawns;
            syncs += c.syncs;
        }
        open.clear();
        syncs += sync;
        return *this;
    }
};

struct Expect {
    Cost cost;
    bool exact = true, span_known = true, spawns_known = true, work_known = true;
    long span_max = 0;
    std::string more;
    bool every_spawn_invokes = false;   /* no task is a construct's own: invocations = spawns */
};

struct Case {
    std::function<void()> run;
    std::function<Expect()> expect;
};
static std::map<std::string, Case> cases;
static std::vector<std::string> order;
static int P;

static void add(const std::string &name, std::function<void()> run, std::function<Expect()> expect)
{
    cases[name] = { run, expect };
    order.push_back(name);
}
static Expect exactly(Cost c) { return { c }; }
static Expect invoking(Cost c)
{
    Expect e = exactly(c);
    e.every_spawn_invokes = true;
    return e;
}
static Expect bounded(long work, long span_max, bool exact)
{
    Expect e;
    e.cost.work = work;
    e.span_known = e.spawns_known = false;
    e.span_max = span_max;
    e.exact = exact;
    return e;
}

static void cost(long c) { libprof_cost(c); }

// ---- recursion ----

static long fib_one(long n)
{
    if (n < 2)
        return cost(1), n;
    long x, y;
    cost(10);
    tbb::task_group g;
    g.run([&] { x = fib_one(n - 1); });
    y = fib_one(n - 2);
    g.wait();
    cost(5);
    return x + y;
}
static Cost fib_one_cost(long n)
{
    if (n < 2)
        return Cost().run(1);
    return Cost().run(10).spawn(fib_one_cost(n - 1)).call(fib_one_cost(n - 2)).join().run(5);
}

static long fib_two(long n)
{
    if (n < 2)
        return cost(1), n;
    long x, y;
    tbb::task_group g;
    g.run([&] { x = fib_two(n - 1); });
    cost(3);
    g.run([&] { y = fib_two(n - 2); });
    g.wait();
    cost(5);
    return x + y;
}
static Cost fib_two_cost(long n)
{
    if (n < 2)
        return Cost().run(1);
    return Cost().spawn(fib_two_cost(n - 1)).run(3).spawn(fib_two_cost(n - 2)).join().run(5);
}

static long fib_invoke(long n)
{
    if (n < 2)
        return cost(1), n;
    long x, y;
    cost(2);
    tbb::parallel_invoke([&] { x = fib_invoke(n - 1); }, [&] { y = fib_invoke(n - 2); });
    cost(5);
    return x + y;
}
static Cost fib_invoke_cost(long n)
{
    if (n < 2)
        return Cost().run(1);
    // the first function is spawned, the last is run by the caller
    return Cost().run(2).spawn(fib_invoke_cost(n - 1)).spawn(fib_invoke_cost(n - 2), false).join().run(5);
}


static void quicksort(std::vector<long> &a, long lo, long hi)
{
    if (hi - lo < 8) {
        cost(hi - lo);
        std::sort(a.begin() + lo, a.begin() + hi);
        return;
    }
    cost(hi - lo);
    long m = partition(a, lo, hi);
    tbb::task_group g;
    g.run([&a, lo, m] { quicksort(a, lo, m); });
    quicksort(a, m, hi);
    g.wait();
}
static Cost quicksort_cost(std::vector<long> &a, long lo, long hi)
{
    if (hi - lo < 8) {
        std::sort(a.begin() + lo, a.begin() + hi);
        return Cost().run(hi - lo);
    }
    long m = partition(a, lo, hi);
    return Cost().run(hi - lo).spawn(quicksort_cost(a, lo, m)).call(quicksort_cost(a, m, hi)).join();
}

static void mm(long n)
{
    if (n == 1)
        return cost(8);
    for (int half = 0; half < 2; half++) {
        tbb::task_group g;
        for (int i = 0; i < 3; i++)
            g.run([n] { mm(n / 2); });
        mm(n / 2);
        g.wait();
    }
    cost(1);
}
static Cost mm_cost(long n)
{
    if (n == 1)
        return Cost().run(8);
    Cost sub = mm_cost(n / 2), c;
    for (int half = 0; half < 2; half++)
        c.spawn(sub).spawn(sub).spawn(sub).call(sub).join();
    return c.run(1);
}

static void tree_sum(long n, long base)
{
    if (n <= base)
        return cost(10 * n);
    cost(1);
    tbb::task_group g;
    g.run([=] { tree_sum((n - 1) / 2, base); });
    g.run([=] { tree_sum(n - 1 - (n - 1) / 2, base); });
    g.wait();
}
static Cost tree_sum_cost(long n, long base)
{
    if (n <= base)
        return Cost().run(10 * n);
    return Cost().run(1).spawn(tree_sum_cost((n - 1) / 2, base)).spawn(tree_sum_cost(n - 1 - (n - 1) / 2, base)).join();
}

// ---- loops: simple_partitioner halves until a range is no larger than the grain ----

static long index_cost(long i) { return 1 + i % 7; }
static const auto range_body = [](const Range &r) {
    for (long i = r.begin(); i < r.end(); i++)
        cost(index_cost(i));
};
static Cost leaf_cost(long lo, long hi, const std::function<Cost(long, long)> &body) { return body(lo, hi); }
static Cost range_cost(long lo, long hi)
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
    return c.call(leaf_cost(lo, hi, body)).join(false);
}
static Cost loop_cost(long n, long grain, const std::function<Cost(long, long)> &body)
{
    return Cost().spawn(loop_task(0, n, grain, body), false).join();
}
// Reduction trees: every split is a join of both sides, which costs j.
static Cost reduce_task(long lo, long hi, long grain, long j)
{
    if (hi - lo <= grain)
        return range_cost(lo, hi);
    long mid = lo + (hi - lo) / 2;
    return Cost().spawn(reduce_task(mid, hi, grain, j)).call(reduce_task(lo, mid, grain, j)).join(false).run(j);
}

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

template <class Partitioner> static void plain_loop(long n, long grain, Partitioner &&p)
{
    tbb::parallel_for(Range(0, n, grain), range_body, p);
}

static void add_loops()
{
    for (long n : { 1, 7, 64, 1000 })
        for (long g : { 1, 5, 100 })
            add("pfor_" + std::to_string(n) + "_" + std::to_string(g),
                [=] { plain_loop(n, g, tbb::simple_partitioner()); },
                [=] { return exactly(loop_cost(n, g, range_cost)); });
    long work = range_cost(0, 1000).work;
    add("pfor_auto", [] { plain_loop(1000, 1, tbb::auto_partitioner()); }, [=] { return bounded(work, work, true); });
    add("pfor_static", [] { plain_loop(1000, 1, tbb::static_partitioner()); }, [=] { return bounded(work, work, true); });
    add("pfor_affinity", [] {
        tbb::affinity_partitioner p;
        for (int i = 0; i < 5; i++)
            plain_loop(1000, 1, p);
    }, [=] { return bounded(5 * work, 5 * work, true); });
    add("pfor_2d", [] {
        tbb::parallel_for(tbb::blocked_range2d<int>(0, 16, 1, 0, 16, 1),
                          [](const tbb::blocked_range2d<int> &r) { cost(r.rows().size() * r.cols().size() * 3); },
                          tbb::simple_partitioner());
    }, [] {
        Expect e = bounded(16 * 16 * 3, 0, true);
        e.cost.span = 3;
        e.span_known = true;
        return e;
    });
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
            g.run([] { cost(7); plain_loop(20, 3, tbb::simple_partitioner()); });
            cost(9);
            g.wait();
        }, tbb::simple_partitioner());
    }, [] {
        return exactly(loop_cost(6, 1, [](long, long) {
            return Cost().spawn(Cost().run(7).call(loop_cost(20, 3, range_cost))).run(9).join();
        }));
    });
    for (long j : { 0, 50 })
        add("deterministic_reduce_" + std::to_string(j), [=] {
            HeavySum s(j);
            tbb::parallel_deterministic_reduce(Range(0, 200, 7), s, tbb::simple_partitioner());
            if (s.value != 200)
                abort();
        }, [=] { return exactly(Cost().spawn(reduce_task(0, 200, 7, j), false).join()); });
    add("reduce_lambda", [] {
        long v = tbb::parallel_deterministic_reduce(Range(0, 300, 10), 0L, [](const Range &r, long v) {
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
    for (const char *kind : { "for_each", "reduce", "sort" })
        add(std::string("std_par_") + kind, [=] {
            std::vector<long> a = numbers(3000);
            if (!std::strcmp(kind, "for_each"))
                std::for_each(std::execution::par, a.begin(), a.end(), [](long) { cost(2); });
            else if (!std::strcmp(kind, "reduce"))
                std::transform_reduce(std::execution::par, a.begin(), a.end(), 0L, std::plus<long>(),
                                      [](long x) { cost(2); return x; });
            else
                std::sort(std::execution::par, a.begin(), a.end(), [](long x, long y) { cost(1); return x < y; });
        }, [=] {
            Expect e = bounded(6000, 3000 * 40, std::strcmp(kind, "sort") != 0);
            e.work_known = std::strcmp(kind, "sort") != 0;
            return e;
        });
}

// ---- task groups, arenas, threads ----

static std::function<void()> spend(long c) { return [c] { cost(c); }; }

static void shared_group(tbb::task_group &g, int depth)
{
    cost(depth + 1);
    if (!depth)
        return;
    g.run([&g, depth] { shared_group(g, depth - 1); });
    g.run([&g, depth] { shared_group(g, depth - 1); });
    cost(1);
}
static Cost shared_group_cost(int depth)
{
    Cost c = Cost().run(depth + 1);
    if (depth)
        c.spawn(shared_group_cost(depth - 1)).spawn(shared_group_cost(depth - 1)).run(1);
    return c.join(false);
}

static void random_program(unsigned long s, int depth)
{
    int n = 1 + lcg(s) % 5;
    tbb::task_group g, h;
    for (int i = 0; i < n; i++) {
        cost(lcg(s) % 20);
        unsigned long seed = lcg(s);
        switch (depth ? lcg(s) % 6 : 5) {
        case 0: g.run([=] { random_program(seed, depth - 1); }); break;
        case 1: h.run([=] { random_program(seed, depth - 1); }); break;
        case 2: random_program(seed, depth - 1); break;
        case 3: plain_loop(seed % 50, 3, tbb::simple_partitioner()); break;
        case 4: g.wait(); break;
        default: cost(seed % 30);
        }
    }
    h.wait();
    cost(lcg(s) % 10);
    g.wait();
}
static Cost random_cost(unsigned long s, int depth)
{
    int n = 1 + lcg(s) % 5;
    Cost c;                             // its open list is g's; h is kept apart
    std::vector<Cost> h;
    for (int i = 0; i < n; i++) {
        c.run(lcg(s) % 20);
        unsigned long seed = lcg(s);
        switch (depth ? lcg(s) % 6 : 5) {
        case 0: c.spawn(random_cost(seed, depth - 1)); break;
        case 1:
            c.spawn(random_cost(seed, depth - 1));
            h.push_back(c.open.back());
            c.open.pop_back();
            break;
        case 2: c.call(random_cost(seed, depth - 1)); break;
        case 3:
            if (seed % 50)
                c.call(loop_cost(seed % 50, 3, range_cost));
            break;
        case 4: c.join(); break;
        default: c.run(seed % 30);
        }
    }
    std::swap(c.open, h);
    c.join();
    std::swap(c.open, h);
    return c.run(lcg(s) % 10).join();
}

static void add_groups()
{
    add("group_nested_order", [] {
        tbb::task_group g1, g2;
        g1.run(spend(100));
        cost(10);
        g2.run(spend(30));
        cost(5);
        g2.wait();
        cost(20);
        g1.wait();
        cost(1);
    }, [] {
        Expect e = exactly(Cost().run(0));
        e.cost.work = 100 + 10 + 30 + 5 + 20 + 1;
        e.cost.span = 101;
        e.cost.burdened = std::max(100 + B, std::max(15L, 40 + B) + 20) + 1;
        e.cost.spawns = e.cost.syncs = 2;
        return e;
    });
    add("group_shared", [] {
        tbb::task_group g;
        g.run([&] { shared_group(g, 6); });
        g.wait();
    }, [] { return invoking(Cost().spawn(shared_group_cost(6)).join()); });
    add("group_waited_elsewhere", [] {
        tbb::task_group g, h;
        h.run([&] { cost(5); g.run(spend(70)); cost(3); });
        h.run([&] { cost(9); g.run(spend(40)); });
        h.wait();
        cost(1);
        g.wait();
    }, [] {
        Expect e = bounded(5 + 70 + 3 + 9 + 40 + 1, 0, true);
        e.cost.span = 75;
        e.span_known = true;
        return e;
    });
    add("run_and_wait_defer", [] {
        tbb::task_group g;
        tbb::task_handle deferred = g.defer(spend(60));
        cost(4);
        g.run(std::move(deferred));
        g.run_and_wait([] { cost(10); });
        cost(2);
    }, [] { return exactly(Cost().run(4).spawn(Cost().run(60)).spawn(Cost().run(10), false).join().run(2)); });
    add("exception", [] {
        for (int i = 0; i < 3; i++) {
            tbb::task_group g;
            g.run([] { cost(50); throw std::runtime_error("expected"); });
            try {
                cost(1);
                g.wait();
                abort();
            } catch (const std::runtime_error &) {
                cost(2);
            }
        }
        try {
            tbb::parallel_for(Range(0, 1), [](const Range &) { cost(20); throw 1; });
        } catch (int) {
            cost(3);
        }
    }, [] {
        Cost c;
        for (int i = 0; i < 3; i++)
            c.spawn(Cost().run(50)).run(1).join().run(2);
        return exactly(c.spawn(Cost().run(20), false).join().run(3));
    });
    add("cancel", [] {
        tbb::task_group g;
        g.run(spend(5));
        g.wait();
        g.cancel();
        for (int i = 0; i < 10; i++)
            g.run(spend(1000));
        g.wait();
        cost(1);
    }, [] {
        Expect e = bounded(6, 0, true);
        e.cost.span = 6;
        e.span_known = true;
        return e;
    });
    add("suspend", [] {
        std::thread other;
        tbb::task_group g;
        g.run([&] {
            cost(10);
            tbb::task::suspend([&](tbb::task::suspend_point tag) {
                other = std::thread([tag] { cost(100); tbb::task::resume(tag); });
            });
            cost(5);
        });
        g.wait();
        other.join();
    }, [] {
        Expect e = bounded(115, 0, true);
        e.cost.span = 115;
        e.span_known = true;
        return e;
    });
    add("arena_execute", [] {
        tbb::task_arena a(2), b(3);
        a.execute([&] {
            cost(5);
            plain_loop(40, 4, tbb::simple_partitioner());
            b.execute([] { cost(7); plain_loop(30, 4, tbb::simple_partitioner()); });
            tbb::this_task_arena::isolate([] { plain_loop(20, 4, tbb::simple_partitioner()); });
        });
        cost(1);
    }, [] {
        return exactly(Cost().run(5).call(loop_cost(40, 4, range_cost)).run(7).call(loop_cost(30, 4, range_cost))
                           .call(loop_cost(20, 4, range_cost)).run(1));
    });
    add("arena_enqueue", [] {
        tbb::task_arena a(2);
        std::atomic<int> done{ 0 };
        cost(10);
        for (int i = 0; i < 20; i++)
            a.enqueue([&] { cost(100); done++; });
        cost(30);
        while (done < 20)
            std::this_thread::yield();
    }, [] {
        Expect e = bounded(10 + 2000 + 30, 0, true);
        e.cost.span = 110;
        e.span_known = true;
        return e;
    });
    add("arena_full", [] {
        tbb::task_arena a(1, 1);
        std::vector<std::thread> t;
        for (int i = 0; i < 4; i++)
            t.emplace_back([&] { cost(1); a.execute([] { cost(20); plain_loop(30, 4, tbb::simple_partitioner()); }); cost(2); });
        for (auto &x : t)
            x.join();
    }, [] {
        Cost c, one = Cost().run(21).call(loop_cost(30, 4, range_cost)).run(2);
        for (int i = 0; i < 4; i++)
            c.spawn(one);
        for (int i = 0; i < 4; i++)
            c.join();
        return exactly(c);
    });
    add("threads_with_loops", [] {
        std::vector<std::thread> t;
        for (int i = 0; i < 4; i++)
            t.emplace_back([=] { cost(3 + i); plain_loop(50, 4, tbb::simple_partitioner()); }), cost(2);
        for (int i = 3; i >= 0; i--)
            t[i].join();
    }, [] {
        Cost c;
        for (int i = 0; i < 4; i++)
            c.spawn(Cost().run(3 + i).call(loop_cost(50, 4, range_cost))).run(2);
        for (int i = 0; i < 4; i++)
            c.join();
        return exactly(c);
    });
    add("threads_tree", [] {
        std::function<void(int)> tree = [&](int d) {
            cost(10);
            if (!d)
                return;
            std::thread a([&] { tree(d - 1); });
            cost(1);
            std::thread b([&] { tree(d - 1); });
            b.join();
            cost(2);
            a.join();
        };
        tree(4);
    }, [] {
        std::function<Cost(int)> tree = [&](int d) {
            Cost c = Cost().run(10);
            if (!d)
                return c;
            Cost b = c.spawn(tree(d - 1)).run(1);
            std::vector<Cost> a;
            std::swap(c.open, a);
            c.spawn(tree(d - 1)).join().run(2);
            std::swap(c.open, a);
            return c.join();
        };
        return invoking(tree(4));
    });
    add("thread_joined_elsewhere", [] {
        std::thread a([] { cost(50); });
        std::thread b([&] { cost(5); a.join(); cost(7); });
        b.join();
        cost(1);
    }, [] {
        Expect e = bounded(50 + 5 + 7 + 1, 0, true);
        e.cost.span = 58;
        e.span_known = true;
        return e;
    });
    add("thread_local_destructors", [] {
        struct Last { ~Last() { cost(2); plain_loop(20, 4, tbb::simple_partitioner()); } };
        std::thread([] {
            static thread_local std::unique_ptr<Last> last;
            last.reset(new Last);
            cost(5);
        }).join();
        cost(1);
    }, [] { return exactly(Cost().spawn(Cost().run(7).call(loop_cost(20, 4, range_cost))).join().run(1)); });
    // One context for everything, so that one cancellation stops it all.
    add("context_of_all", [] {
        tbb::task_group_context all;
        tbb::task_group g(all);
        auto loop = [&](long n, auto body) { tbb::parallel_for(Range(0, n, 1), body, tbb::simple_partitioner(), all); };
        g.run(spend(100));
        cost(3);
        loop(10, [&](const Range &) {
            cost(2);
            loop(6, range_body);
            HeavySum s(4);
            tbb::parallel_deterministic_reduce(Range(0, 10, 1), s, tbb::simple_partitioner(), all);
            cost(1);
        });
        cost(2);
        g.wait();
    }, [] {
        Cost inner = Cost().run(2).call(loop_cost(6, 1, range_cost)).spawn(reduce_task(0, 10, 1, 4), false).join().run(1);
        Cost c = Cost().run(3).call(loop_cost(10, 1, [=](long, long) { return inner; })).run(2);
        Cost g = Cost().spawn(Cost().run(100));
        c.open = g.open;
        c.spawns++;
        return exactly(c.join());
    });
    // Nobody can tell whose a task is: the report says so.
    add("groups_of_one_context", [] {
        tbb::task_group_context all;
        tbb::task_group a(all), b(all);
        a.run(spend(10));
        b.run(spend(100));
        a.wait();
        cost(80);
        b.wait();
    }, [] { return bounded(190, 180, false); });
    // One after the other they are told apart.
    add("groups_one_by_one", [] {
        tbb::task_group_context all;
        for (int i = 0; i < 3; i++) {
            tbb::task_group a(all);
            a.run(spend(10));
            a.wait();
        }
    }, [] {
        Cost c;
        for (int i = 0; i < 3; i++)
            c.spawn(Cost().run(10)).join();
        return exactly(c);
    });
    add("thread_detached", [] {
        std::atomic<bool> done{ false };
        cost(5);
        std::thread([&] { cost(90); done = true; }).detach();
        cost(10);
        while (!done)
            std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }, [] {
        Expect e = bounded(105, 0, true);
        e.cost.span = 95;
        e.span_known = true;
        return e;
    });
    for (unsigned seed = 1; seed <= 12; seed++)
        add("random_" + std::to_string(seed), [=] { random_program(seed * 7919, 5); },
            [=] { return exactly(random_cost(seed * 7919, 5)); });
    add("regions", [] {
        libprof_region_start("outer");
        cost(5);
        libprof_region_start("inner");
        plain_loop(20, 4, tbb::simple_partitioner());
        libprof_region_stop("outer");   // overlaps inner
        cost(3);
        libprof_region_stop("inner");
        for (int i = 0; i < 3; i++) {
            libprof_region r("loop");
            cost(i + 1);
        }
    }, [] {
        Cost l = loop_cost(20, 4, range_cost);
        Expect e = exactly(Cost().run(5).call(l).run(3 + 6));
        char s[300];
        snprintf(s, sizeof s, "region outer 1 %ld %ld\nregion inner 1 %ld %ld\nregion loop 3 6 6\n", l.work + 5,
                 l.span + 5, l.work + 3, l.span + 3);
        e.more = s;
        return e;
    });
    add("many_children", [] {
        tbb::task_group g;
        for (int i = 0; i < 100000; i++)
            g.run(spend(3));
        g.wait();
    }, [] {
        Cost c;
        c.work = 300000;
        c.span = 3;
        c.burdened = 3 + B;
        c.spawns = 100000;
        c.syncs = 1;
        return exactly(c);
    });
}

// ---- pipelines ----

using Mode = tbb::filter_mode;
static const Mode IN_ORDER = Mode::serial_in_order, ANY_ORDER = Mode::serial_out_of_order, PARALLEL = Mode::parallel;

// A filter of a pipeline of longs: what it does with item i, and what that costs.
struct Stage {
    Mode mode;
    std::function<void(long)> run;
    std::function<Cost(long)> cost;
};
static Stage stage(Mode m, std::function<long(long)> c)
{
    return { m, [c](long i) { cost(c(i)); }, [c](long i) { return Cost().run(c(i)); } };
}
static Stage stage(Mode m, long c)
{
    return stage(m, [c](long) { return c; });
}
static void pipeline(long n, size_t tokens, const std::vector<Stage> &s)
{
    std::atomic<long> next{ 0 };
    auto input = [&](tbb::flow_control &f) {
        long i = next++;
        if (i < n || s[0].mode != PARALLEL) // how many parallel reads find the end, the schedule decides
            s[0].run(i);
        if (i >= n)
            f.stop();
        return i;
    };
    if (s.size() == 1) {
        tbb::parallel_pipeline(tokens, tbb::make_filter<void, void>(s[0].mode, [&](tbb::flow_control &f) { input(f); }));
        return;
    }
    tbb::filter<void, long> f(s[0].mode, input);
    for (size_t k = 1; k + 1 < s.size(); k++)
        f = f & tbb::make_filter<long, long>(s[k].mode, [&s, k](long i) { s[k].run(i); return i; });
    tbb::parallel_pipeline(tokens, f & tbb::make_filter<long, void>(s.back().mode, [&s](long i) { s.back().run(i); }));
}
// The dag, cell by cell, items in order: (f,i) after (f-1,i); after (f,i-1) if f is serial; a read also
// after the last filter has let item i - tokens go. The n-th read finds the end.
static Cost pipeline_cost(long n, long tokens, const std::vector<Stage> &s)
{
    Cost total;
    std::vector<Cost> after(s.size());  // the filter's last execution; a parallel input: its start
    std::vector<Cost> ended;
    bool alone = s.size() == 1 && s[0].mode != PARALLEL;
    long burden = tokens > 1 && !alone ? B : 0;
    for (long i = 0; i <= n; i++) {
        if (i == n && s[0].mode == PARALLEL)
            break;
        Cost at;
        auto wait_for = [&at](const Cost &c, long b) {
            at.span = std::max(at.span, c.span);
            at.burdened = std::max(at.burdened, c.burdened + b);
        };
        for (size_t f = 0; f < (i < n ? s.size() : 1); f++) {
            if (i && (s[f].mode != PARALLEL || f == 0))
                wait_for(after[f], burden);
            if (f == 0 && i >= tokens)
                wait_for(ended[i - tokens], 0);
            if (f == 0 && s[f].mode == PARALLEL)
                after[f] = at;
            Cost c = s[f].cost(i);
            at.span += c.span;
            at.burdened += c.burdened;
            total.work += c.work;
            total.spawns += c.spawns;
            total.syncs += c.syncs;
            if (s[f].mode != PARALLEL)
                after[f] = at;
        }
        ended.push_back(at);
        total.span = std::max(total.span, at.span);
        total.burdened = std::max(total.burdened, at.burdened);
    }
    total.spawns += tokens > 1 && !alone ? n : 0;
    total.syncs++;
    return total;
}
// The order of a serial_out_of_order filter, and how often a parallel input is called, are the schedule's;
// costs here are such that neither moves work and span.
static Expect any_order(const Cost &c, const char *more = "")
{
    Expect e = exactly(c);
    e.spawns_known = false;
    e.more = more;
    return e;
}
static void add_pipeline(const std::string &name, long n, long tokens, std::vector<Stage> s)
{
    add("pipeline_" + name, [=] { pipeline(n, tokens, s); }, [=] {
        Expect e = exactly(pipeline_cost(n, tokens, s));
        return e;
    });
}

// Counts its living instances, and is too large to travel as a pointer.
struct Large {
    static std::atomic<long> alive;
    long i;
    std::string text;
    char bytes[1000];
    explicit Large(long n) : i(n), text(100, 'x') { alive++; }
    Large(const Large &o) : i(o.i), text(o.text) { alive++; }
    Large(Large &&o) : i(o.i), text(std::move(o.text)) { alive++; }
    ~Large() { alive--; }
};
std::atomic<long> Large::alive{ 0 };

static long resident_pages()
{
    long size = 0, resident = 0;
    FILE *f = std::fopen("/proc/self/statm", "r");
    if (!f || std::fscanf(f, "%ld %ld", &size, &resident) != 2)
        abort();
    std::fclose(f);
    return resident;
}

// Reads n Larges that cost 1, passes them on in parallel for 10 and in order for 5; filter WHERE calls
// TROUBLE on item 7. What a pipeline that ends early leaks, it leaks without us, too.
static void pipeline_in_trouble(size_t tokens, int where, std::function<void()> trouble, tbb::task_group_context &ctx)
{
    long next = 0;
    auto check = [&](int f, long i) {
        if (f == where && i == 7)
            trouble();
    };
    tbb::parallel_pipeline(tokens, tbb::make_filter<void, Large>(IN_ORDER, [&](tbb::flow_control &f) {
        cost(1);
        check(0, next);
        if (next == 20)
            f.stop();
        return Large(next++);
    }) & tbb::make_filter<Large, Large>(PARALLEL, [&](Large l) { cost(10); check(1, l.i); return l; })
      & tbb::make_filter<Large, void>(IN_ORDER, [&](const Large &l) { cost(5); check(2, l.i); }), ctx);
}
// The same with one token: everything one after the other. Filter WHERE on item 7 is the last that runs.
static long trouble_cost(int where) { return 7 * 16 + (where == 0 ? 1 : where == 1 ? 11 : 16); }

static void add_pipelines()
{
    auto uneven = [](long i) { return 1 + i * i % 13; };
    auto late = [](long i) { return i % 10 == 3 ? 200L : 7L; };
    for (long tokens : { 1, 2, 4, 100 }) {
        std::string t = "_" + std::to_string(tokens);
        add_pipeline("even" + t, 20, tokens, { stage(IN_ORDER, 1), stage(PARALLEL, 30), stage(IN_ORDER, 30) });
        add_pipeline("uneven" + t, 60, tokens, { stage(IN_ORDER, uneven), stage(PARALLEL, late), stage(IN_ORDER, 3) });
        add_pipeline("serial" + t, 60, tokens, { stage(IN_ORDER, 2), stage(IN_ORDER, late), stage(IN_ORDER, uneven) });
        add_pipeline("long" + t, 40, tokens, { stage(IN_ORDER, 1), stage(PARALLEL, late), stage(IN_ORDER, uneven),
                     stage(PARALLEL, uneven), stage(PARALLEL, 9), stage(IN_ORDER, 5), stage(PARALLEL, 2), stage(IN_ORDER, 1) });
        std::vector<Stage> nested{ stage(IN_ORDER, 2),
            { PARALLEL, [](long i) { cost(3); plain_loop(5 + i % 9, 2, tbb::simple_partitioner()); },
              [](long i) { return Cost().run(3).call(loop_cost(5 + i % 9, 2, range_cost)); } },
            { IN_ORDER, [](long i) {
                tbb::task_group g;
                g.run([i] { cost(i % 5 * 10); });
                cost(12);
                g.wait();
              }, [](long i) { return Cost().spawn(Cost().run(i % 5 * 10)).run(12).join(); } },
            { PARALLEL, [](long i) { cost(fib_one(i % 6)); },
              [](long i) { return fib_one_cost(i % 6).run(std::array<long, 6>{ 0, 1, 1, 2, 3, 5 }[i % 6]); } },
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
    // An input of no cost: all items are there at once, in whatever order the others take them.
    for (long tokens : { 1, 100 }) {
        std::string t = "_" + std::to_string(tokens);
        std::vector<Stage> s{ stage(IN_ORDER, 0L), stage(ANY_ORDER, uneven) };
        add("pipeline_any_order" + t, [=] { pipeline(50, tokens, s); }, [=] {
            return any_order(pipeline_cost(50, tokens, s), tokens > 1 ? "spawns 50\nsyncs 1\n" : "spawns 0\nsyncs 1\n");
        });
    }
    add("pipeline_any_order_bounded", [=] {
        pipeline(50, 100, { stage(ANY_ORDER, 3), stage(PARALLEL, late), stage(ANY_ORDER, uneven), stage(PARALLEL, 5) });
    }, [=] {
        long work = 0, turns = 0;
        for (long i = 0; i < 50; i++)
            work += 3 + late(i) + uneven(i) + 5, turns += uneven(i);
        Expect e = bounded(work + 3, 51 * 3 + 200 + turns + 5, true);
        e.more = "spawns 50\nsyncs 1\n";
        return e;
    });
    // Behind a parallel last filter the token freed first is the next read's, in the order of execution.
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
    // More tokens than are counted: nothing is missing while they do not run out.
    add_pipeline("even_1000000", 20, 1000000, { stage(IN_ORDER, 1), stage(PARALLEL, 30), stage(IN_ORDER, 30) });
    add("pipeline_too_many_tokens", [] { pipeline(70000, 66000, { stage(IN_ORDER, 1), stage(IN_ORDER, 2) }); },
        [] { return bounded(70001 + 140000, 70001 + 140000, false); });
    add_pipeline("parallel_last", 50, 100, { stage(IN_ORDER, 2), stage(PARALLEL, late) });
    for (long last : { 2, 40 })
        add("pipeline_parallel_input_" + std::to_string(last), [=] {
            pipeline(40, 1000, { stage(PARALLEL, 3), stage(PARALLEL, 10), stage(IN_ORDER, last) });
        }, [=] {
            return any_order(pipeline_cost(40, 1000, { stage(PARALLEL, 3), stage(PARALLEL, 10), stage(IN_ORDER, last) }),
                             "syncs 1\n");
        });
    add("pipeline_parallel_one_filter", [] { pipeline(40, 1000, { stage(PARALLEL, 5) }); },
        [] { return any_order(pipeline_cost(40, 1000, { stage(PARALLEL, 5) }), "syncs 1\n"); });
    add("pipeline_null_pointers", [] {
        static long values[40];
        for (Mode input : { IN_ORDER, PARALLEL }) {
            std::atomic<long> next{ 0 }, nulls{ 0 }, seen{ 0 };
            tbb::parallel_pipeline(1000, tbb::make_filter<void, long *>(input, [&](tbb::flow_control &f) {
                long i = next++;
                if (i >= 40)
                    return f.stop(), (long *)0;
                cost(1);
                return i % 3 ? &values[i] : 0;
            }) & tbb::make_filter<long *, long *>(PARALLEL, [&](long *p) { cost(4); nulls += !p; return seen++ % 2 ? p : 0; })
              & tbb::make_filter<long *, void>(IN_ORDER, [&](long *) { cost(2); }));
            if (nulls != 14 || seen != 40)
                abort();
        }
    }, [] {
        std::vector<Stage> s{ stage(IN_ORDER, [](long i) { return i < 40; }), stage(PARALLEL, 4), stage(IN_ORDER, 2) };
        Cost c = pipeline_cost(40, 1000, s);
        s[0].mode = PARALLEL;
        return any_order(c.call(pipeline_cost(40, 1000, s)), "syncs 2\n");
    });
    for (Mode input : { IN_ORDER, PARALLEL })
        add(input == IN_ORDER ? "pipeline_zeros" : "pipeline_zeros_parallel_input", [=] {
            std::atomic<long> next{ 0 }, seen{ 0 };
            tbb::parallel_pipeline(1000, tbb::make_filter<void, int>(input, [&](tbb::flow_control &f) {
                if (next++ >= 40)
                    f.stop();
                return 0;
            }) & tbb::make_filter<int, char>(ANY_ORDER, [](int i) { cost(4); return (char)i; })
              & tbb::make_filter<char, void>(PARALLEL, [&](char) { seen++; cost(2); }));
            if (seen != 40)
                abort();
        }, [=] { return any_order(pipeline_cost(40, 1000, { stage(input, 0L), stage(ANY_ORDER, 4), stage(PARALLEL, 2) }), "syncs 1\n"); });
    add("pipeline_large", [] {
        {
            long next = 0, last = 0;
            tbb::parallel_pipeline(8, tbb::make_filter<void, Large>(IN_ORDER, [&](tbb::flow_control &f) {
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
    }, [] { return exactly(pipeline_cost(50, 8, { stage(IN_ORDER, 1), stage(PARALLEL, 10), stage(IN_ORDER, 5) })); });
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
        Expect e = exactly(pipeline_cost(10, 4, { stage(IN_ORDER, 2), { IN_ORDER, nullptr, [](long) {
            return Cost().spawn(Cost().run(50)).run(12).join();
        } }, stage(IN_ORDER, 4) }));
        std::string loop = "1 182 6 1 682 506 1 682 506", child = "10 500 500 10 500 500 10 500 500";
        e.more = "invocations 11\nsite " + std::to_string(pipeline_line) + " " + loop + " " + loop +
                 "\nsite " + std::to_string(run_line) + " " + child + " " + child + "\n";
        return e;
    });
    // A group travels with its item: run in one filter, waited for in another, whose turn has come meanwhile.
    static int travel_line, travel_run_line;
    travel_line = __LINE__ + 3, travel_run_line = __LINE__ + 9;
    add("pipeline_group_travels", [] {
        long next = 0;
        tbb::parallel_pipeline(100, tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &f) {
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
        // critical: two reads, filter 1 and the task of item 1, the end of its filter 2, those after it
        Expect e = bounded(6 + 5 * 23 + 540, 0, true);
        e.cost.span = 2 + 2 + 500 + 1 + 3 * 21;
        e.span_known = true;
        std::string task = "1 500 500 1 500 500 1 500 500", pipe = "1 121 68 1 661 568 1 661 568";
        e.more = "spawns 10\nsyncs 6\nsite " + std::to_string(travel_line) + " " + pipe + " " + pipe + "\nsite " +
                 std::to_string(travel_run_line) + " 5 540 540 5 540 540 5 540 540 " + task + "\n";
        return e;
    });
    add("pipeline_in_tasks", [=] {
        tbb::task_group g;
        for (long k = 0; k < 4; k++)
            g.run([=] { pipeline(10 + k, 4, { stage(IN_ORDER, 1), stage(PARALLEL, late), stage(IN_ORDER, 3) }); cost(k); });
        pipeline(9, 2, { stage(IN_ORDER, 2), stage(PARALLEL, uneven), stage(IN_ORDER, 3) });
        g.wait();
    }, [=] {
        Cost c;
        for (long k = 0; k < 4; k++)
            c.spawn(Cost().call(pipeline_cost(10 + k, 4, { stage(IN_ORDER, 1), stage(PARALLEL, late), stage(IN_ORDER, 3) })).run(k));
        return exactly(c.call(pipeline_cost(9, 2, { stage(IN_ORDER, 2), stage(PARALLEL, uneven), stage(IN_ORDER, 3) })).join());
    });
    add("pipeline_in_loop_in_arena", [=] {
        tbb::task_arena a(3);
        a.execute([=] {
            tbb::parallel_for(Range(0, 6, 1), [=](const Range &r) {
                pipeline(8 + r.begin(), 3, { stage(IN_ORDER, 1), stage(PARALLEL, late), stage(IN_ORDER, 3) });
            }, tbb::simple_partitioner());
        });
        cost(1);
    }, [=] {
        return exactly(Cost().call(loop_cost(6, 1, [=](long lo, long) {
            return pipeline_cost(8 + lo, 3, { stage(IN_ORDER, 1), stage(PARALLEL, late), stage(IN_ORDER, 3) });
        })).run(1));
    });
    add("pipeline_shared_chain", [] {
        // three pipelines of one chain divide 60 items among them
        std::atomic<long> next{ 0 };
        tbb::filter<void, void> chain = tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &f) {
            long i = next++;
            if (i < 60)
                cost(1);
            else
                f.stop();
            return i;
        }) & tbb::make_filter<long, long>(PARALLEL, [](long i) { cost(10); return i; })
           & tbb::make_filter<long, void>(IN_ORDER, [](long) { cost(5); });
        tbb::parallel_invoke([&] { tbb::parallel_pipeline(4, chain); }, [&] { tbb::parallel_pipeline(1, chain); },
                             [&] { tbb::parallel_pipeline(100, chain); });
    }, [] {
        Expect e = bounded(60 * 16, 60 * 16, true);
        e.more = "syncs 4\n";
        return e;
    });
    add("pipeline_in_context", [=] {
        // loops of the filters in the pipeline's own context
        tbb::task_group_context ctx;
        long next = 0;
        tbb::parallel_pipeline(4, tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &f) {
            cost(1);
            if (next == 20)
                f.stop();
            return next++;
        }) & tbb::make_filter<long, long>(PARALLEL, [&](long i) {
            tbb::parallel_for(Range(0, 10, 2), range_body, tbb::simple_partitioner(), ctx);
            cost(i);
            return i;
        }) & tbb::make_filter<long, void>(IN_ORDER, [](long) { cost(5); }), ctx);
    }, [=] {
        return exactly(pipeline_cost(20, 4, { stage(IN_ORDER, 1), { PARALLEL, nullptr, [](long i) {
            return loop_cost(10, 2, range_cost).run(i);
        } }, stage(IN_ORDER, 5) }));
    });
    add("pipeline_feeder_in_context", [] {
        // what a feeder adds is waited for by its own loop, not by the pipeline
        tbb::task_group_context ctx;
        long next = 0;
        tbb::parallel_pipeline(4, tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &f) {
            if (next == 10)
                f.stop();
            return next++;
        }) & tbb::make_filter<long, void>(IN_ORDER, [&](long) {
            std::vector<long> a{ 1 };
            tbb::parallel_for_each(a, [](long i, tbb::feeder<long> &f) {
                cost(10);
                if (i)
                    f.add(i - 1);
            }, ctx);
            cost(3);
        }), ctx);
    }, [] { return any_order(Cost().run(10 * 23)); });
    // Items 1 and 2 are of equal length; where there are threads, 1 ends last, on another than the caller's. The
    // critical path leads through 1 in every schedule.
    static int tie_line;
    tie_line = __LINE__ + 7;
    static const auto nap = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
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
    add("pipeline_leaves_tasks", [] {
        // tasks that the pipeline does not wait for: they start where their item stood
        tbb::task_group g;
        pipeline(10, 100, { stage(IN_ORDER, 5), { PARALLEL, [&](long i) { cost(20); g.run(spend(i == 9 ? 90 : 30)); cost(1); }, nullptr },
                            stage(IN_ORDER, 2), stage(IN_ORDER, 3) });
        cost(4);
        g.wait();
    }, [] {
        Cost c = pipeline_cost(10, 100, { stage(IN_ORDER, 5), stage(PARALLEL, 21), stage(IN_ORDER, 2), stage(IN_ORDER, 3) });
        c.run(4);
        c.work += 9 * 30 + 90;
        c.span = std::max(c.span, 10 * 5 + 20 + 90L);
        c.burdened = std::max(c.burdened, 10 * 5 + 20 + 90 + 10 * B);
        c.spawns += 10;
        c.syncs++;
        return exactly(c);
    });
    for (int where : { 0, 1, 2 })
        for (int how : { 0, 1 })
            for (size_t tokens : { 1, 4 }) {
                std::string name = std::string("pipeline_") + (how ? "cancel_" : "exception_") + std::to_string(where) +
                                   "_" + std::to_string(tokens);
                add(name, [=] {
                    tbb::task_group_context ctx;
                    if (how) {
                        pipeline_in_trouble(tokens, where, [&] { ctx.cancel_group_execution(); }, ctx);
                        if (!ctx.is_group_execution_cancelled())
                            abort();
                    } else {
                        try {
                            pipeline_in_trouble(tokens, where, [] { throw std::runtime_error("expected"); }, ctx);
                            abort();
                        } catch (const std::runtime_error &) {
                        }
                    }
                    if (tokens == 1 && Large::alive)
                        abort();
                    cost(3);
                }, [=] {
                    long c = trouble_cost(where) + 3;
                    Expect e = bounded(c, 21 + 20 * 15 + 3, true);
                    e.work_known = tokens == 1;
                    if (tokens == 1)
                        e.cost.span = c, e.span_known = true, e.cost.burdened = c, e.cost.syncs = 1, e.spawns_known = true;
                    return e;
                });
            }
    // Items 1 to 3 stand before the last filter, behind item 0, when the pipeline is cancelled: libtbb forgets them.
    add("pipeline_cancel_waiting", [] {
        tbb::task_group_context ctx;
        std::atomic<long> passed{ 0 };
        std::thread other;
        long next = 0;
        tbb::parallel_pipeline(4, tbb::make_filter<void, long>(IN_ORDER, [&](tbb::flow_control &) { cost(1); return next++; }) &
                                  tbb::make_filter<long, long>(PARALLEL, [&](long i) {
            cost(10);
            if (i)
                passed++;
            else
                tbb::task::suspend([&](tbb::task::suspend_point tag) {
                    other = std::thread([&, tag] {
                        while (passed < 3)
                            std::this_thread::yield();
                        ctx.cancel_group_execution();
                        tbb::task::resume(tag);
                    });
                });
            return i;
        }) & tbb::make_filter<long, void>(IN_ORDER, [](long) { cost(1000); }), ctx);
        other.join();
        cost(3);
    }, [] {
        Expect e = bounded(4 + 40 + 3, 0, true);
        e.cost.span = 4 + 10 + 3;
        e.span_known = true;
        return e;
    });
    add("pipeline_cancelled_before", [] {
        tbb::task_group_context ctx;
        ctx.cancel_group_execution();
        pipeline_in_trouble(4, 3, [] {}, ctx);
        cost(1);
    }, [] {
        Cost c = Cost().run(1);
        c.syncs = 1;
        return exactly(c);
    });
    add("pipeline_suspend", [] {
        std::vector<std::thread> others;
        pipeline(5, 4, { stage(IN_ORDER, 1), { IN_ORDER, [&](long) {
            cost(10);
            tbb::task::suspend([&](tbb::task::suspend_point tag) {
                others.emplace_back([tag] { cost(100); tbb::task::resume(tag); });
            });
            cost(5);
        }, nullptr }, stage(PARALLEL, 3), stage(IN_ORDER, 2) });
        for (auto &t : others)
            t.join();
    }, [] {
        Expect e = bounded(6 + 5 * 120, 0, true);
        e.cost.span = pipeline_cost(5, 4, { stage(IN_ORDER, 1), stage(IN_ORDER, 115), stage(PARALLEL, 3), stage(IN_ORDER, 2) }).span;
        e.span_known = true;
        return e;
    });
    // The callers of these pipelines are suspended and resumed themselves, below the filters that they ran.
    static const auto suspended = [](long c) {
        tbb::task::suspend([c](tbb::task::suspend_point tag) {
            std::thread([tag, c] { cost(c); tbb::task::resume(tag); }).detach();
        });
    };
    add("pipeline_suspend_in_tasks", [] {
        tbb::task_group g;
        for (long k = 0; k < 6; k++)
            g.run([k] {
                pipeline(4 + k, 3, { stage(IN_ORDER, 1), { PARALLEL, [](long i) { cost(10); suspended(7 + i); cost(5); }, nullptr },
                                     stage(IN_ORDER, 2) });
                cost(k);
            });
        g.wait();
    }, [] {
        long work = 0, span = 0;
        for (long k = 0; k < 6; k++) {
            Cost c = pipeline_cost(4 + k, 3, { stage(IN_ORDER, 1), stage(PARALLEL, [](long i) { return 22 + i; }), stage(IN_ORDER, 2) });
            work += c.work + k;
            span = std::max(span, c.span + k);
        }
        Expect e = bounded(work, 0, true);
        e.cost.span = span;
        e.span_known = true;
        return e;
    });
    add("pipeline_many", [] {
        // memory stays what it is
        long pages = 0;
        pipeline(100000, 64, { stage(IN_ORDER, 1), stage(PARALLEL, 10), { IN_ORDER, [&](long i) {
            cost(2);
            if (i == 50000)
                pages = resident_pages();
        }, nullptr } });
        if (resident_pages() > pages + 512)
            abort();
    }, [] { return exactly(pipeline_cost(100000, 64, { stage(IN_ORDER, 1), stage(PARALLEL, 10), stage(IN_ORDER, 2) })); });
}

int main(int argc, char **argv)
{
    const char *burden = getenv("PROF_BURDEN");
    B = burden ? atol(burden) : 0;
    add("fib_one", [] { fib_one(14); }, [] { return invoking(fib_one_cost(14)); });
    add("fib_two", [] { fib_two(14); }, [] { return invoking(fib_two_cost(14)); });
    add("fib_invoke", [] { fib_invoke(14); }, [] { return exactly(fib_invoke_cost(14)); });
    add("quicksort", [] { auto a = numbers(2000); quicksort(a, 0, 2000); },
        [] { auto a = numbers(2000); return invoking(quicksort_cost(a, 0, 2000)); });
    add("mm", [] { mm(16); }, [] { return invoking(mm_cost(16)); });
    add("tree_sum", [] { tree_sum(1000, 20); }, [] { return invoking(tree_sum_cost(1000, 20)); });
    add_loops();
    add_groups();
    add_pipelines();
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (auto &n : order)
            std::puts(n.c_str());
        return 0;
    }
    bool expect = argc == 3 && !std::strcmp(argv[1], "--expect");
    auto it = argc == 3 ? cases.find(expect ? argv[2] : argv[1]) : cases.end();
    if (it == cases.end()) {
        std::fprintf(stderr, "usage: %s --list | --expect CASE | CASE P\n", argv[0]);
        return 2;
    }
    if (expect) {
        Expect e = it->second.expect();
        if (e.work_known)
            std::printf("work %ld\n", e.cost.work);
        if (e.span_known)
            std::printf("span %ld\n", e.cost.span);
        else
            std::printf("span_max %ld\n", e.span_max);
        if (e.spawns_known)
            std::printf("burdened_span %ld\nspawns %ld\nsyncs %ld\n", e.cost.burdened, e.cost.spawns, e.cost.syncs);
        if (e.every_spawn_invokes)
            std::printf("invocations %ld\n", e.cost.spawns);
        std::printf("exact %d\n%s", e.exact, e.more.c_str());
        return 0;
    }
    P = std::atoi(argv[2]);
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, P);
    tbb::task_arena arena(P);
    arena.execute([&] { it->second.run(); });
    return 0;
}
