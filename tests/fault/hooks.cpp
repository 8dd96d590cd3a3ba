// hooks.cpp - calls what libprof interposes, between two marks at which step.c takes over.
// SIGUSR1's handler does ACTION.
//
//     hooks CASE ACTION        without step.c: one pass, no signal, the same output
//
// All that is done here is allowed without libprof: a handler leaves by siglongjmp only from calls
// that are async-signal-safe, and a child that is forked in a handler does little. The child's and
// the parent's results are checked.
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <threads.h>
#include <unistd.h>
#include "libprof.h"

static const char *action;
static volatile sig_atomic_t strikes;
static sigjmp_buf leave;
static char **self;

static void wrong(const char *what) // async-signal-safe: no stdio
{
    static const char text[] = "wrong: ";
    if (write(1, text, sizeof text - 1) < 0 || write(1, what, strlen(what)) < 0 ||
        write(1, "\n", 1) < 0)
        _exit(98);
    _exit(97);
}

static void *work(void *argument)
{
    libprof_region_start("work");
    libprof_region_stop("work");
    return argument;
}

// What a handler may call.
static void safe_calls()
{
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    struct sigaction now;
    if (sigprocmask(SIG_BLOCK, &set, &old) || sigprocmask(SIG_SETMASK, &old, nullptr) ||
        sigaction(SIGUSR2, nullptr, &now))
        wrong("masks in the handler");
    char none[] = "/nonexistent/x", *arguments[] = { none, nullptr };
    if (execv(none, arguments) != -1 || errno != ENOENT)
        wrong("exec in the handler");
}

static void strike(int)
{
    int saved = errno;
    strikes = strikes + 1;
    if (!strcmp(action, "calls"))
        safe_calls();
    if (!strcmp(action, "fork")) {
        pid_t pid = fork();
        if (!pid) {
            alarm(20);
            safe_calls();
            _exit(7);
        }
        int status = 0;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
            wrong(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "the handler's child hangs"
                                                                     : "the handler's child");
    }
    if (!strcmp(action, "_exit"))
        _exit(9);
    if (!strcmp(action, "abort"))
        abort();
    if (!strcmp(action, "exec")) {
        char echo[] = "/bin/echo", text[] = "executed", *arguments[] = { echo, text, nullptr };
        execv(echo, arguments);
        _exit(96);
    }
    if (!strcmp(action, "longjmp"))
        siglongjmp(leave, 1);
    errno = saved;
}

static void threads()
{
    pthread_t t[2];
    void *result[2] = {};
    for (long i = 0; i < 2; i++)
        if (pthread_create(&t[i], nullptr, work, reinterpret_cast<void *>(i + 1)))
            wrong("pthread_create");
    for (int i = 0; i < 2; i++)
        if (pthread_join(t[i], &result[i]) || result[i] != reinterpret_cast<void *>(i + 1l))
            wrong("pthread_join");
}

static void c11_threads()
{
    auto routine = [](void *a) { return *static_cast<int *>(a) + 1; };
    thrd_t t, other;
    static int one = 1;
    int result = 0;
    if (thrd_create(&t, routine, &one) || thrd_create(&other, routine, &one) || thrd_detach(other))
        wrong("thrd_create");
    if (thrd_join(t, &result) || result != 2)
        wrong("thrd_join");
}

static void detached()
{
    pthread_t t;
    if (pthread_create(&t, nullptr, work, nullptr) || pthread_detach(t))
        wrong("pthread_detach");
}

static void regions()
{
    libprof_region_start("outer");
    libprof_region_start("inner");
    libprof_region_stop("inner");
    libprof_region_stop("outer");
}

static void masks()
{
    sigset_t set, old;
    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    if (pthread_sigmask(SIG_BLOCK, &set, &old) || sigprocmask(SIG_SETMASK, &old, nullptr))
        wrong("masks");
}

static void dispositions()
{
    struct sigaction ignore = {}, old;
    ignore.sa_handler = SIG_IGN;
    if (sigaction(SIGUSR2, &ignore, &old) || sigaction(SIGUSR2, &old, nullptr) ||
        sigaction(60, nullptr, &old))
        wrong("sigaction");
}

static void forks()
{
    pid_t pid = fork();
    if (!pid)
        _exit(5);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 5)
        wrong("fork");
}

static void exec_fails()
{
    if (execl("/nonexistent/x", "x", nullptr) != -1 || errno != ENOENT)
        wrong("exec");
}

static void unload()
{
    void *handle = dlopen("libm.so.6", RTLD_NOW);
    if (!handle || dlclose(handle))
        wrong("dlclose");
}

static void group()
{
    std::atomic<int> sum{ 0 };
    tbb::task_group g;
    for (int i = 1; i <= 3; i++)
        g.run([&sum, i] { sum += i; });
    g.wait();
    if (sum != 6)
        wrong("task_group");
}

static void loop()
{
    std::atomic<int> sum{ 0 };
    tbb::parallel_for(0, 8, [&](int i) { sum += i; });
    if (sum != 28)
        wrong("parallel_for");
}

static void team()
{
    int sum = 0, a = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 4; i++)
            sum += i;
#pragma omp critical
        sum += 0;
#pragma omp single
        {
#pragma omp task shared(a)
            a++;
#pragma omp taskwait
        }
    }
    if (sum != 6 || a != 1)
        wrong("team");
}

static void call_exit()
{
    exit(4);
}

static void call__exit()
{
    _exit(4);
}

static void call_exec()
{
    char echo[] = "/bin/echo", text[] = "by itself", *arguments[] = { echo, text, nullptr };
    execv(echo, arguments);
}

static const struct {
    const char *name;
    void (*call)();
    bool once;
} cases[] = {
    { "threads", threads, false },
    { "c11-threads", c11_threads, false },
    { "detached", detached, false },
    { "regions", regions, false },
    { "masks", masks, false },
    { "dispositions", dispositions, false },
    { "forks", forks, false },
    { "exec-fails", exec_fails, false },
    { "unload", unload, false },
    { "group", group, false },
    { "loop", loop, false },
    { "team", team, false },
    { "exit", call_exit, true },
    { "_exit", call__exit, true },
    { "exec", call_exec, true },
};

// step.c sees ID, and answers whether there is another pass.
static long mark(long id)
{
    if (!getenv("FAULT_STEP"))
        return 0;
    __asm__ volatile("int3" : "+a"(id) : : "memory");
    return id;
}

int main(int argc, char **argv)
{
    self = argv;
    action = argc > 2 ? argv[2] : "return";
    struct sigaction a = {};
    a.sa_handler = strike;
    a.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &a, nullptr);
    for (auto &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name)) {
            threads();
            for (int i = 0; i < 3 && !c.once; i++) // the first calls have been made
                c.call();
            while (mark(1)) {
                if (!sigsetjmp(leave, 1))
                    c.call();
                if (mark(2) == 3)
                    break;
            }
            if (!getenv("FAULT_STEP") || c.once)
                c.call();
            puts("done");
            return 0;
        }
    return 2;
}
