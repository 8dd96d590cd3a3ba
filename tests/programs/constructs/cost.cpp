// cost.cpp - how the expectations of TBB's constructs are printed.
#include "cost.hpp"

static std::string print(const Expect &e)
{
    std::string s;
    if (e.work_known)
        s += format("work %ld\n", e.cost.work);
    if (e.span_known)
        s += format("span %ld\n", e.cost.span);
    else
        s += format("span_max %ld\n", e.span_max);
    if (e.spawns_known)
        s += format("burdened_span %ld\nspawns %ld\nsyncs %ld\n", e.cost.burdened, e.cost.spawns,
                    e.cost.syncs);
    if (e.every_spawn_invokes)
        s += format("invocations %ld\n", e.cost.spawns);
    return s + format("exact %d\n", e.exact) + e.more;
}

void add(const std::string &name, Run run, std::function<Expect()> expect, Place place)
{
    add_case(name, run, [=] { return print(expect()); }, place);
}

Expect exactly(Cost c) { return { c }; }

Expect by_grain(Cost c)
{
    return as_executed_at(exactly(c), {});
}

Expect as_executed_at(Expect e, std::vector<int> lines)
{
    e.more += format("certain %d\nexecuted", lines.empty());
    for (int line : lines)
        e.more += format(" %d", line);
    e.more += "\n";
    return e;
}

Expect invoking(Cost c)
{
    Expect e = exactly(c);
    e.every_spawn_invokes = true;
    return e;
}

Expect bounded(long work, long span_max, bool exact)
{
    Expect e;
    e.cost.work = work;
    e.span_known = e.spawns_known = false;
    e.span_max = span_max;
    e.exact = exact;
    return e;
}

Expect with_span(long work, long span)
{
    Expect e = bounded(work, 0, true);
    e.cost.span = span;
    e.span_known = true;
    return e;
}
