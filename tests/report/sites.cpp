// sites.cpp - prints its own return addresses and load map in the form that gen_profile `sites`
// takes. run.sh profiles it and looks for the lines marked SITE.
#include <algorithm>
#include <cstdio>
#include "oneapi/tbb/fake.h"

extern "C" __attribute__((noinline)) void record(const char *name, const void *caller)
{
    std::printf(" %s=%p", name, __builtin_return_address(0));
    if (caller)
        std::printf(",%p", caller);
}

static volatile bool yes = true;
static tbb::task_group group;

__attribute__((noinline)) void direct()
{
    group.run("direct", [] { return yes; }); // SITE direct
    asm volatile("");
}

__attribute__((noinline)) void outlined()
{
    group.run_outlined("outlined", [] { return !yes; }); // SITE outlined
    asm volatile("");
}

// The lambda is inlined into std::for_each, and that into the function.
__attribute__((noinline)) void standard(int *begin, int *end)
{
    std::for_each(begin, end, [](int) {
        group.run("standard", [] { return yes; }); // SITE standard
        asm volatile("");
    });
}

// The spawn is in a helper that the compiler inlines: the helper's line is the site.
static inline __attribute__((always_inline)) void helper()
{
    group.run("helper", [] { return yes; }); // SITE helper
}

namespace {
struct Matrix {
    __attribute__((noinline)) void multiply(int) const
    {
        helper();
        asm volatile("");
    }
};
}

// Two calls of one line: one row, or with --raw two.
__attribute__((noinline)) void twice()
{
    group.run("twice", [] { return yes; }), group.run("twice", [] { return yes; }); // SITE twice
    asm volatile("");
}

template <typename T, typename U> __attribute__((noinline)) T templated(U u)
{
    auto body = [&](int) {
        group.run("templated", [] { return yes; }); // SITE templated
        asm volatile("");
        return u;
    };
    return (T)body(1);
}

int main(int, char **argv)
{
    int one[1] = {};
    print_map(argv[0]);
    direct();
    outlined();
    standard(one, one + 1);
    Matrix().multiply(1);
    twice();
    templated<long, const char *>("");
    tbb::detail::d1::internal("internal");
    std::puts("");
}
