// recursion.cpp - the sites of recursive programs: one and two spawns a level, quicksort, matrices,
// trees.
#include "cases.hpp"
#include "tree.hpp"
#include "numbers.h"

static Line fib_one_line, fib_two_a_line, fib_two_b_line;
static Line quicksort_line, mm_line, mm_sum_line;
static Line tree_sum_left_line, tree_sum_right_line;

static void fib_one(long n)
{
    if (n < 2)
        return cost(1);
    cost(10);
    tbb::task_group g;
    fib_one_line = NEXT;
    g.run([=] { fib_one(n - 1); });
    fib_one(n - 2);
    g.wait();
    cost(5);
}
static Tree fib_one_tree(long n)
{
    if (n < 2)
        return Tree().run(1);
    return Tree().run(10).fork().spawn(fib_one_line, "fib_one", fib_one_tree(n - 1))
        .call(fib_one_tree(n - 2))
        .join().run(5);
}

static void fib_two(long n)
{
    if (n < 2)
        return cost(1);
    tbb::task_group g;
    fib_two_a_line = NEXT;
    g.run([=] { fib_two(n - 1); });
    cost(3);
    fib_two_b_line = NEXT;
    g.run([=] { fib_two(n - 2); });
    g.wait();
    cost(5);
}
static Tree fib_two_tree(long n)
{
    if (n < 2)
        return Tree().run(1);
    return Tree().fork().spawn(fib_two_a_line, "fib_two", fib_two_tree(n - 1)).run(3)
        .spawn(fib_two_b_line, "fib_two", fib_two_tree(n - 2)).join().run(5);
}

static void quicksort(std::vector<long> &a, long lo, long hi)
{
    cost(hi - lo);
    if (hi - lo < 8)
        return std::sort(a.begin() + lo, a.begin() + hi);
    long m = partition(a, lo, hi);
    tbb::task_group g;
    quicksort_line = NEXT;
    g.run([&a, lo, m] { quicksort(a, lo, m); });
    quicksort(a, m, hi);
    g.wait();
}
static Tree quicksort_tree(std::vector<long> &a, long lo, long hi)
{
    Tree t;
    t.run(hi - lo);
    if (hi - lo < 8)
        return std::sort(a.begin() + lo, a.begin() + hi), t;
    long m = partition(a, lo, hi);
    Tree left = quicksort_tree(a, lo, m), right = quicksort_tree(a, m, hi);
    return t.fork().spawn(quicksort_line, "quicksort", left).call(right).join();
}

// The paper's matrix multiplication: seven spawns and a call, then the sums, in two rounds. Every
// spawn costs something first, so that no two paths are equally long.
static void mm(long n)
{
    if (n == 1)
        return cost(8);
    for (int half = 0; half < 2; half++) {
        tbb::task_group g;
        for (int i = 0; i < 3; i++) {
            cost(i);
            mm_line = NEXT;
            g.run([n] { mm(n / 2); });
        }
        mm(n / 2);
        g.wait();
    }
    tbb::task_group g;
    mm_sum_line = NEXT;
    g.run([n] { cost(3 * n); });
    cost(2 * n);
    g.wait();
}
static Tree mm_tree(long n)
{
    if (n == 1)
        return Tree().run(8);
    Tree sub = mm_tree(n / 2), t;
    for (int half = 0; half < 2; half++) {
        int group = t.fork().group;
        for (int i = 0; i < 3; i++)
            t.run(i).spawn(mm_line, "mm", sub);
        t.call(sub);
        t.group = group;
        t.join();
    }
    return t.fork().spawn(mm_sum_line, "mm", Tree().run(3 * n)).run(2 * n).join();
}

static void tree_sum(long n)
{
    if (n <= 20)
        return cost(10 * n);
    cost(1);
    tbb::task_group g;
    tree_sum_left_line = NEXT;
    g.run([=] { tree_sum((n - 1) / 2); });
    tree_sum_right_line = NEXT;
    g.run([=] { tree_sum(n - 1 - (n - 1) / 2); });
    g.wait();
}
static Tree tree_sum_tree(long n)
{
    if (n <= 20)
        return Tree().run(10 * n);
    return Tree().run(1).fork().spawn(tree_sum_left_line, "tree_sum", tree_sum_tree((n - 1) / 2))
        .spawn(tree_sum_right_line, "tree_sum", tree_sum_tree(n - 1 - (n - 1) / 2)).join();
}

CASES(recursion)
{
    add("fib_one", [] { fib_one(13); }, [] { return fib_one_tree(13); });
    add("fib_two", [] { fib_two(13); }, [] { return fib_two_tree(13); });
    add("quicksort", [] { auto a = numbers(2000); quicksort(a, 0, 2000); },
        [] { auto a = numbers(2000); return quicksort_tree(a, 0, 2000); });
    add("mm", [] { mm(8); }, [] { return mm_tree(8); });
    add("tree_sum", [] { tree_sum(1500); }, [] { return tree_sum_tree(1500); });
}
