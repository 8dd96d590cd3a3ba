// blocked.cpp - a program that waits for its input while a worker idles: reads a pipe that is slow,
// computes alone, then in parallel. Prints what the first two took, in ns on the wall.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <cstdio>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline)) static

static long now(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

KEPT void burn(long ms)
{
    for (long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;
         now(CLOCK_THREAD_CPUTIME_ID) < end;)
        for (int i = 0; i < 10000; i++)
            __asm__ volatile("");
}

KEPT long load(int fd)
{
    char byte;
    long n = 0;
    while (read(fd, &byte, 1) == 1)
        n++;
    __asm__ volatile("");
    return n;
}

KEPT void compute()
{
    burn(100);
    __asm__ volatile("");
}

int main()
{
    tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    long loaded = 0, computed = 0;
    auto together = [] {
        tbb::parallel_for(
            0, 20, [](int) { burn(5); }, tbb::simple_partitioner());
    };
    together();
    for (int round = 0; round < 3; round++) {
        int ends[2];
        if (pipe(ends))
            return 1;
        if (!fork()) {
            for (int i = 0; i < 3; i++) {
                usleep(100000);
                if (write(ends[1], "x", 1) != 1)
                    _exit(1);
            }
            _exit(0);
        }
        close(ends[1]);
        long start = now(CLOCK_MONOTONIC);
        if (load(ends[0]) != 3)
            return 2;
        loaded += now(CLOCK_MONOTONIC) - start;
        close(ends[0]);
        wait(nullptr);
        start = now(CLOCK_MONOTONIC);
        compute();
        computed += now(CLOCK_MONOTONIC) - start;
        together();
    }
    std::printf("%ld %ld\n", loaded, computed);
    return 0;
}
