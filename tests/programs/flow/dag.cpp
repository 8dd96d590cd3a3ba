// dag.cpp - how the expectations of flow graphs are printed.
#include "cases.hpp"
#include "dag.hpp"

static std::string print(Expect e)
{
    std::string s;
    if (e.work_known)
        s += format("work %ld\n", e.dag.work);
    if (e.observed)
        e.spawns_known = false;
    else if (e.span_known)
        s += format("span %ld\n", e.dag.now.s);
    else
        s += format("span_min %ld\nspan_max %ld\n", e.span_min, e.dag.now.s);
    if (e.spawns_known)
        s += format("burdened_span %ld\nspawns %ld\nsyncs %ld\n", e.dag.now.b, e.dag.spawns,
                    e.dag.syncs);
    if (e.honest)
        s += format("honest %ld\n", e.dag.now.s);
    else if (!e.raced)
        s += format("exact %d\n", e.exact);
    for (auto &part : e.split)
        s += format("split %ld %s\n", part.second, part.first);
    return s;
}

void add(const std::string &name, std::function<void()> run, std::function<Expect()> expect,
         Place place)
{
    add_case("flow_" + name, run, [=] { return print(expect()); }, place);
}

Expect bounded(long work, long span_min, long span_max)
{
    Expect e;
    e.dag.work = work;
    e.dag.now.s = span_max;
    e.span_min = span_min;
    e.span_known = e.spawns_known = false;
    return e;
}

Expect observed(long work)
{
    Expect e;
    e.dag.work = work;
    e.observed = true;
    return e;
}

void observe_span(long span)
{
    const char *name = std::getenv("EXPECT_OBSERVED");
    FILE *f = name ? std::fopen(name, "w") : nullptr;
    if (f) {
        std::fprintf(f, "span %ld\n", span);
        std::fclose(f);
    }
}

Expect honest(const Dag &d)
{
    Expect e{ d };
    e.honest = true;
    e.span_known = e.spawns_known = false;
    return e;
}
