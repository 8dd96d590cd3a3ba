// callers.cpp - most of the critical path is in a function that is not the one to be changed: the
// loop around it is in its caller. The caller of that, main, has most of its samples elsewhere.
//   callers clear   it is memset, a function of libc, called by `clear`
//   callers total   it is `step`, called by `total`
//   callers twice   it is `step`, called by `twice` at two lines
//   callers halves  it is `step`, half of it called by `total`, half by `twice`
//   callers around  it is main's own and what main calls, then a long task that it spawns
//   callers jump    it is `read_part`, to which `start`, called by main, jumps
//   callers both    the same; more calls are in tasks, but few of these are on the critical path
//   callers phase   it is a serial phase: no function of it has most of it
//   callers turn    it is `step`, called by `output` in the ordered part of a loop
//   callers async   it is `step`, called by `total` in threads of std::async, one after another
//   callers beside  it is main's `clear`; two threads, started one by one, execute `total` beside
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

__attribute__((noinline)) static double twice(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += step(i + 1);
        sum -= step(i + 2);
    }
    return sum;
}

static volatile double sink;

#define PART(name, c)                                                                              \
    __attribute__((noinline)) static double name(int count)                                        \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (int i = 0; i < count; i++)                                                            \
            sum += c / (sum + i + 1);                                                              \
        return sum;                                                                                \
    }
PART(read_part, 1)
PART(sort_part, 2)
PART(join_part, 3)

__attribute__((noinline)) static double start(int count)
{
    return read_part(count + 1);        // at the end of a function, a jump that leaves no frame
}

__attribute__((noinline)) static double phase(int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += read_part(200 + i % 7) + sort_part(220 + i % 7) + join_part(200 + i % 7);
    return sum;
}

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
    if (mode == "around") {
        double own = 0;
        for (int i = 0; i < 100000; i++) {
            for (int k = 1; k < 200; k++)
                own += i / (k + own + 1);
            own += read_part(80 + i % 7) + sort_part(80 + i % 7);
        }
        sink = own;
        tbb::parallel_for(0, 2, [&](int i) { sink = total(60000 / (i + 1)); },
                          tbb::simple_partitioner());
        return 0;
    }
    if (mode == "jump")
        for (int i = 0; i < 20; i++)
            sink = start(10000000);
    else if (mode == "halves")
        sink = total(250000) + twice(125000);
    else if (mode == "total" || mode == "both")
        sink = total(500000);
    else if (mode == "phase")
        sink = phase(160000);
    else if (mode == "twice")
        sink = twice(250000);
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
