// cost.hpp - what TBB's constructs must cost. Expectations use neither the profiler nor TBB: struct
// Cost follows the rules of docs/ARCHITECTURE.md (a child starts at its spawn, a join takes the
// maximum, the burden lies on the edge to a child that a thief can take). `span_max` is an upper
// bound where the schedule decides.
#ifndef TESTS_PROGRAMS_CONSTRUCTS_COST_HPP
#define TESTS_PROGRAMS_CONSTRUCTS_COST_HPP

#include "cases.hpp"

// Cost of a part of the program, relative to its start.
struct Cost {
    long work = 0, span = 0, burdened = 0, spawns = 0, syncs = 0;
    std::vector<Cost> open;             // spawned, not yet joined; their spans count from our start

    Cost &run(long c)
    {
        work += c;
        span += c;
        burdened += c;
        return *this;
    }
    Cost &call(const Cost &c)           // c runs here and is finished
    {
        work += c.work;
        span += c.span;
        burdened += c.burdened;
        spawns += c.spawns;
        syncs += c.syncs;
        return *this;
    }
    Cost &spawn(Cost c, bool stealable = true)
    {
        c.span += span;
        c.burdened += burdened + (stealable ? B : 0);
        spawns += stealable;
        open.push_back(c);
        return *this;
    }
    Cost &join(bool sync = true)
    {
        for (const Cost &c : open) {
            work += c.work;
            span = std::max(span, c.span);
            burdened = std::max(burdened, c.burdened);
            spawns += c.spawns;
            syncs += c.syncs;
        }
        open.clear();
        syncs += sync;
        return *this;
    }
};

struct Expect {
    Cost cost;
    bool exact = true, span_known = true, spawns_known = true, work_known = true;
    long span_max = 0;
    std::string more;
    bool every_spawn_invokes = false;   /* no task is a construct's own: invocations = spawns */
};

using Run = std::function<void()>;
void add(const std::string &name, Run run, std::function<Expect()> expect,
         Place place = Place::here());
Expect exactly(Cost c);
Expect invoking(Cost c);                // no task is a construct's own: invocations = spawns
// The program cut its loops: nothing is as executed. But for the spans of the loops at LINES.
Expect by_grain(Cost c);
Expect as_executed_at(Expect e, std::vector<int> lines);
Expect bounded(long work, long span_max, bool exact);
Expect with_span(long work, long span); // the schedule decides the burdened span and the spawns

inline Run spend(long c)
{
    return [c] { cost(c); };
}

#endif
