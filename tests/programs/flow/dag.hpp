// dag.hpp - what flow graphs must cost. Expectations come from a dag of bodies that each case
// writes down by hand (struct Dag): a body starts when all that it waits for has ended, and a thief
// can take every edge to a body. The dag uses neither the profiler nor TBB.
#ifndef TESTS_PROGRAMS_FLOW_DAG_HPP
#define TESTS_PROGRAMS_FLOW_DAG_HPP

#include "cases.hpp"
#include <tbb/flow_graph.h>

using namespace tbb::flow;
using Continue = continue_node<continue_msg>;

// A moment: the longest path to it, without and with burdens.
struct At {
    long s = 0, b = 0;
};
inline At later(At x, At y) { return { std::max(x.s, y.s), std::max(x.b, y.b) }; }

struct Dag {
    long work = 0, spawns = 0, syncs = 0;
    At now, end;                        // the strand that puts and waits; the last body's end

    void run(long c)                    // the strand itself works
    {
        work += c;
        now.s += c;
        now.b += c;
    }
    At body(long c, std::initializer_list<At> after)
    {
        At start;
        for (At a : after)
            start = later(start, { a.s, a.b + B });
        work += c;
        spawns++;
        At e = { start.s + c, start.b + c };
        end = later(end, e);
        return e;
    }
    At inside(long c, At after)         // lightweight: a part of the strand that puts
    {
        work += c;
        At e = { after.s + c, after.b + c };
        end = later(end, e);
        return e;
    }
    void wait()
    {
        now = later(now, end);
        syncs++;
    }
    Dag &over()                         // wait_for_all, and the one of ~graph
    {
        wait();
        syncs++;
        return *this;
    }
};

struct Expect {
    Dag dag;
    bool span_known = true, spawns_known = true, work_known = true, exact = true;
    bool observed = false;              // the run itself shows the span
    bool honest = false;                // exact or a lower bound; the report states which
    // a race of the runtime's may make it a lower bound: see the case
    bool raced = false;
    long span_min = 0;
    // each construct's own part of the span; "": outside every task
    std::vector<std::pair<const char *, long>> split;
};

void add(const std::string &name, std::function<void()> run, std::function<Expect()> expect,
         Place place = Place::here());
Expect bounded(long work, long span_min, long span_max);

// What a serial node takes from another serial node's bodies is in the order of the schedule: the
// runtime starts the next body before it hands on what the last one made. Such a case's bodies
// write down the order, and the span follows from it: the run shows it (observe_span).
Expect observed(long work);
void observe_span(long span);

Expect honest(const Dag &d);

// A put that the compiler cannot see through, as between a program's functions.
template <class T> __attribute__((noipa)) static void put(receiver<T> &r, T v) { r.try_put(v); }
__attribute__((noipa)) static void go(receiver<continue_msg> &r) { r.try_put(continue_msg()); }

inline auto spend(long c)
{
    return [c](const continue_msg &) { cost(c); return continue_msg(); };
}
inline auto pass(long c)
{
    return [c](int v) { cost(c); return v; };
}

inline long vary(long i) { return 3 + i * 7 % 11; }

#endif
