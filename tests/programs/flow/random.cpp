// random.cpp - random dags of continue_nodes, a wavefront.
#include "cases.hpp"
#include "dag.hpp"
#include "numbers.h"

struct Random {
    int n;
    std::vector<long> costs;
    std::vector<std::vector<int>> preds;
    Random(unsigned long seed, int n) : n(n), costs(n), preds(n)
    {
        for (int i = 0; i < n; i++) {
            costs[i] = lcg(seed) % 50;
            for (int k = lcg(seed) % 4; i && k > 0; k--)
                preds[i].push_back(lcg(seed) % i);
            std::sort(preds[i].begin(), preds[i].end());
            preds[i].erase(std::unique(preds[i].begin(), preds[i].end()), preds[i].end());
        }
    }
    void run(int rounds) const
    {
        graph g;
        broadcast_node<continue_msg> start(g);
        std::vector<std::unique_ptr<Continue>> node;
        for (int i = 0; i < n; i++) {
            node.push_back(std::make_unique<Continue>(g, spend(costs[i])));
            for (int p : preds[i])
                make_edge(*node[p], *node[i]);
            if (preds[i].empty())
                make_edge(start, *node[i]);
        }
        for (int r = 0; r < rounds; r++) {
            cost(4);
            start.try_put(continue_msg());
            g.wait_for_all();
        }
    }
    Expect expect(int rounds) const
    {
        Dag d;
        for (int r = 0; r < rounds; r++) {
            d.run(4);
            std::vector<At> end(n);
            for (int i = 0; i < n; i++) {
                At start = preds[i].empty() ? d.now : At();
                for (int p : preds[i])
                    start = later(start, end[p]);
                end[i] = d.body(costs[i], { start });
            }
            d.wait();
        }
        d.syncs++;
        return { d };
    }
};

static void wavefront(int n, int rounds)
{
    graph g;
    std::vector<std::unique_ptr<Continue>> node;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            node.push_back(std::make_unique<Continue>(g, spend(vary(i * n + j))));
            if (i)
                make_edge(*node[(i - 1) * n + j], *node.back());
            if (j)
                make_edge(*node[i * n + j - 1], *node.back());
        }
    for (int r = 0; r < rounds; r++) {
        node[0]->try_put(continue_msg());
        g.wait_for_all();
    }
}
static Expect wavefront_dag(int n, int rounds)
{
    Dag d;
    for (int r = 0; r < rounds; r++) {
        std::vector<At> e(n * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                At start = i || j ? At() : d.now;
                if (i)
                    start = later(start, e[(i - 1) * n + j]);
                if (j)
                    start = later(start, e[i * n + j - 1]);
                e[i * n + j] = d.body(vary(i * n + j), { start });
            }
        d.wait();
    }
    d.syncs++;
    return { d };
}

CASES(random)
{
    for (int s = 1; s <= 6; s++)
        for (int rounds : { 1, 3 }) {
            Random r(s, s * 12);
            add("random_" + std::to_string(s) + "_" + std::to_string(rounds),
                [=] { r.run(rounds); }, [=] { return r.expect(rounds); });
        }
    add("random_large", [] { Random(77, 3000).run(2); }, [] { return Random(77, 3000).expect(2); });
    add("wavefront", [] { wavefront(20, 2); }, [] { return wavefront_dag(20, 2); });
    add("in_arena", [] {
        tbb::task_arena arena(3);
        arena.execute([] {
            Random(5, 40).run(2);
        });
    }, [] { return Random(5, 40).expect(2); });
}
