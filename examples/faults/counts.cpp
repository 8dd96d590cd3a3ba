// counts.cpp - 400 items in a parallel_for. The fault: a lock is held for most of each.
#include <mutex>
#include <tbb/parallel_for.h>
#include "burn.h"

static std::mutex lock;

static __attribute__((noinline)) void update(int)
{
    std::lock_guard<std::mutex> held(lock);     // fault
    burnt += burn(700);
}

static __attribute__((noinline)) void item(int i)
{
    burnt += burn(300);
    update(i);
}

int main()
{
    tbb::parallel_for(0, 400, item, tbb::simple_partitioner());
}
