// waiters.cpp - several threads spawn into one task_group, and all of them wait for it at the same
// time. The scopes that one waiter joins and frees are in the lists that the others walk.
#include <atomic>
#include <cstdio>
#include <tbb/task_group.h>
#include <thread>
#include <vector>

int main()
{
    const int threads = 4, rounds = 1000;
    std::atomic<long> tasks{0};
    for (int k = 0; k < rounds; k++) {
        tbb::task_group *group = new tbb::task_group;
        std::atomic<int> spawned{0}, go{0}, waited{0};
        auto body = [&](int id) {
            tbb::task_group own;
            own.run_and_wait([&, id] {
                while (id && !go)
                    std::this_thread::yield();
                for (int i = 0; i < 20; i++) {
                    group->run([&] { tasks++; });
                    go = 1;
                }
                spawned++;
                while (spawned < threads)
                    std::this_thread::yield();
                group->wait();
                if (++waited == threads)
                    delete group;
            });
        };
        std::vector<std::thread> all;
        for (int i = 0; i < threads; i++)
            all.emplace_back(body, i);
        for (std::thread &t : all)
            t.join();
    }
    std::printf("%ld tasks\n", tasks.load());
}
