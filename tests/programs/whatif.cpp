// whatif.cpp - what-if scenarios with known answers, under the virtual clock. Each case is a tree
// of costs, spawns, syncs and regions, made from fixed rules or a random seed; tbb::task_group runs
// it, and a serial walk over the same tree, which knows nothing of the profiler, computes the work
// and span of every scenario by the definition: costs of the outermost candidate of the scenario
// are divided by its factor, tasks spawned inside a region are inside of it.
//
//   whatif --list | --spec CASE | --expect CASE | --delays CASE | --delayed CASE | CASE WORKERS
// Delays make all candidates cost more in the run itself: --delayed is what must be measured then.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include "libprof.h"
#include "numbers.h"

enum Kind { COST, START, STOP, SPAWN, SYNC };
struct Node;
struct Step {
    Kind kind;
    long cost;                          // COST
    std::string name;                   // START, STOP
    std::shared_ptr<Node> child;        // SPAWN
};
struct Node {
    std::vector<Step> steps;            // a SYNC follows the last
    void cost(long c) { steps.push_back({ COST, c, "", nullptr }); }
    void start(const char *n) { steps.push_back({ START, 0, n, nullptr }); }
    void stop(const char *n) { steps.push_back({ STOP, 0, n, nullptr }); }
    void sync() { steps.push_back({ SYNC, 0, "", nullptr }); }
    Node &spawn()
    {
        steps.push_back({ SPAWN, 0, "", std::make_shared<Node>() });
        return *steps.back().child;
    }
};

// ---- with oneTBB ----

static void run(const Node &n)
{
    tbb::task_group group;
    for (const Step &s : n.steps)
        switch (s.kind) {
        case COST: libprof_cost(s.cost); break;
        case START: libprof_region_start(s.name.c_str()); break;
        case STOP: libprof_region_stop(s.name.c_str()); break;
        case SPAWN: group.run([&s] { run(*s.child); }); break;
        case SYNC: group.wait(); break;
        }
    group.wait();
}

// ---- by definition ----

using Scenario = std::map<std::string, double>; // factors; 0: costs nothing

struct Length { double work, span; };

static double scaled(const Scenario &s, const std::vector<std::string> &inside, long cost)
{
    for (const std::string &name : inside)      // outermost first
        if (auto f = s.find(name); f != s.end())
            return f->second ? cost / f->second : 0;
    return cost;
}

static Length walk(const Node &n, const Scenario &s, std::vector<std::string> inside)
{
    Length l = { 0, 0 };
    double longest = 0;
    std::map<std::string, int> depth;   // starts of this task's own
    std::map<std::string, bool> entered;
    auto contains = [&](const std::string &x) { return std::find(inside.begin(), inside.end(),
        x) != inside.end(); };
    for (const Step &step : n.steps)
        switch (step.kind) {
        case COST: {
            double c = scaled(s, inside, step.cost);
            l.work += c;
            l.span += c;
            break;
        }
        case START:
            if (!depth[step.name]++ && (entered[step.name] = !contains(step.name)))
                inside.push_back(step.name);
            break;
        case STOP:
            if (!--depth[step.name] && entered[step.name])
                inside.erase(std::find(inside.begin(), inside.end(), step.name));
            break;
        case SPAWN: {
            Length c = walk(*step.child, s, inside);
            l.work += c.work;
            longest = std::max(longest, l.span + c.span);
            break;
        }
        case SYNC:
            l.span = std::max(l.span, longest);
            break;
        }
    l.span = std::max(l.span, longest);
    return l;
}

// ---- cases ----

static void fib(Node &n, int k)
{
    n.cost(24);
    if (k < 2)
        return;
    if (k == 8)
        n.start("fib8");
    fib(n.spawn(), k - 1);
    fib(n, k - 2);
    n.sync();
    n.start("add");
    n.cost(72);
    n.stop("add");
    if (k == 8)
        n.stop("fib8");
}

// Cilkprof's figure 1 with costs of one a number: the division is serial. No function has the
// name of a region: a sample in its code would count for the region.
static void quicksort(Node &n, std::vector<long> &a, long low, long high)
{
    if (high - low < 32) {
        n.cost(200 * (high - low));
        return;
    }
    n.start("divide");
    n.cost(200 * (high - low));
    n.stop("divide");
    long middle = partition(a, low, high);
    quicksort(n.spawn(), a, low, middle);
    quicksort(n, a, middle, high);
    n.sync();
}

// TaskProf's figure 2: create_tree in main, and serial_tree_sum in the two leaves, are the regions.
static void tree_sum(Node &n, const char *leaf)
{
    n.start("create_tree");
    n.cost(4000);
    n.stop("create_tree");
    Node &sum = n.spawn();
    for (long cost : { 2400, 2000 }) {
        Node &side = sum.spawn();
        side.cost(80);
        side.start(leaf);
        side.cost(cost);
        side.stop(leaf);
    }
    sum.sync();
    sum.cost(40);
    n.sync();
    n.cost(80);
}

// Neither shortens the span alone: they run beside each other.
static void together(Node &n)
{
    n.cost(800);
    for (const char *name : { "left", "right" }) {
        Node &side = n.spawn();
        side.start(name);
        side.cost(8000);
        side.stop(name);
    }
    n.sync();
}

static unsigned long next(unsigned long &s)
{
    return s = s * 6364136223846793005ul + 1442695040888963407ul, s >> 33;
}

static void random_node(Node &n, unsigned long &s, int depth)
{
    static const char *const names[] = { "a", "b", "c" };
    std::vector<const char *> open;
    for (unsigned i = 0, k = 3 + next(s) % 8; i < k; i++)
        switch (next(s) % 7) {
        case 0: case 1: n.cost(24 * (1 + next(s) % 50)); break;
        case 2: n.start(open.emplace_back(names[next(s) % 3])); break;
        case 3:
            if (!open.empty()) {        // any of them: regions may overlap
                size_t at = next(s) % open.size();
                n.stop(open[at]);
                open.erase(open.begin() + at);
            }
            break;
        case 4: case 5:
            if (depth)
                random_node(n.spawn(), s, depth - 1);
            break;
        case 6: n.sync(); break;
        }
    for (const char *name : open)
        n.stop(name);
}

struct Case {
    Node root;
    std::string spec;
    std::map<std::string, Scenario> scenarios;  // by the name that prof gives them
};

// N with each of these factors alone, by the name that prof gives it.
static void one(Case &c, const char *n, std::initializer_list<double> factors)
{
    for (double f : factors) {
        char text[64];
        std::snprintf(text, sizeof text, f ? "%s %.4gx" : "%s at no cost", n, f);
        c.scenarios[text] = { { n, f } };
    }
}

static void make_fib(Case &c)
{
    fib(c.root, 12);
    c.spec = "add=2x,3x;fib8=4";
    one(c, "add", { 2, 3, 0 });
    one(c, "fib8", { 4, 0 });
    c.scenarios["add 2x, fib8 4x"] = { { "add", 2 }, { "fib8", 4 } };
    c.scenarios["add 3x, fib8 4x"] = { { "add", 3 }, { "fib8", 4 } };
}

static void make_quicksort(Case &c)
{
    auto a = numbers(20000);
    quicksort(c.root, a, 0, a.size());
    c.spec = "divide=2x,5x,10x,50x,100x";
    one(c, "divide", { 2, 5, 10, 50, 100, 0 });
}

static void make_tree_sum(Case &c)
{
    tree_sum(c.root, "serial_tree_sum");
    c.spec = "create_tree=2,4,8;serial_tree_sum=2,4,8";
    for (double f : { 2, 4, 8 }) {
        one(c, "create_tree", { f });
        one(c, "serial_tree_sum", { f });
        char text[80];
        std::snprintf(text, sizeof text, "create_tree %gx, serial_tree_sum %gx", f, f);
        c.scenarios[text] = { { "create_tree", f }, { "serial_tree_sum", f } };
    }
    one(c, "create_tree", { 0 });
    one(c, "serial_tree_sum", { 0 });
}

// The common multiple of these factors is too large: weights are rounded.
static void make_odd_factors(Case &c)
{
    tree_sum(c.root, "serial_tree_sum");
    c.spec = "create_tree=45.78&serial_tree_sum=35.786;"
             "create_tree=0.997;serial_tree_sum=999.999";
    c.scenarios["create_tree 45.78x, serial_tree_sum 35.79x"] = { { "create_tree", 45.78 },
        { "serial_tree_sum", 35.786 } };
    one(c, "create_tree", { 0.997, 0 });
    one(c, "serial_tree_sum", { 999.999, 0 });
}

// Works of days: more than 2^64 when each cost is multiplied by a weight of 2^16.
static void make_days(Case &c)
{
    for (int i = 0; i < 16; i++) {
        Node &child = c.root.spawn();
        child.start("part");
        child.cost(1l << 45);
        child.stop("part");
    }
    c.spec = "part=2";
    one(c, "part", { 2, 0 });
}

static void make_together(Case &c)
{
    together(c.root);
    c.spec = "left=inf;right=inf;left=4&right=8;right=0.5";
    one(c, "left", { 0 });
    one(c, "right", { 0, 0.5 });
    c.scenarios["left 4x, right 8x"] = { { "left", 4 }, { "right", 8 } };
}

// The outermost counts, whichever it is.
static void make_nested(Case &c)
{
    c.root.start("outer");
    c.root.cost(800);
    c.root.start("inner");
    c.root.cost(1600);
    Node &child = c.root.spawn();
    child.start("outer");                   // inside of it already
    child.cost(6400);
    child.stop("outer");
    child.cost(160);
    c.root.stop("outer");                   // overlaps: inner goes on
    c.root.cost(3200);
    c.root.stop("inner");
    c.root.cost(80);
    c.spec = "outer=2;inner=8;never=4";
    one(c, "outer", { 2, 0 });
    one(c, "inner", { 8, 0 });
    one(c, "never", { 4, 0 });
    c.scenarios["outer 2x, inner 8x, never 4x"] = { { "outer", 2 }, { "inner", 8 },
        { "never", 4 } };
}

static void make_random(Case &c, unsigned long s)
{
    next(s);
    random_node(c.root, s, 6);
    c.spec = "a=2x,4x;b=3x,inf;c=0.5x";
    one(c, "a", { 2, 4, 0 });
    one(c, "b", { 3, 0 });
    one(c, "c", { 0.5, 0 });
    c.scenarios["a 2x, b 3x, c 0.5x"] = { { "a", 2 }, { "b", 3 }, { "c", 0.5 } };
    c.scenarios["a 4x, b at no cost, c 0.5x"] = { { "a", 4 }, { "b", 0 }, { "c", 0.5 } };
}

static bool make(const std::string &name, Case &c)
{
    static const std::map<std::string, void (*)(Case &)> cases = {
        { "fib", make_fib },
        { "quicksort", make_quicksort },
        { "tree_sum", make_tree_sum },
        { "odd_factors", make_odd_factors },
        { "days", make_days },
        { "together", make_together },
        { "nested", make_nested },
    };
    if (name.rfind("random_", 0) == 0) {
        make_random(c, std::strtoul(name.c_str() + 7, 0, 10) * 2654435761ul + 1);
        return true;
    }
    auto found = cases.find(name);
    if (found == cases.end())
        return false;
    found->second(c);
    return true;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (const char *name : { "fib", "quicksort", "tree_sum", "odd_factors", "days",
                "together", "nested" })
            std::puts(name);
        for (int i = 1; i <= 12; i++)
            std::printf("random_%d\n", i);
        return 0;
    }
    Case c;
    if (argc != 3 || !make(argv[1][0] == '-' ? argv[2] : argv[1], c))
        return 2;
    if (!std::strcmp(argv[1], "--spec")) {
        std::puts(c.spec.c_str());
    } else if (!std::strcmp(argv[1], "--expect")) {
        for (const auto &[name, scenario] : c.scenarios) {
            Length l = walk(c.root, scenario, {});
            std::printf("%.0f %.0f %s\n", l.work, l.span, name.c_str());
        }
    } else if (!std::strcmp(argv[1], "--delays") || !std::strcmp(argv[1], "--delayed")) {
        Scenario slow;
        for (const auto &[name, scenario] : c.scenarios)
            for (const auto &term : scenario)
                slow[term.first] = 0;
        int factor = 2;
        for (auto &term : slow) {
            if (argv[1][7] == 's')
                std::printf("%s=%d%s", term.first.c_str(), factor,
                            term.first == slow.rbegin()->first ? "\n" : ";");
            term.second = 1.0 / factor;
            factor *= 2;
        }
        Length l = walk(c.root, slow, {});
        if (argv[1][7] != 's')
            std::printf("%.0f %.0f\n", l.work, l.span);
    } else {
        int workers = std::atoi(argv[2]);
        tbb::global_control control(tbb::global_control::max_allowed_parallelism, workers);
        tbb::task_arena(workers).execute([&] { run(c.root); });
    }
}
