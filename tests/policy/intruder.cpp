// intruder.cpp - what a preload could do to a program unseen. Prints what it finds; the same
// without.
//   descriptors   closes all descriptors, opens files of its own, spawns from places never seen
//   signal        its stderr is a file at its size limit
//   running       ends while a thread is in the middle of SECONDS of work
#include <alloca.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <tbb/task_group.h>
#include <thread>
#include <time.h>
#include <unistd.h>

template <int N> __attribute__((noinline)) static void spawn(int pages)
{
    volatile char *p = (char *)alloca(pages * 4096);
    for (int i = 0; i < pages * 4096; i += 512)
        p[i] = N;
    tbb::task_group g;
    g.run([] { asm volatile(""); });
    g.wait();
    asm volatile("" : : "r"(p) : "memory");
}

static int descriptors()
{
    spawn<1>(1);
    for (int i = 3; i < 100; i++)
        close(i);
    int in = open("in", O_RDWR | O_CREAT | O_TRUNC, 0600),
        out = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(in, "abcdefgh", 8) != 8)
        return 1;
    lseek(in, 0, SEEK_SET);
    spawn<2>(5), spawn<3>(9), spawn<4>(20);
    std::printf("in %d at %ld, out %d of %ld bytes\n", in, (long)lseek(in, 0, SEEK_CUR), out,
                (long)lseek(out, 0, SEEK_END));
    return 0;
}

static double cpu(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!std::strcmp(how, "descriptors"))
        return descriptors();
    if (!std::strcmp(how, "signal")) {
        rlimit none = { 0, 0 };
        setrlimit(RLIMIT_FSIZE, &none);
        std::thread([] {}).join();
        return 5;
    }
    if (!std::strcmp(how, "running")) {
        std::thread([] {
            for (;;)
                asm volatile("");
        }).detach();
        while (cpu(CLOCK_PROCESS_CPUTIME_ID) < 0.3)
            usleep(1000);
        return 0;
    }
    return 2;
}
