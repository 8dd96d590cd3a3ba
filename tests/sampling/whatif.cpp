// whatif.cpp MODE - what the span would be if functions cost less, with known answers: costs are
// CPU time, in functions that nobody named but the compiler.
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_group.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

static long ns()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

static volatile unsigned sink;

static inline __attribute__((always_inline)) void burn(long us)
{
    for (long end = ns() + us * 1000; ns() < end;)
        for (int i = 0; i < 500; i++)
            sink = sink + i;
}

__attribute__((noinline)) void first(long us) { burn(us); sink = 1; }
__attribute__((noinline)) void second(long us) { burn(us); sink = 2; }
__attribute__((noinline)) void aside(long us) { burn(us); sink = 7; }
// Has no frame of its own, and calls what has none.
static inline __attribute__((always_inline)) void inlined(long us) { burn(us); }

// 2400 strands of about 1 ms, shorter than the time between two samples: a quarter of each in one
// function. All of different lengths, or the timer might be in step with them.
static void small()
{
    unsigned seed = 1;
    for (int round = 0; round < 800; round++) {
        seed = seed * 1664525 + 1013904223;
        long us = 100 + (seed >> 16) % 300;
        tbb::task_group g;
        for (int i = 0; i < 3; i++)
            g.run([us] { first(us); second(3 * us); });
        g.wait();
    }
}

// One strand has parts of two kinds, each shorter than the time between two samples: before a
// spawn, and beside the spawned task. The latter are never on the critical path, because that task
// costs more.
static void kinds()
{
    unsigned seed = 7;
    for (int round = 0; round < 400; round++) {
        seed = seed * 1664525 + 1013904223;
        long us = 300 + (seed >> 16) % 400;
        tbb::task_group g;
        first(us);
        g.run([us] { second(3 * us); });
        aside(2 * us);
        g.wait();
    }
}

// Two strands of one context: all of the first is in one function, all of the second in the other.
// Their mean would be wrong for both.
static void unlike()
{
    tbb::task_group g;
    for (int i = 0; i < 2; i++)
        g.run([i] { i ? first(500000) : second(500000); });
    g.wait();
}

static void inside()
{
    tbb::task_group g;
    g.run([] { inlined(300000); second(200000); });
    g.wait();
}

// What is spawned below a function is inside of it.
__attribute__((noinline)) static void spawner()
{
    tbb::task_group g;
    for (int i = 0; i < 2; i++)
        g.run([] { second(200000); });
    g.wait();
    sink = 3;
}

// Two lambdas of one function, over several lines: the first costs three times as much.
static void lambdas()
{
    tbb::task_group g;
    g.run([] { // FIRST
        burn(300000);
        sink = 5;
    });
    g.wait();
    g.run([] { // SECOND
        burn(100000);
        sink = 6;
    });
    g.wait();
}

// 150 items, each 1 ms in a parallel filter and 3 ms in a serial one. All filters have one context,
// whose mean would be wrong for both.
static void filters()
{
    int n = 0;
    tbb::parallel_pipeline(
        8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                       [&](tbb::flow_control &c) {
                                           if (n == 150)
                                               c.stop();
                                           return n++;
                                       }) &
               tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                          [](int i) {
                                              first(1000);
                                              return i;
                                          }) &
               tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                           [](int) { second(3000); }));
}

// 100 items, 1 ms in each of two serial filters and 3 ms in a parallel one between them: the path
// runs through the one serial filter as well as through the other: only both together shorten it.
static void tied()
{
    int n = 0;
    tbb::parallel_pipeline(
        8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                       [&](tbb::flow_control &c) {
                                           if (n == 100) {
                                               c.stop();
                                               return 0;
                                           }
                                           first(1000);
                                           return n++;
                                       }) &
               tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                          [](int i) {
                                              aside(3000);
                                              return i;
                                          }) &
               tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                           [](int) { second(1000); }));
}

// 300 rounds of two tasks of one spawn site, one in each function: their parts are alike.
static void mixed()
{
    for (int round = 0; round < 300; round++) {
        tbb::task_group g;
        for (int i = 0; i < 2; i++)
            g.run([i] { i ? first(1500) : second(500); });
        g.wait();
    }
}

// Serial: three quarters in one function.
__attribute__((noinline)) static void serial()
{
    first(600000);
    second(200000);
    sink = 8;
}

// No clock is read here: all of it is its caller's own.
static inline __attribute__((always_inline)) void spin(long units)
{
    volatile unsigned mine = 0;         // not shared
    for (long i = 0; i < units * 100000000; i++)
        mine = mine + i;
}
__attribute__((noinline)) void call(long units) { spin(units); sink = 4; }

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!std::strcmp(mode, "small"))
        small();
    else if (!std::strcmp(mode, "kinds"))
        kinds();
    else if (!std::strcmp(mode, "unlike"))
        unlike();
    else if (!std::strcmp(mode, "inlined"))
        inside();
    else if (!std::strcmp(mode, "lambdas"))
        lambdas();
    else if (!std::strcmp(mode, "filters"))
        filters();
    else if (!std::strcmp(mode, "tied"))
        tied();
    else if (!std::strcmp(mode, "mixed"))
        mixed();
    else if (!std::strcmp(mode, "serial"))
        serial();
    else if (!std::strcmp(mode, "spawner")) {
        spawner();
        second(200000);
    } else if (!std::strcmp(mode, "own")) {
        long start = ns(), longest[2], end;
        spin(3);                        // main's own
        std::printf("own %ld\n", ns() - start);
        tbb::task_group g;
        for (int i = 0; i < 2; i++)
            g.run([i, &longest] {
                long from = ns();
                call(2);
                longest[i] = ns() - from;
            });
        g.wait();
        end = ns();
        call(1);                        // not main's own
        std::printf("call %ld\n", ns() - end + std::max(longest[0], longest[1]));
    } else
        return 2;
}
