// loop_plugin.cpp - a plug-in that uses TBB in a program that does not.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include "libprof.h"

extern "C" void plugin_run(long n)
{
    tbb::parallel_for(tbb::blocked_range<long>(0, n, 1),
                      [](const tbb::blocked_range<long> &) { libprof_cost(5); },
                      tbb::simple_partitioner());
}
