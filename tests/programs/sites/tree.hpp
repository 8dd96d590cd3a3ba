// tree.hpp - every measurement of every spawn site, recomputed by the definitions (Cilkprof section
// 6): a program's dag is written down as a tree of invocations, and walked naively.
#ifndef TESTS_PROGRAMS_SITES_TREE_HPP
#define TESTS_PROGRAMS_SITES_TREE_HPP

#include "cases.hpp"

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

// Lines of spawn sites, which the programs themselves store: every run stores the same. NEXT is the
// line of the spawn that follows.
#define NEXT (__LINE__ + 1)
using Line = std::atomic<int>;

// The case sites_NAME. RUN runs once before TREE, so that the lines are known.
void add(const std::string &name, std::function<void()> run, std::function<Tree()> tree,
         Place place = Place::here());

#endif
