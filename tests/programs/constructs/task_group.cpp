// task_group.cpp - task groups: who waits for whom, groups of one context, many children.
#include "cases.hpp"
#include "loop.hpp"

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

CASES(task_group)
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
        return with_span(5 + 70 + 3 + 9 + 40 + 1, 75);
    });
    add("group_waited_by_tasks", [] {
        tbb::task_group g, h;
        g.run(spend(70));
        for (int i = 0; i < 4; i++)
            h.run([&] { g.wait(); cost(5); });
        h.wait();
    }, [] {
        Expect e = with_span(70 + 4 * 5, 75);
        e.more = "took task_group\n";
        return e;
    });
    add("run_and_wait_defer", [] {
        tbb::task_group g;
        tbb::task_handle deferred = g.defer(spend(60));
        cost(4);
        g.run(std::move(deferred));
        g.run_and_wait([] { cost(10); });
        cost(2);
    }, [] { return exactly(Cost().run(4).spawn(Cost().run(60)).spawn(Cost().run(10), false).join()
                           .run(2)); });
}

CASES(group_context)
{
    // One context for everything, so that one cancellation stops it all.
    add("context_of_all", [] {
        tbb::task_group_context all;
        tbb::task_group g(all);
        auto loop = [&](long n, auto body) { tbb::parallel_for(Range(0, n, 1), body,
            tbb::simple_partitioner(), all); };
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
        Cost inner = Cost().run(2).call(loop_cost(6, 1, range_cost)).spawn(reduce_task(0, 10, 1, 4),
            false).join().run(1);
        Cost c = Cost().run(3).call(loop_cost(10, 1, [=](long, long) { return inner; })).run(2);
        Cost g = Cost().spawn(Cost().run(100));
        c.open = g.open;
        c.spawns++;
        return exactly(c.join());
    });
    // Nobody can know which group a task belongs to. The report states that.
    add("groups_of_one_context", [] {
        tbb::task_group_context all;
        tbb::task_group a(all), b(all);
        a.run(spend(10));
        b.run(spend(100));
        a.wait();
        cost(80);
        b.wait();
    }, [] { return bounded(190, 180, false); });
    // If the groups wait one after the other, libprof distinguishes them.
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
}

CASES(group_many)
{
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
