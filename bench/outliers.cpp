// outliers.cpp - programs whose true parallelism is known, of strands that interrupts lengthen.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

// Work that takes a number of steps, not a time: an interrupt makes it longer.
static double steps_a_us;

static void spin(double us)
{
    uint64_t x = 1;
    for (uint64_t i = 0, n = us * steps_a_us; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        asm volatile("" : "+r"(x));
    }
}

// What the third argument says, or prints it: main's own strand is part of the span.
static int calibrate()
{
    using clock = std::chrono::steady_clock;
    double best = 1e9;
    steps_a_us = 1;
    for (int i = 0; i < 200; i++) {
        auto begin = clock::now();
        spin(20000);
        double us = std::chrono::duration<double, std::micro>(clock::now() - begin).count();
        best = us < best ? us : best;
    }
    std::printf("%.1f\n", 20000 / best);
    return 0;
}

static void loop(const std::vector<double> &us)
{
    tbb::parallel_for(tbb::blocked_range<size_t>(0, us.size(), 1),
                      [&](const tbb::blocked_range<size_t> &r) { spin(us[r.begin()]); },
                      tbb::simple_partitioner());
}

static void tree(int depth, double us)
{
    if (!depth) {
        spin(us);
        return;
    }
    tbb::task_group g;
    g.run([=] { tree(depth - 1, us); });
    tree(depth - 1, us);
    g.wait();
}

// Each node takes as long as a leaf: the longest path has DEPTH of them, and as many first spawns.
static void nodes(int depth, double us)
{
    spin(us);
    if (depth == 1)
        return;
    tbb::task_group g;
    g.run([=] { nodes(depth - 1, us); });
    g.run([=] { nodes(depth - 1, us); });
    g.wait();
}

// One strand after the other spawns all: the span has every spawn.
static void spawn_loop(size_t n, double us)
{
    tbb::task_group g;
    for (size_t i = 0; i < n; i++)
        g.run([=] { spin(us); });
    g.wait();
}

// Halves of halves, whose partitions cost as much as they have elements.
static void quicksort(double us)
{
    spin(us);
    if (us < 1)
        return;
    tbb::task_group g;
    g.run([=] { quicksort(us / 2); });
    quicksort(us / 2);
    g.wait();
}

static void once(const char *what, const std::vector<double> &us)
{
    if (!strcmp(what, "tree"))
        tree(10, 10);
    else if (!strcmp(what, "nodes"))
        nodes(12, 10);
    else if (!strcmp(what, "sort"))
        quicksort(2048);
    else if (!strcmp(what, "spawns"))
        spawn_loop(us.size(), 10);
    else
        loop(us);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return calibrate();
    steps_a_us = atof(argv[3]);
    tbb::global_control workers(tbb::global_control::max_allowed_parallelism, atoi(argv[1]));
    const char *what = argv[2];
    std::mt19937 random(1);
    std::vector<double> us(3000, 10);
    double sum = 0, most = 0;
    for (size_t i = 0; i < us.size(); i++) {
        double u = (random() + 1.0) / 4294967297.0;
        if (!strcmp(what, "uniform"))
            us[i] = 20 * u;
        else if (!strcmp(what, "exponential"))
            us[i] = -10 * std::log(u);
        else if (!strcmp(what, "modes"))
            us[i] = i % 8 ? 10 : 50;
        else if (!strcmp(what, "one"))
            us[i] = i == 1234 ? 5000 : 10;
        sum += us[i];
        most = us[i] > most ? us[i] : most;
    }
    double truth = sum / most;
    // The first round finds caches and memory cold. A task has each: main's strand is taken off.
    for (int round = 0; round < (argc > 4 ? atoi(argv[4]) : 10); round++) {
        tbb::task_group all;
        all.run([&] { once(what, us); });
        all.wait();
    }
    if (!strcmp(what, "tree"))
        truth = 1024;
    else if (!strcmp(what, "nodes"))
        truth = 4095.0 / 12;
    else if (!strcmp(what, "sort"))
        truth = 2048 * 13 / 4095.5;    // down to half a us
    std::printf("%.1f\n", truth);
}
