/* loader_lock.c HOLDER CHILD - forks while a thread holds the lock of the loader's list. libc does
 * not release that lock in the child. Natively nothing waits for it there.
 *
 *   HOLDER  self: the forking thread, in a callback of dl_iterate_phdr
 *           handler: the same, in a signal handler
 *           other: another thread, until the child was made
 *           brief: another thread, again and again
 *           none: nobody
 *   CHILD   exits, executes another program, or makes a thread where the parent has made one, or
 *           elsewhere: exit, exec, thread, site */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *what;
static volatile int held, forked, over;

static void *work(void *argument)
{
    return argument;
}

static void thread(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, work, 0) || pthread_join(t, 0))
        _exit(98);
}

/* A spawn site that the parent has not used. */
static __attribute__((noinline)) void thread_elsewhere(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, work, 0) || pthread_join(t, 0))
        _exit(97);
}

static void fork_one(void)
{
    pid_t pid = fork();
    if (!pid) {
        char program[] = "/bin/sh", c[] = "-c", exit_5[] = "exit 5";
        char *arguments[] = { program, c, exit_5, 0 };
        if (!strcmp(what, "exec"))
            execv(program, arguments);
        if (!strcmp(what, "thread"))
            thread();
        if (!strcmp(what, "site"))
            thread_elsewhere();
        exit(5);
    }
    forked = 1;
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        printf("no child\n");
    else
        printf("the child ended with status %#x\n", status);
}

static void strike(int signal)
{
    fork_one();
}

static int in_callback(struct dl_phdr_info *info, size_t size, void *holder)
{
    if (!strcmp(holder, "self"))
        fork_one();
    else if (!strcmp(holder, "handler"))
        raise(SIGUSR1);
    held = 1;
    while (!strcmp(holder, "other") && !forked)
        usleep(100);
    return 1;
}

static void *hold(void *holder)
{
    do
        dl_iterate_phdr(in_callback, holder);
    while (!strcmp(holder, "brief") && !over);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    what = argv[2];
    setvbuf(stdout, 0, _IONBF, 0);
    signal(SIGUSR1, strike);
    thread();                   /* the process leaves a profile */
    pthread_t t;
    if (!strcmp(argv[1], "self") || !strcmp(argv[1], "handler")) {
        hold(argv[1]);
    } else if (!strcmp(argv[1], "none")) {
        fork_one();
    } else {
        pthread_create(&t, 0, hold, argv[1]);
        while (!held)
            usleep(100);
        for (int i = 0; i < (strcmp(argv[1], "brief") ? 1 : 40); i++)
            fork_one();
        over = 1;
        pthread_join(t, 0);
    }
    thread();
    return 0;
}
