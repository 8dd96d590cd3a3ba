/* victim.c - one small program with many ways to end; the policy tests check what it leaves. */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libprof.h"

static void *spend(void *arg)
{
    libprof_cost((long)arg);
    return arg;
}

static void threads(int n)
{
    pthread_t t[n];
    for (long i = 0; i < n; i++)
        if (pthread_create(&t[i], 0, spend, (void *)(i + 1)))
            exit(99);
    for (long i = 0; i < n; i++) {
        void *result;
        pthread_join(t[i], &result);
        if (result != (void *)(i + 1))
            exit(98);
    }
}

static pthread_barrier_t all_here;
static void *meets(void *unused)
{
    pthread_barrier_wait(&all_here);
    return unused;
}

/* N threads that are there at the same time. */
static void together(int n)
{
    pthread_t t[n];
    pthread_barrier_init(&all_here, 0, n);
    for (int i = 0; i < n; i++)
        if (pthread_create(&t[i], 0, meets, 0))
            exit(99);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
}

static long ended, left;
static void *ends(void *cost)
{
    libprof_cost((long)cost);
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
    return 0;
}

static void *forever(void *arg)
{
    for (;;)
        sleep(1);
}

static void *waits(void *arg)
{
    pthread_t t;
    pthread_create(&t, 0, forever, 0);
    libprof_cost(100);
    pthread_join(t, 0);
    return 0;
}

static void *exits(void *arg)
{
    libprof_cost(3);
    exit(5);
}

static void *pexits(void *arg)
{
    libprof_cost(40);
    pthread_exit((void *)7);
}

static int mode_nothing(long n)
{
    return 0;
}

/* Before libunwind is loaded. */
static int mode_nofile_spawns(long n)
{
    const struct rlimit none = { 3, 3 };
    setrlimit(RLIMIT_NOFILE, &none);
    threads(2);
    return 0;
}

static int mode_together(long n)
{
    together(40);
    return 0;
}

static int mode_exit(long n)
{
    _exit(3);
}

static int mode_quick_exit(long n)
{
    quick_exit(4);
}

static int mode_abort(long n)
{
    abort();
}

static int mode_segv(long n)
{
    *(volatile int *)8 = 1;
    return n;
}

static int mode_sleep(long n)
{
    for (;;)
        sleep(1);
}

static int mode_exit_thread(long n)
{
    pthread_t t;
    pthread_create(&t, 0, exits, 0);
    pthread_join(t, 0);
    return n;
}

static int mode_pthread_exit(long n)
{
    pthread_t t;
    void *result;
    pthread_create(&t, 0, pexits, 0);
    pthread_join(t, &result);
    return result != (void *)7;
}

static int mode_main_pthread_exit(long n)
{
    pthread_t t;
    pthread_create(&t, 0, spend, (void *)100);
    pthread_exit(0);
}

static int mode_cancel(long n)
{
    pthread_t t;
    void *result;
    pthread_create(&t, 0, forever, 0);
    pthread_cancel(t);
    pthread_join(t, &result);
    return result != PTHREAD_CANCELED;
}

static int mode_left(long n)
{
    pthread_t t;
    pthread_create(&t, 0, forever, 0);
    return 0;
}

/* N threads, none of them joined; the first has the longest path. */
static int mode_left_ended(long n)
{
    pthread_t t;
    left = n;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (long i = 0; i < left; i++)
        if (pthread_create(&t, &small, ends, (void *)(i ? 1l : 5000l)))
            return 97;
    while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < left)
        usleep(1000);
    return 0;
}

static int mode_left_waiting(long n)
{
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    usleep(100000);
    return 0;
}

static int mode_fork(long n)
{
    pid_t pid = fork();
    if (!pid) {
        threads(2);
        exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    return status != 0;
}

static int mode_fork_exec(long n)
{
    pid_t pid = fork();
    if (!pid) {
        execl("/bin/echo", "echo", "from the child", (char *)0);
        _exit(9);
    }
    int status;
    waitpid(pid, &status, 0);
    return status != 0;
}

/* libc sends a signal of its own to every thread, to libprof's as well. */
static int mode_ids(long n)
{
    glob_t found;
    for (int i = 0; i < 50; i++)
        if (setuid(getuid()))
            return 1;
    usleep(100000);
    printf("%s\n", glob("*.prof*", 0, 0, &found) == GLOB_NOMATCH ? "no file" : "a file");
    return 0;
}

static int mode_nofile(long n)
{
    const struct rlimit none = { 0, 0 };
    return setrlimit(RLIMIT_NOFILE, &none);
}

/* Each descriptor that the soft limit allows is used, the hard limit has more. */
static int mode_all_used(long n)
{
    const struct rlimit few = { 20, 30 };
    setrlimit(RLIMIT_NOFILE, &few);
    while (dup(1) >= 0)
        ;
    return 0;
}

/* The parent leaves inside libc; the pipe ends with the child. */
static int mode_daemon(long n)
{
    if (daemon(1, 1))
        return 1;
    threads(2);
    printf("served\n");
    return 7;
}

static int mode_vfork(long n)
{
    pid_t pid = vfork();
    if (!pid) {
        execl("/bin/true", "true", (char *)0);
        _exit(9);
    }
    int status;
    waitpid(pid, &status, 0);
    return status != 0;
}

static int mode_exec(long n)
{
    execlp("echo", "echo", "replaced", (char *)0);
    return n;
}

static int mode_exec_fails(long n)
{
    execl("/nonexistent/program", "x", (char *)0);
    printf("%d\n", errno == ENOENT);
    threads(2);
    return n;
}

static int mode_close2(long n)
{
    close(2);
    return 0;
}

/* N: the number that follows the mode, and the exit status where the mode chooses none. */
struct mode {
    const char *name;
    int (*run)(long n);
};
/* Without a thread before. */
static const struct mode early[] = {
    { "nothing", mode_nothing },
    { "nofile-spawns", mode_nofile_spawns },
    { "together", mode_together },
};
static const struct mode late[] = {
    { "_exit", mode_exit },
    { "quick_exit", mode_quick_exit },
    { "abort", mode_abort },
    { "segv", mode_segv },
    { "sleep", mode_sleep },
    { "exit_thread", mode_exit_thread },
    { "pthread_exit", mode_pthread_exit },
    { "main_pthread_exit", mode_main_pthread_exit },
    { "cancel", mode_cancel },
    { "left", mode_left },
    { "left_ended", mode_left_ended },
    { "left_waiting", mode_left_waiting },
    { "fork", mode_fork },
    { "fork_exec", mode_fork_exec },
    { "ids", mode_ids },
    { "nofile", mode_nofile },
    { "all-used", mode_all_used },
    { "daemon", mode_daemon },
    { "vfork", mode_vfork },
    { "exec", mode_exec },
    { "exec_fails", mode_exec_fails },
    { "close2", mode_close2 },
};

static const struct mode *find(const struct mode *modes, size_t count, const char *how)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(modes[i].name, how))
            return &modes[i];
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;
    printf("hello %s\n", how);
    fflush(stdout);
    const struct mode *mode = find(early, sizeof early / sizeof early[0], how);
    if (mode)
        return mode->run(n);
    threads(strcmp(how, "200") ? 3 : 200);
    libprof_cost(10);
    mode = find(late, sizeof late / sizeof late[0], how);
    return mode ? mode->run(n) : n;
}
