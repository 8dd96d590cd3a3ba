// callers.cpp - most of the critical path is in a function that is not the one to be changed: the
// loop around it is in its caller. The caller of that, main, has most of its samples elsewhere.
//   callers clear   it is memset, a function of libc, called by `clear`
//   callers total   it is `step`, called by `total`
//   callers both    the same; more calls are in tasks, but few of these are on the critical path
//   callers turn    it is `step`, called by `output` in the ordered part of a loop
//   callers async   it is `step`, called by `total` in threads of std::async, one after another
//   callers beside  it is `clear` in main; two threads, started one by one, execute `total`
#include <cstdio>
#include <cstring>
#include <future>
#include <string>
#include <thread>
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

static volatile double sink;

__attribute__((noinline)) static void output(int i)
{
    sink = total(2000) + i;
}

__attribute__((noinline)) static void render(int i)
{
    sink = total(500) + i;
}

static void turn()
{
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 200; i++) {
        render(i);
#pragma omp ordered
        output(i);
    }
}

int main(int count, char **words)
{
    const std::string mode = count > 1 ? words[1] : "";
    std::vector<char> room(1 << 20);
    if (mode == "turn")
        return turn(), 0;
    if (mode == "async") {
        for (int i = 0; i < 40; i++)
            std::async(std::launch::async, total, 20000).get();
        return 0;
    }
    if (mode == "beside") {
        std::thread one(total, 100000), other(total, 100000);
        for (int i = 0; i < 8000; i++)
            clear(room, i);
        one.join();
        other.join();
        return 0;
    }
    if (mode == "total" || mode == "both")
        sink = total(500000);
    else
        for (int i = 0; i < 8000; i++)
            clear(room, i);
    tbb::parallel_for(0, 64, [&](int) {
        double own = 0;
        if (mode == "both")
            own = total(12000);
        for (int k = 1; k < 500000 && mode != "both"; k++)
            own += 1.0 / k;
        sink = own;
    }, tbb::simple_partitioner());
}
