// tree.cpp - the walk over a tree of invocations. It prints a line a site: line number, then
// invocations, local work and span, then count, work and span as top-call-site and as top-caller;
// then the same for the invocations on the critical path.
#include "cases.hpp"
#include "tree.hpp"

namespace {

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
                Child c { me.span, me.path, s.line ? invoke(*s.body, s.line, s.function)
                    : walk(*s.body, v) };
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

}

static std::string print(const Site &s)
{
    return format(" %ld %ld %ld %ld %ld %ld %ld %ld %ld", s.invocations, s.local_work, s.local_span,
                  s.top.count, s.top.work, s.top.span, s.topcaller.count, s.topcaller.work,
                  s.topcaller.span);
}

static std::string print(Recomputation r)
{
    std::string text;
    for (auto &s : r.all)
        text += format("site %d", s.first) + print(s.second) + print(r.on[s.first]) + "\n";
    return text;
}

void add(const std::string &name, std::function<void()> run, std::function<Tree()> tree,
         Place place)
{
    add_case("sites_" + name, run, [=] {
        tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
        tbb::task_arena(1).execute([&] { run(); });
        return print(Recomputation(tree()));
    }, place);
}
