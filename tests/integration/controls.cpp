// controls.cpp - the number of threads that may work changes while the program runs. In the first
// wait there is a single worker. No other thread ever works in it, so no thread's start shows the
// change.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include "libprof.h"

static void loop()
{
    tbb::parallel_for(0, 16, [](int) { libprof_cost(1); }, tbb::simple_partitioner());
}

int main()
{
    using control = tbb::global_control;
    {
        control one(control::max_allowed_parallelism, 1);
        loop();
    }
    loop();                     // as many as there are CPUs
    {
        control four(control::max_allowed_parallelism, 4);
        loop();
        control three(control::max_allowed_parallelism, 3);
        loop();
    }
    loop();
}
