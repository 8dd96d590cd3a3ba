// load.cpp - 350 equal steps in a parallel_for. The fault: loading comes before them, serially.
#include <tbb/parallel_for.h>
#include "burn.h"

static __attribute__((noinline)) void load()
{
    burnt += burn(150000);     // fault
}

static __attribute__((noinline)) void step(int)
{
    burnt += burn(1000);
}

int main()
{
    load();
    tbb::parallel_for(0, 350, step, tbb::simple_partitioner());
}
