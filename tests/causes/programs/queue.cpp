// cause: wait place=push,pop
// A producer and a consumer with a queue of four: each waits for the other in turns.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex door;
static std::condition_variable room, some;
static std::queue<double> items;

__attribute__((noinline)) static void push(double x) {
    std::unique_lock<std::mutex> hold(door);
    room.wait(hold, [] { return items.size() < 4; });
    items.push(x);
    some.notify_one();
}

__attribute__((noinline)) static double pop() {
    std::unique_lock<std::mutex> hold(door);
    some.wait(hold, [] { return !items.empty(); });
    double x = items.front();
    items.pop();
    room.notify_one();
    return x;
}

static double compute(double x, int steps) {
    for (int k = 0; k < steps; k++)
        x = std::sqrt(x + k);
    return x;
}

int main() {
    const int n = 8000;
    double sum = 0;
    // In turns, one of the two is the slower one for a hundred items.
    std::thread producer([] {
        for (int i = 0; i < n; i++)
            push(compute(i, i / 100 % 2 ? 30000 : 3000));
    });
    std::thread consumer([&] {
        for (int i = 0; i < n; i++)
            sum += compute(pop(), i / 100 % 2 ? 3000 : 30000);
    });
    producer.join();
    consumer.join();
    std::printf("%.6g\n", sum);
}
