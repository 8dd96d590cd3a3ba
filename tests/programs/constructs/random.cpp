// random.cpp - random programs of task groups and loops.
#include "cases.hpp"
#include "loop.hpp"
#include "numbers.h"

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
        case 3: plain_loop(seed % 50, 3); break;
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

CASES(random)
{
    for (unsigned seed = 1; seed <= 12; seed++)
        add("random_" + std::to_string(seed), [=] { random_program(seed * 7919, 5); },
            [=] { return exactly(random_cost(seed * 7919, 5)); });
}
