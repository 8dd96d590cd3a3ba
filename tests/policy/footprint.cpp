/* footprint.cpp - "grown N": KB that the address space grew by while N threads that have each
 * waited for tasks of theirs are alive. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include <pthread.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

static long size()
{
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmSize:", 7))
            kb = atol(line + 7);
    if (f)
        fclose(f);
    return kb;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_barrier_t made, measured;
    pthread_barrier_init(&made, nullptr, n + 1);
    pthread_barrier_init(&measured, nullptr, n + 1);
    long before = size();
    std::vector<std::thread> threads;
    for (int i = 0; i < n; i++)
        threads.emplace_back([&] {
            tbb::task_group g;
            for (int k = 0; k < 20; k++)
                g.run([] {});
            g.wait();
            pthread_barrier_wait(&made);
            pthread_barrier_wait(&measured);
        });
    pthread_barrier_wait(&made);
    printf("grown %ld\n", size() - before);
    pthread_barrier_wait(&measured);
    for (auto &t : threads)
        t.join();
}
