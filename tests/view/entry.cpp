// entry.cpp - work in main and in a function that std::async calls: no start of the C library, and
// nothing of the C++ library, stands before either in the call paths.
#include <future>

static volatile double sink;

__attribute__((noinline)) static double spin(int rounds)
{
    double sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += sink * i;
    return sum;
}

__attribute__((noinline)) static double in_thread(int rounds)
{
    return spin(rounds) + 1;
}

int main()
{
    auto other = std::async(std::launch::async, in_thread, 100 * 1000 * 1000);
    double sum = spin(100 * 1000 * 1000);
    sink = sum + other.get();
}
