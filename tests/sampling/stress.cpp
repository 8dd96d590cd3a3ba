// stress.cpp SECONDS LIBRARY - everything at once that a sampler could meet at a bad moment:
// loading and unloading, exceptions, the loader's lock, malloc, fork and exec, threads, tasks.
// Prints how many system calls failed with EINTR.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <semaphore.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<bool> stop;
static std::atomic<long> interrupted, done;

static __attribute__((noinline)) void thrower(int depth)
{
    volatile char here[64];
    here[0] = depth;
    if (!depth)
        throw std::runtime_error("as meant");
    thrower(depth - 1);
    here[1] = here[0];
}

static void loads(const char *library)
{
    if (void *h = dlopen(library, RTLD_NOW))
        dlclose(h);
}

static void throws()
{
    try {
        thrower(20);
    } catch (const std::exception &) {
        done++;
    }
}

static void loops()
{
    tbb::parallel_for(0, 1000, [](int i) {
        volatile double x = i;
        for (int k = 0; k < 50; k++)
            x = x * 1.0001;
        if (i == 500)
            throws();
    });
}

static void walks_objects()
{
    dl_iterate_phdr([](dl_phdr_info *, size_t, void *) { return 0; }, nullptr);
    std::free(std::malloc(100 + done % 1000));
}

static void forks()
{
    pid_t child = fork();
    if (!child) {
        execl("/bin/true", "true", nullptr);
        _exit(1);
    }
    int status = 0;
    if (child > 0 && (waitpid(child, &status, 0) != child || status))
        std::fprintf(stderr, "child: status %d\n", status), std::abort();
}

static void threads()
{
    std::thread([] {
        tbb::task_group g;
        g.run([] { done++; });
        g.wait();
    }).join();
}

static void waits()
{
    timespec nap = { 0, 1000000 };
    pollfd none = { -1, 0, 0 };
    sem_t s;
    sem_init(&s, 0, 0);
    for (volatile int i = 0; i < 100000; i = i + 1)
        ;
    interrupted += nanosleep(&nap, nullptr) && errno == EINTR;
    interrupted += poll(&none, 1, 1) < 0 && errno == EINTR;
    timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = (soon.tv_nsec + 1000000) % 1000000000;
    interrupted += sem_timedwait(&s, &soon) && errno == EINTR;
    int ends[2];
    if (!pipe(ends)) {
        char c = 0;
        std::thread writer([&] {
            timespec t = { 0, 500000 };
            nanosleep(&t, nullptr);
            (void)!write(ends[1], "x", 1);
        });
        interrupted += read(ends[0], &c, 1) < 0 && errno == EINTR;
        writer.join();
        close(ends[0]);
        close(ends[1]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    std::vector<std::thread> all;
    all.emplace_back([&] { while (!stop) loads(argv[2]); });
    for (void (*f)() : { throws, loops, walks_objects, forks, threads, waits })
        all.emplace_back([f] { while (!stop) f(); });
    for (int i = 0; i < std::atoi(argv[1]) * 10; i++)
        usleep(100000);
    stop = true;
    for (auto &t : all)
        t.join();
    std::printf("interrupted %ld\n", interrupted.load());
}
