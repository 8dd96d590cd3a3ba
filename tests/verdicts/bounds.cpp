// bounds.cpp - programs whose parallelism is 4 under the virtual clock, each for another reason.
// check.sh reads what the report names as the reason.
//
//     bounds threads      four threads of the program's own
//     bounds tokens       a pipeline with four tokens
//     bounds team         a static loop on a team of four
//     bounds groups       four tasks: nothing but the algorithm
//     bounds shared       two groups in one context: the span is not exact
//     bounds loop [P]     a loop that the program cuts into four: its iterations allow 400
//     bounds shares [P]   the same loop, cut into P
//     bounds grain        the same loop by the default partitioner, which cuts it no finer
//     bounds reduced      the same by parallel_reduce
//     bounds triangle P   a loop whose iteration i costs i, cut into P: its iterations allow 200
//     bounds single       the same in chunks of one iteration
//     bounds equal P      a loop of equal iterations by the default partitioner
//     bounds guided       the same by OpenMP's guided schedule, whose first chunk is the longest
//     bounds heavy        a loop of 400 iterations in chunks of 25; one costs more than all others,
//                         and its parallelism is 1.8 however the loop is cut
//     bounds scan P       the same as triangle, and a construct that makes the span a lower bound
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include <tbb/tbb.h>
#include "libprof.h"

static void threads()
{
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++)
        all.emplace_back([] { libprof_cost(1000); });
    for (auto &t : all)
        t.join();
}

static void tokens()
{
    int left = 100;
    tbb::parallel_pipeline(
        4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                       [&](tbb::flow_control &c) {
        if (!left)
            c.stop();
        return left ? left-- : 0;
    }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) { libprof_cost(40); }));
}

static void team()
{
#pragma omp parallel for schedule(static) num_threads(4)
    for (int i = 0; i < 400; i++)
        libprof_cost(10);
}

static void groups()
{
    tbb::task_group g;
    for (int i = 0; i < 4; i++)
        g.run([] { libprof_cost(1000); });
    g.wait();
}

static void shared()
{
    tbb::task_group_context all;
    tbb::task_group a(all), b(all);
    a.run([] { libprof_cost(10); });
    b.run([] { libprof_cost(100); });
    a.wait();
    libprof_cost(80);
    b.wait();
}

template <class Partitioner> static void loop_by(const Partitioner &p)
{
    tbb::parallel_for(tbb::blocked_range<int>(0, 400, 100), [](const tbb::blocked_range<int> &r) {
        for (int i = r.begin(); i < r.end(); i++)
            libprof_cost(10);
    }, p);
}

static void loop() { loop_by(tbb::simple_partitioner()); }
static void shares() { loop_by(tbb::static_partitioner()); }
static void grain() { loop_by(tbb::auto_partitioner()); }

static void reduced()
{
    tbb::parallel_reduce(tbb::blocked_range<int>(0, 400, 100), 0,
                         [](const tbb::blocked_range<int> &r, int sum) {
        for (int i = r.begin(); i < r.end(); i++)
            libprof_cost(10);
        return sum;
    }, [](int a, int b) { return a + b; }, tbb::simple_partitioner());
}

template <class Partitioner> static void triangle_by(const Partitioner &p)
{
    tbb::parallel_for(tbb::blocked_range<int>(0, 400), [](const tbb::blocked_range<int> &r) {
        for (int i = r.begin(); i < r.end(); i++)
            libprof_cost(i);
    }, p);
}

static void triangle() { triangle_by(tbb::static_partitioner()); }
static void single() { triangle_by(tbb::simple_partitioner()); }

static void equal()
{
    tbb::parallel_for(0, 20000, [](int) { libprof_cost(10); });
}

static void guided()
{
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < 20000; i++)
        libprof_cost(10);
}

static void heavy()
{
    tbb::parallel_for(tbb::blocked_range<int>(0, 400, 25), [](const tbb::blocked_range<int> &r) {
        for (int i = r.begin(); i < r.end(); i++)
            libprof_cost(i == 230 ? 5000 : 10);
    }, tbb::simple_partitioner());
}

static void scan()
{
    triangle();
    tbb::parallel_scan(tbb::blocked_range<int>(0, 4, 1), 0,
                       [](const tbb::blocked_range<int> &r, int sum, bool) {
        return sum + (int)r.size();
    }, [](int a, int b) { return a + b; });
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } programs[] = { { "threads", threads }, { "tokens", tokens }, { "team", team },
                     { "groups", groups }, { "loop", loop }, { "shares", shares },
                     { "grain", grain }, { "reduced", reduced },
                     { "shared", shared }, { "heavy", heavy },
                     { "equal", equal }, { "guided", guided },
                     { "triangle", triangle }, { "single", single }, { "scan", scan } };
    tbb::global_control workers(tbb::global_control::max_allowed_parallelism,
                                argc > 2 ? atoi(argv[2]) : 2);
    for (auto &p : programs)
        if (argc > 1 && !strcmp(argv[1], p.name))
            return p.run(), 0;
    return 2;
}
