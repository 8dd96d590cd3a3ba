// elements.cpp - as sites.cpp, but its addresses are in code of a runtime's headers: work_* move or
// compare elements, overhead_* make tasks. elements.sh checks what prof charges each to.
#include <cstdio>
#include <vector>
#include "oneapi/tbb/fake_sort.h"

extern "C" __attribute__((noinline)) void record(const char *name, const void *caller)
{
    std::printf(" %s=%p", name, __builtin_return_address(0));
    if (caller)
        std::printf(",%p", caller);
}

struct Probe {};
namespace std {
template <> class vector<Probe> {
public:
    [[gnu::always_inline]] ~vector() { record("vector", nullptr); }
};
template <> struct plus<Probe> {
    [[gnu::always_inline]] int operator()(const Probe &, const Probe &) const
    {
        record("plus", nullptr);
        return 0;
    }
};
}

using range = tbb::detail::d1::quick_sort_range<int *, std::less<int>>;
using loop = tbb::detail::d1::start_for<range>;

__attribute__((noinline)) void work_partition()
{
    loop().split("partition");
    asm volatile("");
}

__attribute__((noinline)) void work_plus()
{
    loop().add(std::plus<Probe>(), Probe());
    asm volatile("");
}

// A runtime's header ends each thread's copy of what the program has filled.
__attribute__((noinline)) void work_vector()
{
    loop().end<std::vector<Probe>>();
    asm volatile("");
}

__attribute__((noinline)) void work_brick()
{
    loop().walk("brick");
    asm volatile("");
}

// A task of a range of elements is still a task.
__attribute__((noinline)) void overhead_offer()
{
    loop().offer_work("offer");
    asm volatile("");
}

// What partition makes a task of is the runtime's.
__attribute__((noinline)) void overhead_below()
{
    loop().split_and_offer("below");
    asm volatile("");
}

int main(int, char **argv)
{
    print_map(argv[0]);
    work_partition();
    work_plus();
    work_vector();
    work_brick();
    overhead_offer();
    overhead_below();
    std::puts("");
}
