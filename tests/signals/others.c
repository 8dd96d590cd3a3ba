/* others.c - what other threads do while a signal's default action ends the process: others MODE N.
 *   exit _exit return exec ignore handle default system spawn fork abort
 *                   a thread sends itself N. While libprof writes the profile (the file
 *                   "writing" is there), the main thread does this
 *   sent, sent-all  the main thread sends N to the process. It has blocked N, or all signals, a
 *                   thread has not. Then it waits for what it has blocked
 *   descriptor      it has a signalfd of N, which a child sends
 * Natively the process dies of N, and nothing is printed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int number;

static int running;

static void *raiser(void *unused)
{
    raise(number);
    return unused;
}

/* Where this runs, the thread has its mask. */
static void *pauser(void *unused)
{
    __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return unused;
}

static void handler(int n)
{
}

static int go_on(const char *mode)
{
    static char *const echo[] = { "echo", "spawned", 0 };
    pid_t child;
    if (!strcmp(mode, "exit"))
        exit(5);
    if (!strcmp(mode, "_exit"))
        _exit(5);
    if (!strcmp(mode, "exec"))
        execl("/bin/echo", "echo", "executed", (char *)0);
    if (!strcmp(mode, "ignore"))
        signal(number, SIG_IGN);
    if (!strcmp(mode, "handle"))
        signal(number, handler);
    if (!strcmp(mode, "default"))
        signal(number, SIG_DFL);
    if (!strcmp(mode, "system"))
        system("echo system");
    if (!strcmp(mode, "spawn") && !posix_spawn(&child, "/bin/echo", 0, 0, echo, environ))
        waitpid(child, 0, 0);
    if (!strcmp(mode, "fork")) {
        if (!fork())
            _exit(write(1, "forked\n", 7) != 7);
        wait(0);
    }
    if (!strcmp(mode, "abort"))
        abort();
    if (strcmp(mode, "return"))
        sleep(10);
    return 6;
}

static int wait_for(const char *mode)
{
    sigset_t blocked;
    struct signalfd_siginfo got = { 0 };
    int came = 0;
    sigemptyset(&blocked);
    sigaddset(&blocked, number);
    if (!strcmp(mode, "sent-all"))
        sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, 0);
    if (strcmp(mode, "descriptor")) {
        kill(getpid(), number);
        puts("sent");
        sigwait(&blocked, &came);
    } else {
        int fd = signalfd(-1, &blocked, 0);
        if (!fork()) {
            usleep(20000);
            kill(getppid(), number);
            _exit(0);
        }
        came = read(fd, &got, sizeof got) > 0 ? (int)got.ssi_signo : -1;
    }
    printf("survived, and got %d\n", came);
    return 7;
}

int main(int argc, char **argv)
{
    pthread_t t;
    const char *mode = argv[1];
    number = atoi(argv[2]);
    bool waits = !strncmp(mode, "sent", 4) || !strcmp(mode, "descriptor");
    setvbuf(stdout, 0, _IOLBF, 0);
    pthread_create(&t, 0, pauser, 0);
    while (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
        usleep(1000);
    if (waits)
        return wait_for(mode);
    pthread_create(&t, 0, raiser, 0);
    while (access("writing", F_OK)) /* natively: for ever */
        usleep(1000);
    return go_on(mode);
}
