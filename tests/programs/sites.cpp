// sites.cpp - every measurement of every spawn site, for recursive programs, against a recomputation
// by the definitions (Cilkprof section 6): the program's dag is written down as a tree of invocations
// and walked naively. Under the virtual clock nothing may differ, on any number of workers.
//
//   sites --list | --expect CASE | CASE P
//
// --expect prints a line a site: line number, then invocations, local work and span, then count, work
// and span as top-call-site and as top-caller; then the same for the invocations on the critical path.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include "libprof.h"
#include "numbers.h"

static void cost(long c) { libprof_cost(c); }

// ---- the dag, written down ----

struct Body;
// What an invocation does, in order. CALL runs a body in the same strand; a spawn names its group.
struct Step {
    enum { RUN, SPAWN, JOIN } kind;
    long cost;
    int group, line;
    const char *function;
    std::shared_ptr<Body> body;
};
struct Body {
    std::vector<Step> steps;
    int groups = 0;
};
struct Tree {
    std::shared_ptr<Body> body = std::make_shared<Body>();
    int group = -1;

    Tree &run(long c) { return add({ Step::RUN, c, 0, 0, nullptr, nullptr }); }
    Tree &fork() { return group = body->groups++, *this; }
    Tree &spawn(int line, const char *function, const Tree &t)
    {
        return add({ Step::SPAWN, 0, group, line, function, t.body });
    }
    // A task that the construct itself makes (a loop's split): part of this invocation.
    Tree &split(const Tree &t) { return spawn(0, nullptr, t); }
    Tree &join() { return add({ Step::JOIN, 0, group, 0, nullptr, nullptr }); }
    Tree &call(const Tree &t)
    {
        int offset = body->groups;
        body->groups += t.body->groups;
        for (Step s : t.body->steps)
            s.group += offset, add(s);
        return *this;
    }

private:
    Tree &add(const Step &s) { return body->steps.push_back(s), *this; }
};

struct Measure {
    long count = 0, work = 0, span = 0;
    void add(long w, long s) { count++, work += w, span += s; }
};
struct Site {
    long invocations = 0, local_work = 0, local_span = 0;
    Measure top, topcaller;
};
struct Invocation {
    int line;
    bool top, topcaller;
    long local_work = 0, work = 0, span = 0;
};

struct Recomputation {
    std::map<int, Site> all, on;
    std::vector<std::unique_ptr<Invocation>> keep;
    std::multiset<int> lines;
    std::multiset<std::string> functions;

    // A strand of V: what it does, and its critical path, relative to its start.
    struct Strand { long work = 0, span = 0; std::vector<std::pair<Invocation *, long>> path; };

    Strand walk(const Body &b, Invocation *v)
    {
        struct Child { long birth; std::vector<std::pair<Invocation *, long>> prefix; Strand s; };
        std::map<int, std::vector<Child>> open;
        Strand me;
        me.path = { { v, 0 } };
        for (const Step &s : b.steps)
            switch (s.kind) {
            case Step::RUN:
                v->local_work += s.cost;
                me.work += s.cost;
                me.span += s.cost;
                me.path[0].second += s.cost;
                break;
            case Step::SPAWN: {
                Child c { me.span, me.path, s.line ? invoke(*s.body, s.line, s.function) : walk(*s.body, v) };
                me.work += c.s.work;
                open[s.group].push_back(c);
                break;
            }
            case Step::JOIN: {
                const Child *best = nullptr;
                for (const Child &c : open[s.group])
                    if (c.birth + c.s.span > (best ? best->birth + best->s.span : me.span))
                        best = &c;
                if (best) {
                    me.path = best->prefix;
                    me.path.insert(me.path.end(), best->s.path.begin(), best->s.path.end());
                    me.span = best->birth + best->s.span;
                }
                open[s.group].clear();
            }
            }
        return me;
    }
    Strand invoke(const Body &b, int line, const char *function)
    {
        keep.emplace_back(new Invocation);
        Invocation *v = keep.back().get();
        v->line = line;
        v->top = !lines.count(line);
        v->topcaller = !functions.count(function);
        lines.insert(line);
        functions.insert(function);
        Strand s = walk(b, v);
        lines.erase(lines.find(line));
        functions.erase(functions.find(function));
        v->work = s.work;
        v->span = s.span;
        long local = 0;
        for (auto &p : s.path)
            local += p.first == v ? p.second : 0;
        note(all[line], v, local);
        return s;
    }
    static void note(Site &s, const Invocation *v, long local_span)
    {
        s.invocations++;
        s.local_work += v->local_work;
        s.local_span += local_span;
        if (v->top)
            s.top.add(v->work, v->span);
        if (v->topcaller)
            s.topcaller.add(v->work, v->span);
    }
    explicit Recomputation(const Tree &t)
    {
        std::map<Invocation *, long> on_path;
        for (auto &p : invoke(*t.body, 0, "").path)
            on_path[p.first] += p.second;
        for (auto &p : on_path)
            note(on[p.first->line], p.first, p.second);
    }
};

// ---- the programs; NEXT is the line of the spawn that follows ----

#define NEXT (__LINE__ + 1)
enum {
    FIB_ONE, FIB_TWO_A, FIB_TWO_B, QUICKSORT, MM, MM_SUM, TREE_SUM_LEFT, TREE_SUM_RIGHT, EVEN_ODD, EVEN_LEAF,
    ODD_EVEN_1, ODD_EVEN_2, ODD_LEAF, GROUP_OUTER, GROUP_A, GROUP_B, LOOP_OUTER, LOOP_INNER, LOOP_INVOKE,
    FEED, LINES
};
static std::atomic<int> line_of[LINES]; // told by the programs themselves: every run stores the same

static void fib_one(long n)
{
    if (n < 2)
        return cost(1);
    cost(10);
    tbb::task_group g;
    line_of[FIB_ONE] = NEXT;
    g.run([=] { fib_one(n - 1); });
    fib_one(n - 2);
    g.wait();
    cost(5);
}
static Tree fib_one_tree(long n)
{
    if (n < 2)
        return Tree().run(1);
    return Tree().run(10).fork().spawn(line_of[FIB_ONE], "fib_one", fib_one_tree(n - 1)).call(fib_one_tree(n - 2))
        .join().run(5);
}

static void fib_two(long n)
{
    if (n < 2)
        return cost(1);
    tbb::task_group g;
    line_of[FIB_TWO_A] = NEXT;
    g.run([=] { fib_two(n - 1); });
    cost(3);
    line_of[FIB_TWO_B] = NEXT;
    g.run([=] { fib_two(n - 2); });
    g.wait();
    cost(5);
}
static Tree fib_two_tree(long n)
{
    if (n < 2)
        return Tree().run(1);
    return Tree().fork().spawn(line_of[FIB_TWO_A], "fib_two", fib_two_tree(n - 1)).run(3)
        .spawn(line_of[FIB_TWO_B], "fib_two", fib_two_tree(n - 2)).join().run(5);
}

static void quicksort(std::vector<long> &a, long lo, long hi)
{
    cost(hi - lo);
    if (hi - lo < 8)
        return std::sort(a.begin() + lo, a.begin() + hi);
    long m = partition(a, lo, hi);
    tbb::task_group g;
    line_of[QUICKSORT] = NEXT;
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
    return t.fork().spawn(line_of[QUICKSORT], "quicksort", left).call(right).join();
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
            line_of[MM] = NEXT;
            g.run([n] { mm(n / 2); });
        }
        mm(n / 2);
        g.wait();
    }
    tbb::task_group g;
    line_of[MM_SUM] = NEXT;
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
            t.run(i).spawn(line_of[MM], "mm", sub);
        t.call(sub);
        t.group = group;
        t.join();
    }
    return t.fork().spawn(line_of[MM_SUM], "mm", Tree().run(3 * n)).run(2 * n).join();
}

static void tree_sum(long n)
{
    if (n <= 20)
        return cost(10 * n);
    cost(1);
    tbb::task_group g;
    line_of[TREE_SUM_LEFT] = NEXT;
    g.run([=] { tree_sum((n - 1) / 2); });
    line_of[TREE_SUM_RIGHT] = NEXT;
    g.run([=] { tree_sum(n - 1 - (n - 1) / 2); });
    g.wait();
}
static Tree tree_sum_tree(long n)
{
    if (n <= 20)
        return Tree().run(10 * n);
    return Tree().run(1).fork().spawn(line_of[TREE_SUM_LEFT], "tree_sum", tree_sum_tree((n - 1) / 2))
        .spawn(line_of[TREE_SUM_RIGHT], "tree_sum", tree_sum_tree(n - 1 - (n - 1) / 2)).join();
}

// Mutual recursion: even() and odd() spawn each other, and a leaf from two places.
static void leaf(long n) { cost(1 + n % 3); }
static void odd(long n);
__attribute__((noinline)) static void even(long n)
{
    cost(2);
    if (n < 1)
        return;
    tbb::task_group g;
    line_of[EVEN_ODD] = NEXT;
    g.run([=] { odd(n - 1); });
    line_of[EVEN_LEAF] = NEXT;
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
    line_of[ODD_EVEN_1] = NEXT;
    g.run([=] { even(n - 1); });
    cost(3);
    line_of[ODD_EVEN_2] = NEXT;
    h.run([=] { even(n - 2); });
    line_of[ODD_LEAF] = NEXT;
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
    return t.fork().spawn(line_of[EVEN_ODD], "even", odd_tree(n - 1)).spawn(line_of[EVEN_LEAF], "even", leaf_tree(n))
        .run(n).join().run(1);
}
static Tree odd_tree(long n)
{
    Tree t;
    t.run(4);
    if (n < 1)
        return t;
    int g = t.fork().group;
    t.spawn(line_of[ODD_EVEN_1], "odd", even_tree(n - 1)).run(3);
    t.fork().spawn(line_of[ODD_EVEN_2], "odd", even_tree(n - 2)).spawn(line_of[ODD_LEAF], "odd", leaf_tree(n + 1));
    t.join().run(n);
    t.group = g;
    return t.join();
}

// Bodies that the compiler inlines into the runtime's own functions.
static void groups()
{
    tbb::task_group g;
    line_of[GROUP_OUTER] = NEXT;
    g.run([] {
        tbb::task_group h;
        line_of[GROUP_A] = NEXT;
        h.run([] { cost(10); });
        cost(2);
        line_of[GROUP_B] = NEXT;
        h.run([] { cost(20); });
        h.wait();
        cost(1);
    });
    g.wait();
}
static Tree groups_tree()
{
    return Tree().fork().spawn(line_of[GROUP_OUTER], "groups", Tree().fork()
        .spawn(line_of[GROUP_A], "groups()::lambda", Tree().run(10)).run(2)
        .spawn(line_of[GROUP_B], "groups()::lambda", Tree().run(20)).join().run(1)).join();
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
    line_of[LOOP_OUTER] = NEXT;
    tbb::parallel_for(0, 5, [](int i) {
        cost(1 + i);
        line_of[LOOP_INNER] = NEXT;
        tbb::parallel_for(0, 4 + i, [](int j) { cost(10 + j); }, tbb::simple_partitioner());
        cost(3);
        line_of[LOOP_INVOKE] = NEXT;
        tbb::parallel_invoke([] { cost(7); }, [] { cost(9); });
    }, tbb::simple_partitioner());
}
static Tree loops_tree()
{
    return Tree().fork().spawn(line_of[LOOP_OUTER], "loops", loop(0, 5, [](long i) {
        return Tree().run(1 + i).fork().spawn(line_of[LOOP_INNER], "loops()::lambda", loop(0, 4 + i, [](long j) {
            return Tree().run(10 + j);
        })).join().run(3).fork().spawn(line_of[LOOP_INVOKE], "loops()::lambda", Tree().run(7))
            .spawn(line_of[LOOP_INVOKE], "loops()::lambda", Tree().run(9)).join();
    })).join();
}

// Items that the body adds belong to the loop's invocation. A tree of them: one item in the block
// that adds it, its children joined by the whole loop.
static void feed()
{
    std::vector<int> first { 4 };
    line_of[FEED] = NEXT;
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
static Tree feed_tree() { return Tree().fork().spawn(line_of[FEED], "feed", feed_item(4)).join(); }

struct Case {
    const char *name;
    std::function<void()> run;
    std::function<Tree()> tree;
};
static const Case cases[] = {
    { "fib_one", [] { fib_one(13); }, [] { return fib_one_tree(13); } },
    { "fib_two", [] { fib_two(13); }, [] { return fib_two_tree(13); } },
    { "quicksort", [] { auto a = numbers(2000); quicksort(a, 0, 2000); },
      [] { auto a = numbers(2000); return quicksort_tree(a, 0, 2000); } },
    { "mm", [] { mm(8); }, [] { return mm_tree(8); } },
    { "tree_sum", [] { tree_sum(1500); }, [] { return tree_sum_tree(1500); } },
    { "mutual", [] { even(14); }, [] { return even_tree(14); } },
    { "inlined_groups", groups, groups_tree },
    { "inlined_loops", loops, loops_tree },
    { "feeder", feed, feed_tree },
};

static void print(const Site &s)
{
    std::printf(" %ld %ld %ld %ld %ld %ld %ld %ld %ld", s.invocations, s.local_work, s.local_span, s.top.count,
                s.top.work, s.top.span, s.topcaller.count, s.topcaller.work, s.topcaller.span);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (const Case &c : cases)
            std::printf("sites_%s\n", c.name);
        return 0;
    }
    bool expect = argc == 3 && !std::strcmp(argv[1], "--expect");
    const char *name = argc == 3 ? argv[expect ? 2 : 1] : "";
    for (const Case &c : cases)
        if (!std::strncmp(name, "sites_", 6) && !std::strcmp(name + 6, c.name)) {
            int workers = expect ? 1 : std::atoi(argv[2]);
            tbb::global_control control(tbb::global_control::max_allowed_parallelism, workers);
            tbb::task_arena arena(workers);
            arena.execute([&] { c.run(); }); // tells the lines, too
            if (expect) {
                Recomputation r(c.tree());
                for (auto &s : r.all) {
                    std::printf("site %d", s.first);
                    print(s.second);
                    print(r.on[s.first]);
                    std::printf("\n");
                }
            }
            return 0;
        }
    std::fprintf(stderr, "usage: %s --list | --expect CASE | CASE P\n", argv[0]);
    return 2;
}
