// resubmit.cpp - one task object in the runtime's hands several times at once, by oneTBB's internal
// interface.
//   crowd N    four threads submit one object N times each; it submits itself again every other
//   time
//   spawn N    as many threads as there are spawn one object in a parallel_for, N times, and run
//   others meanwhile
//   throw N    its execute() throws: the runtime cancels the same object, N times
//   queued N   submitted twice by one thread, before it runs: N times
// Prints how often it ran, which is as often as it was handed over.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <typeinfo>
#include <vector>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

using namespace tbb::detail;

struct counted : d1::task {
    d1::wait_context &wait;
    std::atomic<long> ran{0};
    explicit counted(d1::wait_context &w) : wait(w) {}
    d1::task *done()
    {
        ran++;
        wait.release();
        return nullptr;
    }
    d1::task *execute(d1::execution_data &) override { return done(); }
    d1::task *cancel(d1::execution_data &) override { return done(); }
};

struct again : counted {
    tbb::task_arena &arena;
    tbb::task_group_context &context;
    std::atomic<long> left;
    again(d1::wait_context &w, tbb::task_arena &a, tbb::task_group_context &c, long n)
        : counted(w), arena(a), context(c), left(n)
    {
    }
    d1::task *execute(d1::execution_data &) override
    {
        if (left-- > 0)
            submit(*this, arena, context, true);
        return done();
    }
};

struct throwing : counted {
    using counted::counted;
    d1::task *execute(d1::execution_data &) override { throw 1; }
};

static long crowd(long n)
{
    const int threads = 4;
    tbb::task_arena arena;
    arena.initialize();
    tbb::task_group_context context;
    d1::wait_context wait(2 * threads * n);
    again task(wait, arena, context, threads * n);
    std::vector<std::thread> crowd;
    for (int i = 0; i < threads; i++)
        crowd.emplace_back([&] {
            for (long k = 0; k < n; k++) {
                submit(task, arena, context, k & 1);
                if (k % 64 == 0)
                    std::this_thread::yield();
            }
        });
    for (auto &t : crowd)
        t.join();
    arena.execute([&] { d1::wait(wait, context); });
    return task.ran;
}

static long spawned(long n)
{
    tbb::task_group_context context;
    d1::wait_context wait(n);
    counted task(wait);
    tbb::parallel_for(0L, n, [&](long) { d1::spawn(task, context); }, tbb::simple_partitioner());
    d1::wait(wait, context);
    return task.ran;
}

static long thrown(long n)
{
    long caught = 0, ran = 0;
    for (long i = 0; i < n; i++) {
        tbb::task_group_context context;
        d1::wait_context wait(2);
        throwing task(wait);
        d1::spawn(task, context);
        try {
            d1::execute_and_wait(task, context, wait, context);
        } catch (int) {
            caught++;
        }
        ran += task.ran;
    }
    return caught == n ? ran / 2 : -caught;
}

static long queued(long n)
{
    tbb::task_arena arena(1);
    long ran = 0;
    arena.execute([&] {
        tbb::task_group_context context;
        d1::wait_context wait(0);
        counted task(wait);
        for (long i = 0; i < n; i++) {
            wait.reserve(2);
            submit(task, arena, context, false);
            submit(task, arena, context, false);
            d1::wait(wait, context);
        }
        ran = task.ran;
        if (typeid(static_cast<d1::task &>(task)) != typeid(counted))
            std::puts("it is of another class now");
    });
    return ran / 2;
}

int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 1;
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "crowd"))
        std::printf("%ld\n", crowd(n));
    else if (!strcmp(mode, "spawn"))
        std::printf("%ld\n", spawned(n));
    else if (!strcmp(mode, "throw"))
        std::printf("%ld\n", thrown(n));
    else if (!strcmp(mode, "queued"))
        std::printf("%ld\n", queued(n));
}
