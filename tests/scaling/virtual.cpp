// virtual.cpp - programs whose every cost is declared (PROF_CLOCK=virtual), so that what prof bench
// must find has a closed form.
//     virtual CAUSE P COPIES
// GROUPS tasks after a serial part. The memory is that of section 4 of Acar, Chargueraud and
// Rainey: a cell costs LOAD + MEMORY * max(1, workers of all copies / 2). So the bandwidth is
// enough for two workers.
#include <cstdlib>
#include <cstring>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include "libprof.h"

enum { GROUPS = 840, LOAD = 1000, MEMORY = 3000, BANDWIDTH = 2, SERIAL = 500000, TASKING = 400 };

// noinline: its line is where the work grew
__attribute__((noinline)) static void sweep(long cost)
{
    libprof_cost(cost);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const char *cause = argv[1];
    long p = std::atol(argv[2]), workers = p * std::atol(argv[3]), serial = 0, cost = LOAD;
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, p);
    if (!std::strcmp(cause, "memory") || !std::strcmp(cause, "all"))
        cost += MEMORY * (workers > BANDWIDTH ? workers : BANDWIDTH) / BANDWIDTH;
    if (!std::strcmp(cause, "sharing"))         // a line that goes around
        cost += MEMORY * p * p;
    if (!std::strcmp(cause, "serial") || !std::strcmp(cause, "all"))
        serial = SERIAL;
    if (!std::strcmp(cause, "tasking") || !std::strcmp(cause, "all"))
        cost += TASKING;
    libprof_cost(serial);
    // of all, of tasking
    if (!std::strcmp(cause, "baseline") || !std::strcmp(cause, "elision")) {
        libprof_cost(*cause == 'b' ? SERIAL + GROUPS * (LOAD + MEMORY) : GROUPS * LOAD);
        return 0;
    }
    tbb::parallel_for(0, +GROUPS, [=](int) { sweep(cost); }, tbb::simple_partitioner());
}
