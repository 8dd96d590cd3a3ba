// storm_tbb.cpp - what races in a program on TBB, all at once: foreign threads resume what tasks
// suspend, arenas come and go, groups have several waiters, are cancelled and throw, pipelines and
// graphs throw, threads are cancelled and detached, plug-ins come and go, tasks fork. It ends with
// "done", or with a line that names what was wrong.
//   storm_tbb ROUNDS WIDTH PLUGIN
#include "storm.hpp"
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>
#include <mutex>
#include <condition_variable>
#include <deque>
#include <pthread.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

// A foreign thread resumes what tasks suspend. The lock protects the queue and `stop`.
static std::mutex m;
static std::condition_variable cv;
static std::deque<tbb::task::suspend_point> points;
static bool stop;
static void resumer()
{
    std::unique_lock<std::mutex> l(m);
    for (;;) {
        cv.wait(l, [] { return stop || !points.empty(); });
        if (points.empty())
            return;
        auto p = points.front();
        points.pop_front();
        l.unlock();
        tbb::task::resume(p);
        l.lock();
    }
}
static void suspends(int n)
{
    std::atomic<int> done{ 0 };
    tbb::task_group g;
    for (int i = 0; i < n; i++)
        g.run([&] {
            tbb::task::suspend([](tbb::task::suspend_point p) {
                std::lock_guard<std::mutex> l(m);
                points.push_back(p);
                cv.notify_one();
            });
            done++;
        });
    g.wait();
    must(done == n, "suspend");
}
static void arenas(int n)
{
    for (int i = 0; i < n; i++) {
        std::atomic<int> ran{ 0 };
        tbb::task_arena a(2 + i % 3);
        for (int k = 0; k < 20; k++)
            a.enqueue([&] { ran++; });
        a.execute([&] {
            tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, 50, [&](int) { ran++; }); });
        });
        while (ran < 70)
            std::this_thread::yield();
    }
}
static void cancels(int n)
{
    for (int i = 0; i < n; i++) {
        tbb::task_group g;
        std::atomic<int> ran{ 0 };
        for (int k = 0; k < 30; k++)
            g.run([&, k] {
                ran++;
                if (k == 7)
                    g.cancel();
                tbb::task_group in;
                in.run([&] { ran++; });
                in.wait();
            });
        g.wait();
        bool caught = false;
        try {
            for (int k = 0; k < 10; k++)
                g.run([&, k] {
                    if (k == 5)
                        throw std::runtime_error("x");
                });
            g.wait();
        } catch (std::runtime_error &) {
            caught = true;
        }
        must(caught, "exception");
    }
}
static void pipes(int n)
{
    for (int i = 0; i < n; i++) {
        int at = 0;
        bool threw = i % 2, caught = false;
        std::atomic<int> sum{ 0 };
        try {
            tbb::parallel_pipeline(
                4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                               [&](tbb::flow_control &f) {
                                                   if (at == 40)
                                                       f.stop();
                                                   return at++;
                                               }) &
                       tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                                  [&](int v) {
                                                      if (threw && v == 20)
                                                          throw v;
                                                      return v;
                                                  }) &
                       tbb::make_filter<int, void>(tbb::filter_mode::serial_out_of_order,
                                                   [&](int v) { sum += v; }));
        } catch (int) {
            caught = true;
        }
        must(caught == threw && (threw || sum == 780), "pipeline");
        tbb::flow::graph g;
        caught = false;
        tbb::flow::function_node<int, int> f(g, tbb::flow::unlimited, [&](int v) {
            if (threw && v == 11)
                throw v;
            return v;
        });
        tbb::flow::queue_node<int> q(g);
        tbb::flow::make_edge(f, q);
        for (int k = 0; k < 20; k++)
            f.try_put(k);
        try {
            g.wait_for_all();
        } catch (int) {
            caught = true;
        }
        must(caught == threw, "flow");
        g.reset();
    }
}
static void forks(int n)
{
    tbb::task_group g;
    std::atomic<int> ok{ 0 };
    for (int i = 0; i < n; i++)
        g.run([&, i] {
            fork_child(i);
            ok++;
        });
    g.wait();
    must(ok == n, "forks");
}
static std::atomic<int> detached;
static void threads(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_t t, u;
        must(!pthread_create(
                 &t, nullptr,
                 [](void *) -> void * {
                     cancels(1);
                     return nullptr;
                 },
                 nullptr),
             "create");
        must(!pthread_create(
                 &u, nullptr,
                 [](void *) -> void * {
                     for (;;)
                         usleep(1000);
                 },
                 nullptr),
             "create");
        detached++;
        std::thread([] {
            arenas(1);
            detached--;
        }).detach();
        pthread_cancel(u);
        void *r;
        pthread_join(u, &r);
        must(r == PTHREAD_CANCELED, "cancel");
        pthread_join(t, nullptr);
    }
}
static void plugins(int n)
{
    for (int i = 0; i < n; i++)
        plugin();
}
int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int n = std::atoi(argv[1]);
    plugin_file = argv[3];
    tbb::global_control width(tbb::global_control::max_allowed_parallelism, std::atoi(argv[2]));
    std::thread r1(resumer), r2(resumer);
    std::vector<std::thread> all;
    for (auto f : { arenas, cancels, pipes, threads, plugins })
        for (int k = 0; k < 2; k++)
            all.emplace_back(f, n);
    all.emplace_back([&] {
        for (int i = 0; i < n; i++)
            suspends(20);
    });
    all.emplace_back([&] {
        for (int i = 0; i < (n + 9) / 10; i++)
            forks(4);
    });
    // Several threads wait for one group.
    for (int i = 0; i < n; i++) {
        tbb::task_group g;
        std::atomic<int> ran{ 0 };
        std::vector<std::thread> w;
        for (int k = 0; k < 20; k++)
            g.run([&] { ran++; });
        for (int k = 0; k < 3; k++)
            w.emplace_back([&] {
                for (int j = 0; j < 20; j++)
                    g.run([&] { ran++; });
                g.wait();
            });
        g.wait();
        for (auto &t : w)
            t.join();
        g.wait();
        must(ran == 80, "waiters");
    }
    for (auto &t : all)
        t.join();
    {
        std::lock_guard<std::mutex> l(m);
        stop = true;
    }
    cv.notify_all();
    r1.join();
    r2.join();
    while (detached)
        usleep(1000);
    std::puts("done");
}
