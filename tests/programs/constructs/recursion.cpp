// recursion.cpp - recursive programs, against a naive recursion.
#include "cases.hpp"
#include "recursion.hpp"
#include "numbers.h"

long fib_one(long n)
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
Cost fib_one_cost(long n)
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
    return Cost().run(2).spawn(fib_invoke_cost(n - 1)).spawn(fib_invoke_cost(n - 2), false).join()
        .run(5);
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
    return Cost().run(hi - lo).spawn(quicksort_cost(a, lo, m)).call(quicksort_cost(a, m, hi))
        .join();
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
    return Cost().run(1).spawn(tree_sum_cost((n - 1) / 2, base))
        .spawn(tree_sum_cost(n - 1 - (n - 1) / 2, base)).join();
}

CASES(recursion)
{
    add("fib_one", [] { fib_one(14); }, [] { return invoking(fib_one_cost(14)); });
    add("fib_two", [] { fib_two(14); }, [] { return invoking(fib_two_cost(14)); });
    add("fib_invoke", [] { fib_invoke(14); }, [] { return exactly(fib_invoke_cost(14)); });
    add("quicksort", [] { auto a = numbers(2000); quicksort(a, 0, 2000); },
        [] { auto a = numbers(2000); return invoking(quicksort_cost(a, 0, 2000)); });
    add("mm", [] { mm(16); }, [] { return invoking(mm_cost(16)); });
    add("tree_sum", [] { tree_sum(1000, 20); }, [] { return invoking(tree_sum_cost(1000, 20)); });
}
