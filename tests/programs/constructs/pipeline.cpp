// pipeline.cpp - a pipeline by its stages, and its dag.
#include "cases.hpp"
#include "pipeline.hpp"

Stage stage(Mode m, std::function<long(long)> c)
{
    return { m, [c](long i) { cost(c(i)); }, [c](long i) { return Cost().run(c(i)); } };
}
Stage stage(Mode m, long c)
{
    return stage(m, [c](long) { return c; });
}
void pipeline(long n, size_t tokens, const std::vector<Stage> &s)
{
    std::atomic<long> next{ 0 };
    auto input = [&](tbb::flow_control &f) {
        long i = next++;
        // how many parallel reads find the end, the schedule decides
        if (i < n || s[0].mode != PARALLEL)
            s[0].run(i);
        if (i >= n)
            f.stop();
        return i;
    };
    if (s.size() == 1) {
        tbb::parallel_pipeline(tokens, tbb::make_filter<void, void>(s[0].mode,
            [&](tbb::flow_control &f) { input(f); }));
        return;
    }
    tbb::filter<void, long> f(s[0].mode, input);
    for (size_t k = 1; k + 1 < s.size(); k++)
        f = f & tbb::make_filter<long, long>(s[k].mode, [&s, k](long i) { s[k].run(i); return i; });
    tbb::parallel_pipeline(tokens, f & tbb::make_filter<long, void>(s.back().mode,
        [&s](long i) { s.back().run(i); }));
}

Cost pipeline_cost(long n, long tokens, const std::vector<Stage> &s)
{
    Cost total;
    std::vector<Cost> after(s.size());  // the filter's last execution; a parallel input: its start
    std::vector<Cost> ended;
    bool alone = s.size() == 1 && s[0].mode != PARALLEL;
    long burden = tokens > 1 && !alone ? B : 0;
    for (long i = 0; i <= n; i++) {
        if (i == n && s[0].mode == PARALLEL)
            break;
        Cost at;
        auto wait_for = [&at](const Cost &c, long b) {
            at.span = std::max(at.span, c.span);
            at.burdened = std::max(at.burdened, c.burdened + b);
        };
        for (size_t f = 0; f < (i < n ? s.size() : 1); f++) {
            if (i && (s[f].mode != PARALLEL || f == 0))
                wait_for(after[f], burden);
            if (f == 0 && i >= tokens)
                wait_for(ended[i - tokens], 0);
            if (f == 0 && s[f].mode == PARALLEL)
                after[f] = at;
            Cost c = s[f].cost(i);
            at.span += c.span;
            at.burdened += c.burdened;
            total.work += c.work;
            total.spawns += c.spawns;
            total.syncs += c.syncs;
            if (s[f].mode != PARALLEL)
                after[f] = at;
        }
        ended.push_back(at);
        total.span = std::max(total.span, at.span);
        total.burdened = std::max(total.burdened, at.burdened);
    }
    total.spawns += tokens > 1 && !alone ? n : 0;
    total.syncs++;
    return total;
}

Expect any_order(const Cost &c, const char *more)
{
    Expect e = exactly(c);
    e.spawns_known = false;
    e.more = more;
    return e;
}

void add_pipeline(const std::string &name, long n, long tokens, std::vector<Stage> s, Place place)
{
    add("pipeline_" + name, [=] { pipeline(n, tokens, s); },
        [=] { return exactly(pipeline_cost(n, tokens, s)); }, place);
}
