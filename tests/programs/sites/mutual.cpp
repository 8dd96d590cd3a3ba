// mutual.cpp - the sites of two functions that spawn each other.
#include "cases.hpp"
#include "tree.hpp"

static Line even_odd_line, even_leaf_line, odd_even_1_line, odd_even_2_line, odd_leaf_line;

// Mutual recursion: even() and odd() spawn each other, and a leaf from two places.
static void leaf(long n) { cost(1 + n % 3); }
static void odd(long n);
__attribute__((noinline)) static void even(long n)
{
    cost(2);
    if (n < 1)
        return;
    tbb::task_group g;
    even_odd_line = NEXT;
    g.run([=] { odd(n - 1); });
    even_leaf_line = NEXT;
    g.run([=] { leaf(n); });
    cost(n);
    g.wait();
    cost(1);
}
__attribute__((noinline)) static void odd(long n)
{
    cost(4);
    if (n < 1)
        return;
    tbb::task_group g, h;
    odd_even_1_line = NEXT;
    g.run([=] { even(n - 1); });
    cost(3);
    odd_even_2_line = NEXT;
    h.run([=] { even(n - 2); });
    odd_leaf_line = NEXT;
    h.run([=] { leaf(n + 1); });
    h.wait();
    cost(n);
    g.wait();
}
static Tree leaf_tree(long n) { return Tree().run(1 + n % 3); }
static Tree odd_tree(long n);
static Tree even_tree(long n)
{
    Tree t;
    t.run(2);
    if (n < 1)
        return t;
    return t.fork().spawn(even_odd_line, "even", odd_tree(n - 1)).spawn(even_leaf_line, "even",
        leaf_tree(n))
        .run(n).join().run(1);
}
static Tree odd_tree(long n)
{
    Tree t;
    t.run(4);
    if (n < 1)
        return t;
    int g = t.fork().group;
    t.spawn(odd_even_1_line, "odd", even_tree(n - 1)).run(3);
    t.fork().spawn(odd_even_2_line, "odd", even_tree(n - 2)).spawn(odd_leaf_line, "odd",
        leaf_tree(n + 1));
    t.join().run(n);
    t.group = g;
    return t.join();
}

CASES(mutual)
{
    add("mutual", [] { even(14); }, [] { return even_tree(14); });
}
