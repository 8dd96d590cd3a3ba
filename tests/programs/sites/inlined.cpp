// inlined.cpp - the sites of groups, loops and feeders whose bodies are inlined.
#include "cases.hpp"
#include "tree.hpp"

static Line group_outer_line, group_a_line, group_b_line, loop_outer_line, loop_inner_line,
    loop_invoke_line, feed_line;

// Bodies that the compiler inlines into the runtime's own functions.
static void groups()
{
    tbb::task_group g;
    group_outer_line = NEXT;
    g.run([] {
        tbb::task_group h;
        group_a_line = NEXT;
        h.run([] { cost(10); });
        cost(2);
        group_b_line = NEXT;
        h.run([] { cost(20); });
        h.wait();
        cost(1);
    });
    g.wait();
}
static Tree groups_tree()
{
    return Tree().fork().spawn(group_outer_line, "groups", Tree().fork()
        .spawn(group_a_line, "groups()::lambda", Tree().run(10)).run(2)
        .spawn(group_b_line, "groups()::lambda", Tree().run(20)).join().run(1)).join();
}

// simple_partitioner, grain 1: halves until one index is left.
static Tree loop(long lo, long hi, const std::function<Tree(long)> &body)
{
    Tree t;
    t.fork();
    int group = t.group;
    for (; hi - lo > 1; hi = lo + (hi - lo) / 2)
        t.split(loop(lo + (hi - lo) / 2, hi, body));
    t.call(body(lo));
    t.group = group;
    return t.join();
}
static void loops()
{
    loop_outer_line = NEXT;
    tbb::parallel_for(0, 5, [](int i) {
        cost(1 + i);
        loop_inner_line = NEXT;
        tbb::parallel_for(0, 4 + i, [](int j) { cost(10 + j); }, tbb::simple_partitioner());
        cost(3);
        loop_invoke_line = NEXT;
        tbb::parallel_invoke([] { cost(7); }, [] { cost(9); });
    }, tbb::simple_partitioner());
}
static Tree loops_tree()
{
    return Tree().fork().spawn(loop_outer_line, "loops", loop(0, 5, [](long i) {
        return Tree().run(1 + i).fork().spawn(loop_inner_line, "loops()::lambda",
                                              loop(0, 4 + i, [](long j) {
            return Tree().run(10 + j);
        })).join().run(3).fork().spawn(loop_invoke_line, "loops()::lambda", Tree().run(7))
            .spawn(loop_invoke_line, "loops()::lambda", Tree().run(9)).join();
    })).join();
}

// Items that the body adds belong to the loop's invocation. A tree of them: one item in the block
// that adds it, its children joined by the whole loop.
static void feed()
{
    std::vector<int> first { 4 };
    feed_line = NEXT;
    tbb::parallel_for_each(first.begin(), first.end(), [](int d, tbb::feeder<int> &f) {
        cost(5);
        if (d)
            f.add(d - 1), cost(1), f.add(d - 1);
        cost(5);
    });
}
static Tree feed_item(int d)
{
    Tree t;
    t.run(5);
    t.fork();
    if (d)
        t.split(feed_item(d - 1)).run(1).split(feed_item(d - 1));
    return t.run(5).join();
}
static Tree feed_tree() { return Tree().fork().spawn(feed_line, "feed", feed_item(4)).join(); }

CASES(inlined)
{
    add("inlined_groups", groups, groups_tree);
    add("inlined_loops", loops, loops_tree);
    add("feeder", feed, feed_tree);
}
