/* threads.cpp - programs of std::thread, for standstill.sh. C++20.
 *
 *     threads barrier     two threads that meet at a std::barrier 300 times. What its completion
 *                         does, one of them does while the other waits. libstdc++'s barrier yields
 *                         before it sleeps
 *     threads locks       two threads compute in one function, inside a lock
 *     threads lambdas     two threads, each with a lambda of main, that sleep: the first far longer
 */
#include <barrier>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include "spin.h"

static void barrier()
{
    std::barrier meet(2, []() noexcept { spin(300); });
    auto part = [&] {
        for (int i = 0; i < 300; i++) {
            spin(400);
            meet.arrive_and_wait();
        }
    };
    std::thread a(part), b(part);
    a.join();
    b.join();
}

static std::mutex lock;

__attribute__((noinline)) static void add()
{
    for (int i = 0; i < 100; i++) {
        std::lock_guard<std::mutex> guard(lock);        /* the lock */
        for (int k = 0; k < 20; k++)
            spin(200);
    }
}

int main(int argc, char **argv)
{
    calibrate();
    if (argc > 1 && !strcmp(argv[1], "locks")) {
        std::thread a(add), b(add);
        a.join();
        b.join();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "barrier")) {
        barrier();
    } else {
        using namespace std::chrono_literals;
        std::thread a([] { /* the longer one */
                           for (int i = 0; i < 5; i++)
                               std::this_thread::sleep_for(100ms);
        });
        std::thread b([] {
            std::this_thread::sleep_for(60ms);
            spin(10000);
        });
        a.join();
        b.join();
    }
}
