// clears.cpp - most of the critical path is memset, a function of libc, called by `clear`. The
// caller of that, main, has most of its samples elsewhere.
#include <cstring>
#include <vector>
#include <tbb/parallel_for.h>

__attribute__((noinline)) static void clear(std::vector<char> &to, int value)
{
    std::memset(to.data(), value, to.size());
    asm volatile("" ::"r"(to.data()) : "memory");
}

int main()
{
    std::vector<char> room(1 << 20);
    volatile double sum = 0;
    for (int i = 0; i < 8000; i++)
        clear(room, i);
    tbb::parallel_for(0, 64, [&](int) {
        double own = 0;
        for (int k = 1; k < 500000; k++)
            own += 1.0 / k;
        sum = own;
    }, tbb::simple_partitioner());
}
