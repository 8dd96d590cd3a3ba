// family.cpp - programs of several processes, about which libprof prints each problem once. Linked
// with libtbb, which they do not use.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <tbb/task_arena.h>
#include <thread>
#include <unistd.h>

template <typename F> static void child(F f)
{
    std::fflush(stdout);
    if (!fork()) {
        f();
        std::exit(0);
    }
}

static void wait_for_all()
{
    while (wait(nullptr) > 0)
        ;
}

int main(int argc, char **argv)
{
    const std::string how = argc > 1 ? argv[1] : "";
    const std::string self = argv[0], nothing = self + " nothing; :";
    if (tbb::this_task_arena::max_concurrency() < 1)
        return 9;
    // forked, started by the program, and by a shell that the program starts
    if (how == "idle")
        for (int i = 0; i < 4; i++) {
            child([] {});
            child([&] { execl(argv[0], argv[0], "nothing", nullptr); });
            child([&] { execl("/bin/sh", "sh", "-c", nothing.c_str(), nullptr); });
        }
    if (how == "child")
        child([] { std::thread([] {}).join(); });
    // each has a profile, so each would print what is wrong; some are forked by others
    if (how == "busy") {
        for (int i = 0; i < 4; i++)
            child([] {
                std::thread([] {}).join();
                child([] { std::thread([] {}).join(); });
                wait_for_all();
            });
        wait_for_all();
        std::thread([] {}).join();
    }
    wait_for_all();
    std::puts("end");
    return 0;
}
