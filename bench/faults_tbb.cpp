// faults_tbb.cpp - tasks are enqueued in an arena, and suspend themselves; a thread resumes them.
// It ends with "done", or, if nothing happens for 4 s, with status 9.
//   faults_tbb THREADS RESERVED ROUNDS    of the arena: its slots, and how many are for the program
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace tbb = oneapi::tbb;

static std::atomic<long> steps;

static void watch(int)
{
    static long before = -1;
    if (before == steps)
        _exit(9);
    before = steps;
    alarm(4);
}

int main(int argc, char **argv)
{
    enum { TASKS = 10 };
    if (argc < 4)
        return 2;
    std::signal(SIGALRM, watch);
    alarm(4);
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    std::mutex mutex;
    std::condition_variable more;
    std::deque<tbb::task::suspend_point> asleep;
    bool over = false;
    std::thread resumer([&] {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            more.wait(lock, [&] { return over || !asleep.empty(); });
            if (asleep.empty())
                return;
            auto point = asleep.front();
            asleep.pop_front();
            lock.unlock();
            tbb::task::resume(point);
        }
    });
    for (int r = 0; r < atoi(argv[3]); r++) {
        tbb::task_arena arena(atoi(argv[1]), atoi(argv[2]));
        std::atomic<int> done{ 0 };
        for (int i = 0; i < TASKS; i++)
            arena.enqueue([&] {
                tbb::task::suspend([&](tbb::task::suspend_point point) {
                    std::lock_guard<std::mutex> lock(mutex);
                    asleep.push_back(point);
                    more.notify_one();
                });
                steps++;
                done++;
            });
        while (done < TASKS)
            std::this_thread::yield();
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        over = true;
        more.notify_one();
    }
    resumer.join();
    std::puts("done");
}
