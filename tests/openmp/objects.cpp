// Tasks that have objects of their own: their creator copies them, before the task is there, and
// the task destroys them, at its end. Under the virtual clock; the copy costs 2, the end of a copy
// 6. `objects CASE` runs it; `objects --expect CASE` prints work and span.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include "libprof.h"

namespace {

enum { N = 8 };

struct object {
    int value = 5;
    bool copied = false;
    object() = default;
    object(const object &o) : value(o.value), copied(true) { libprof_cost(2); }
    ~object() { if (copied) libprof_cost(6); }
};

struct ended {
    int cost;
    explicit ended(int c) : cost(c) {}
    ~ended() { libprof_cost(cost); }
};

int at;

#define EACH(...)                                                                               \
    for (int i = 0; i < N; i++) {                                                               \
        libprof_cost(1);                                                                        \
        _Pragma(__VA_ARGS__)                                                                    \
        libprof_cost(copy.value);                                                               \
    }

void task() { object copy; EACH("omp task firstprivate(copy)") }
void untied() { object copy; EACH("omp task untied firstprivate(copy)") }
void final_() { object copy; EACH("omp task final(i >= 0) firstprivate(copy)") }
void if0() { object copy; EACH("omp task if(0) firstprivate(copy)") }
void chain() { object copy; EACH("omp task depend(inout: at) firstprivate(copy)") }

void parts()
{
    object copy;
    for (int i = 0; i < N; i++) {
        libprof_cost(1);
#pragma omp task untied firstprivate(copy)
        {
            libprof_cost(copy.value);
#pragma omp task
            libprof_cost(3);
#pragma omp taskyield
            libprof_cost(1);
#pragma omp taskwait
            libprof_cost(4);
        }
    }
}

void throws()
{
    for (int i = 0; i < N; i++) {
        libprof_cost(1);
#pragma omp task
        try {
            ended e(6);
#pragma omp task
            libprof_cost(7);
#pragma omp taskwait
            throw std::runtime_error("a task's own");
        } catch (const std::exception &) {
            libprof_cost(2);
        }
    }
}

#define LOOP(...)                                                                               \
    {                                                                                           \
        object copy;                                                                            \
        _Pragma(__VA_ARGS__)                                                                    \
        for (int i = 0; i < N; i++)                                                             \
            libprof_cost(copy.value);                                                           \
    }
void loop() LOOP("omp taskloop grainsize(1) firstprivate(copy)")
void loop_loose() LOOP("omp taskloop grainsize(1) nogroup firstprivate(copy)")
void loop_if0() LOOP("omp taskloop grainsize(1) if(0) firstprivate(copy)")

#ifdef __clang__
enum { PATTERN = 1 };   // the tasks of a loop are copies of one that is never executed
#else
enum { PATTERN = 0 };
#endif

const struct {
    const char *name;
    void (*run)();
    long work, span;
} cases[] = {
    { "task", task, N * (1 + 2 + 5 + 6), N * (1 + 2) + 5 + 6 },
    { "untied", untied, N * (1 + 2 + 5 + 6), N * (1 + 2) + 5 + 6 },
    { "final", final_, N * (1 + 2 + 5 + 6), N * (1 + 2) + 5 + 6 },
    { "if0", if0, N * (1 + 2 + 5 + 6), N * (1 + 2 + 5 + 6) },
    { "chain", chain, N * (1 + 2 + 5 + 6), 1 + 2 + N * (5 + 6) },
    { "parts", parts, N * (1 + 2 + 5 + 3 + 1 + 4 + 6), N * (1 + 2) + 5 + 3 + 4 + 6 },
    { "throws", throws, N * (1 + 7 + 6 + 2), N + 7 + 6 + 2 },
    { "loop", loop, N * (2 + 5 + 6) + PATTERN * (2 + 6), (N + PATTERN) * 2 + 5 + 6 },
    { "loop_loose", loop_loose, N * (2 + 5 + 6) + PATTERN * (2 + 6), (N + PATTERN) * 2 + 5 + 6 },
    { "loop_if0", loop_if0, N * (2 + 5 + 6) + PATTERN * (2 + 6),
        N * (2 + 5 + 6) + PATTERN * (2 + 6) },
};

}

int main(int argc, char **argv)
{
    for (const auto &c : cases) {
        if (argc == 1) {
            puts(c.name);
        } else if (!std::strcmp(argv[argc - 1], c.name)) {
            if (argc == 3) {
                std::printf("[%ld,%ld,true,%ld]\n", c.work, c.span, c.span);
                return 0;
            }
            auto run = c.run;
#pragma omp parallel
#pragma omp single
            run();
        }
    }
    return 0;
}
