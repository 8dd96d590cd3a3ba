// callers.cpp - most of the critical path is in a function that is not the one to be changed: the
// loop around it is in its caller. The caller of that, main, has most of its samples elsewhere.
//   callers clear   it is memset, a function of libc, called by `clear`
//   callers total   it is `step`, called by `total`
#include <cstdio>
#include <cstring>
#include <vector>
#include <tbb/parallel_for.h>

__attribute__((noinline)) static void clear(std::vector<char> &to, int value)
{
    std::memset(to.data(), value, to.size());
    asm volatile("" ::"r"(to.data()) : "memory");
}

__attribute__((noinline)) static double step(double x)
{
    double sum = 0;
    for (int i = 0; i < 200; i++)
        sum += x / (i + sum + 1);
    return sum;
}

__attribute__((noinline)) static double total(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += step(i);
    return sum;
}

int main(int count, char **words)
{
    std::vector<char> room(1 << 20);
    volatile double sum = 0;
    if (count > 1 && !std::strcmp(words[1], "total"))
        sum = total(500000);
    else
        for (int i = 0; i < 8000; i++)
            clear(room, i);
    tbb::parallel_for(0, 64, [&](int) {
        double own = 0;
        for (int k = 1; k < 500000; k++)
            own += 1.0 / k;
        sum = own;
    }, tbb::simple_partitioner());
}
