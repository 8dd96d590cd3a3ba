// tokens.cpp - a pipeline of 300 items, with a parallel filter. The fault: it has one token.
#include <tbb/parallel_pipeline.h>
#include "burn.h"

static __attribute__((noinline)) int compute(int item)
{
    burnt += burn(1500);
    return item;
}

int main()
{
    int left = 300;
    auto read = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                            [&](tbb::flow_control &control) {
        if (!left)
            control.stop();
        return left ? left-- : 0;
    });
    auto work = tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                           [](int item) { return compute(item); });
    auto done = tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) {});
    tbb::parallel_pipeline(1, read & work & done);     // fault
}
