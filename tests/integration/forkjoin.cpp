// forkjoin.cpp - a runtime that its author wrote in C++, its agent and a program: -DRUNTIME,
// -DAGENT, -DPROGRAM. Its workers are std::threads, and both halves of a fork may fork again before
// the first is joined: a scope for each.
#include <functional>

namespace fj {
struct wait {
    int left;
    void *scope;
};
struct task {
    std::function<void()> body;
    struct wait *wait;
    void *seen;
};
void start(int workers);
void stop();
void fork(task *t);
void join(wait *w);
void run(task *t);

template <class F, class G> void both(F f, G g)
{
    wait w = {};
    task t = { f, &w, nullptr };
    fork(&t);
    g();
    join(&w);
}
}

#ifdef RUNTIME
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::vector<std::thread> threads;
static std::atomic<bool> over;
static std::mutex lock;
static std::deque<fj::task *> tasks;

static void one()
{
    fj::task *t = nullptr;
    {
        std::lock_guard<std::mutex> hold(lock);
        if (!tasks.empty()) {
            t = tasks.back();
            tasks.pop_back();
        }
    }
    if (!t)
        return std::this_thread::yield();
    fj::wait *w = t->wait;
    fj::run(t);
    __atomic_sub_fetch(&w->left, 1, __ATOMIC_RELEASE);
}

void fj::run(task *t) { t->body(); }

void fj::fork(task *t)
{
    __atomic_add_fetch(&t->wait->left, 1, __ATOMIC_RELAXED);
    std::lock_guard<std::mutex> hold(lock);
    tasks.push_back(t);
}

void fj::join(wait *w)
{
    while (__atomic_load_n(&w->left, __ATOMIC_ACQUIRE))
        one();
}

void fj::start(int workers)
{
    while (--workers > 0)
        threads.emplace_back([] {
            while (!over)
                one();
        });
}

void fj::stop()
{
    over = true;
    for (auto &t : threads)
        t.join();
}
#endif

#ifdef AGENT
#include <libprof_agent.h>

static void (*real_start)(int), (*real_fork)(fj::task *), (*real_join)(fj::wait *),
    (*real_run)(fj::task *);
static const char *const prefixes[] = { "_ZN2fj", "_ZNSt8function", "_ZNSt17_Function_handler",
                                        nullptr };
static struct libprof_runtime runtime = {
    sizeof runtime, "fj", nullptr, nullptr, prefixes, nullptr
};
static const struct libprof_agent *libprof;

__attribute__((constructor)) static void attach()
{
    *(void **)&real_start = dlsym(RTLD_NEXT, "_ZN2fj5startEi");
    *(void **)&real_fork = dlsym(RTLD_NEXT, "_ZN2fj4forkEPNS_4taskE");
    *(void **)&real_join = dlsym(RTLD_NEXT, "_ZN2fj4joinEPNS_4waitE");
    *(void **)&real_run = dlsym(RTLD_NEXT, "_ZN2fj3runEPNS_4taskE");
    runtime.text = (const void *)real_run;
    runtime.agent = (const void *)attach;
    if (real_run)
        libprof = libprof_agent(&runtime);
}

void fj::start(int workers)
{
    if (libprof)
        libprof->workers(workers);
    real_start(workers);
}

void fj::fork(task *t)
{
    struct libprof_point from = LIBPROF_POINT();
    if (libprof) {
        t->wait->scope = libprof->scope_new();
        t->seen = libprof->spawn(&runtime, &from, (libprof_scope *)t->wait->scope, "both", 0);
    }
    real_fork(t);
}

void fj::join(wait *w)
{
    libprof_task *strand = libprof ? libprof->pause() : nullptr;
    real_join(w);
    if (libprof) {
        libprof->resume(strand);
        libprof->join((libprof_scope *)w->scope);
        libprof->scope_free((libprof_scope *)w->scope);
    }
}

void fj::run(task *t)
{
    if (!libprof || !t->seen)
        return real_run(t);
    libprof->begin((libprof_task *)t->seen, __builtin_frame_address(0));
    real_run(t);
    libprof->end();
}
#endif

#ifdef PROGRAM
#include <libprof.h>
#include <cstdlib>

// Work 10 + 2^(d+1) - 1, span 10 + d + 1.
__attribute__((noinline)) static void tree(int depth)
{
    libprof_cost(1);
    if (depth)
        fj::both([=] { tree(depth - 1); }, [=] { tree(depth - 1); });
}

int main(int, char **argv)
{
    fj::start(std::atoi(argv[1]));
    libprof_cost(10);
    tree(7);
    fj::stop();
}
#endif
