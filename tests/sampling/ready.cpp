// ready.cpp MODE - tasks that wait for a worker, on two threads: oneTBB's, or with -fopenmp
// OpenMP's. Prints when the first of them was spawned, and when each of them began: NAME NS, from
// the program's start on.
//   queue    one thread spawns TASKS tasks; both execute them
//   chain    the same; each but the first has to wait for the one before it (OpenMP)
//   loop     no tasks but a loop's (OpenMP: static)
//   busy     tasks that their creator executes at once, one after the other
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#ifndef _OPENMP
#include <tbb/global_control.h>
#include <tbb/task_group.h>
#endif

enum { TASKS = 90, TASK_MS = 8 };

static uint64_t now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t start = now(), first, began[TASKS];
static std::atomic<int> count;

static void burn(int ms)
{
    for (uint64_t from = now(); now() - from < ms * 1000000ull;)
        ;
}

static void work()
{
    began[count++] = now() - start;
    burn(TASK_MS);
}

// Neither thread has a task for some bins.
static void nothing()
{
    burn(60);
}

#ifdef _OPENMP
static void spawn_all(bool chain)
{
    int link = 0;
    (void)link;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        nothing();
        first = now() - start;
        for (int i = 0; i < TASKS; i++)
            if (chain) {
#pragma omp task depend(inout : link)
                work();
            } else {
#pragma omp task
                work();
            }
    }
}

static void loop()
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < TASKS; i++)
        work();
}

static void busy()
{
#pragma omp parallel num_threads(1)
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        work();
#pragma omp taskwait
    }
}
#else
static void spawn_all(bool)
{
    tbb::task_group group;
    nothing();
    first = now() - start;
    for (int i = 0; i < TASKS; i++)
        group.run(work);
    group.wait();
}

static void loop()
{
}

static void busy()
{
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    tbb::task_group group;
    for (int i = 0; i < TASKS; i++) {
        group.run(work);
        group.wait();
    }
}
#endif

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "queue";
#ifndef _OPENMP
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
#endif
    if (!strcmp(mode, "loop"))
        loop();
    else if (!strcmp(mode, "busy"))
        busy();
    else
        spawn_all(!strcmp(mode, "chain"));
    nothing();
    printf("first %llu\n", (unsigned long long)first);
    for (int i = 0; i < count; i++)
        printf("began %llu\n", (unsigned long long)began[i]);
}
