/* victim.c - one small program with many ways to end; the policy tests look at what it leaves. */
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

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t t;
    void *result;
    printf("hello %s\n", how);
    fflush(stdout);
    if (!strcmp(how, "nothing"))
        return 0;
    threads(strcmp(how, "200") ? 3 : 200);
    libprof_cost(10);
    if (!strcmp(how, "_exit"))
        _exit(3);
    if (!strcmp(how, "quick_exit"))
        quick_exit(4);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "sleep"))
        for (;;)
            sleep(1);
    if (!strcmp(how, "exit_thread")) {
        pthread_create(&t, 0, exits, 0);
        pthread_join(t, 0);
    }
    if (!strcmp(how, "pthread_exit")) {
        pthread_create(&t, 0, pexits, 0);
        pthread_join(t, &result);
        return result != (void *)7;
    }
    if (!strcmp(how, "main_pthread_exit")) {
        pthread_create(&t, 0, spend, (void *)100);
        pthread_exit(0);
    }
    if (!strcmp(how, "cancel")) {
        pthread_create(&t, 0, forever, 0);
        pthread_cancel(t);
        pthread_join(t, &result);
        return result != PTHREAD_CANCELED;
    }
    if (!strcmp(how, "left")) {
        pthread_create(&t, 0, forever, 0);
        return 0;
    }
    /* As many threads as the number that follows, none of them joined; the first has the longest
     * path. */
    if (!strcmp(how, "left_ended")) {
        left = argc > 2 ? atol(argv[2]) : 0;
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
    if (!strcmp(how, "left_waiting")) {
        pthread_create(&t, 0, waits, 0);
        usleep(100000);
        return 0;
    }
    if (!strcmp(how, "fork")) {
        pid_t pid = fork();
        if (!pid) {
            threads(2);
            exit(0);
        }
        int status;
        waitpid(pid, &status, 0);
        return status != 0;
    }
    if (!strcmp(how, "fork_exec")) {
        pid_t pid = fork();
        if (!pid) {
            execl("/bin/echo", "echo", "from the child", (char *)0);
            _exit(9);
        }
        int status;
        waitpid(pid, &status, 0);
        return status != 0;
    }
    if (!strcmp(how, "ids")) {          /* libc tells every thread by a signal of its own, ours as
                                           well */
        glob_t found;
        for (int i = 0; i < 50; i++)
            if (setuid(getuid()))
                return 1;
        usleep(100000);
        printf("%s\n", glob("*.prof*", 0, 0, &found) == GLOB_NOMATCH ? "no file" : "a file");
        return 0;
    }
    if (!strcmp(how, "nofile")) {
        const struct rlimit none = { 0, 0 };
        return setrlimit(RLIMIT_NOFILE, &none);
    }
    if (!strcmp(how, "daemon")) {       /* the parent leaves inside libc; the pipe ends with the
                                           child */
        if (daemon(1, 1))
            return 1;
        threads(2);
        printf("served\n");
        return 7;
    }
    if (!strcmp(how, "vfork")) {
        pid_t pid = vfork();
        if (!pid) {
            execl("/bin/true", "true", (char *)0);
            _exit(9);
        }
        int status;
        waitpid(pid, &status, 0);
        return status != 0;
    }
    if (!strcmp(how, "exec"))
        execlp("echo", "echo", "replaced", (char *)0);
    if (!strcmp(how, "exec_fails")) {
        execl("/nonexistent/program", "x", (char *)0);
        printf("%d\n", errno == ENOENT);
        threads(2);
    }
    if (!strcmp(how, "close2")) {
        close(2);
        return 0;
    }
    return argc > 2 ? atoi(argv[2]) : 0;
}
