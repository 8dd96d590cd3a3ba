// soak.hpp - what the soak programs share: the mix that they run for SECONDS, their count of tasks,
// what else happens in a process that
// runs for long. The runtime's part: struct mix, of a namespace each.
//   PROGRAM SECONDS FILE [TASKS]   FILE gets "tasks N" ten times a second. It ends when both
//   SECONDS and, if given, TASKS have passed;
//                                  at the latest after four times SECONDS. The last line of its
//                                  output is "tasks N sum S ok".
#ifndef TESTS_SOAK_SOAK_HPP
#define TESTS_SOAK_SOAK_HPP

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

namespace soak {

// Each thread counts the tasks that it ran. A reader sums the counts.
constexpr int SLOTS = 64;
struct alignas(64) slot {
    std::atomic<uint64_t> tasks;
};
inline slot counts[SLOTS];
inline std::atomic<int> next_slot;
inline thread_local slot *mine;
inline void count(uint64_t n = 1)
{
    if (!mine)
        mine = &counts[next_slot.fetch_add(1, std::memory_order_relaxed) % SLOTS];
    mine->tasks.fetch_add(n, std::memory_order_relaxed);
}
inline uint64_t total()
{
    uint64_t n = 0;
    for (slot &s : counts)
        n += s.tasks.load(std::memory_order_relaxed);
    return n;
}

inline double now()
{
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
}

inline void fail(const char *what)
{
    std::fprintf(stderr, "soak: %s\n", what);
    std::_Exit(1);
}
inline void must_be(long got, long want, const char *what)
{
    if (got != want)
        fail(what);
}

// Writes the number of tasks so far, for a script that watches the program. The file has one line,
// which is whole at any moment.
class progress {
    int fd;
    double last = 0;

public:
    explicit progress(const char *file) : fd(open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                                                  0600)) {}
    void tell()
    {
        if (now() - last < 0.1)
            return;
        char line[32];
        int n = std::snprintf(line, sizeof line, "tasks %20lu\n", (unsigned long)total());
        if (pwrite(fd, line, n, 0) != n)
            fail("progress");
        last = now();
    }
};

// Threads that come and go: some joined, one that was created detached, and with SOAK_DETACH one
// that detaches itself, and one that its creator detaches.
inline std::atomic<int> detached;
inline void threads()
{
    pthread_t t[4];
    pthread_barrier_t all;      // the same number at once, every time
    pthread_barrier_init(&all, nullptr, 4);
    for (pthread_t &each : t)
        if (pthread_create(&each, nullptr, [](void *b) -> void * {
                count();
                pthread_barrier_wait((pthread_barrier_t *)b);
                return nullptr; }, &all))
            fail("pthread_create");
    for (pthread_t each : t)
        pthread_join(each, nullptr);
    pthread_barrier_destroy(&all);
    static const bool later = std::getenv("SOAK_DETACH");
    detached += later ? 3 : 1;
    pthread_t own;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&own, &attr, [](void *) -> void * { count(); detached--; return nullptr;
    }, nullptr))
        fail("pthread_create");
    pthread_attr_destroy(&attr);
    if (later && pthread_create(&own, nullptr,
                                [](void *) -> void * { pthread_detach(pthread_self()); count();
                                detached--; return nullptr; }, nullptr))
        fail("pthread_create");
    if (later && (pthread_create(&own, nullptr, [](void *) -> void * { count(); detached--;
    return nullptr; }, nullptr) || pthread_detach(own)))
        fail("pthread_detach");
    while (detached)
        usleep(50);
}

// A plug-in that is opened, spawns, and is closed.
inline void plugin(const char *file)
{
    void *h = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!h)
        fail(dlerror());
    auto run = (long (*)(int))dlsym(h, "soak_plugin");
    must_be(run(200), 200 * 199 / 2, "plugin");
    count(200);
    dlclose(h);
}

// A child that does something in the parent's place, and ends well.
inline void forked()
{
    pid_t child = fork();
    if (!child)
        _exit(7);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 7)
        fail("fork");
}

// MIX::round does some 10^5 tasks, and returns a sum that is the same each time.
template <class Mix> int run(int argc, char **argv, Mix &&mix)
{
    if (argc < 3)
        return 2;
    double start = now(), seconds = std::atof(argv[1]);
    uint64_t tasks = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0, rounds = 0;
    progress p(argv[2]);
    const char *file = std::getenv("SOAK_PLUGIN");
    long first = mix.round();
    for (;; rounds++) {
        double t = now() - start;
        if ((t >= seconds && total() >= tasks) || t >= 4 * seconds)
            break;
        must_be(mix.round(), first, "another sum than in the first round");
        threads();
        if (file && rounds % 8 == 0)
            plugin(file);
        if (rounds % 32 == 0)
            forked();
        p.tell();
    }
    std::printf("tasks %lu sum %ld ok\n", (unsigned long)total(), first);
    return 0;
}

} // namespace soak

#endif
