/* subject.c - small programs whose output and status must not depend on libprof's luck. Each
 * prints what it saw; what it saw is the same in every run. SIGUSR1 has a handler, which must not
 * be noticed. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libprof.h"

static volatile sig_atomic_t struck;
static int failures;

static void strike(int number)
{
    struck++;
}

static void spin(long n)
{
    for (volatile long i = 0; i < n; i++)
        ;
}

static void *work(void *argument)
{
    libprof_region_start("work");
    spin(20000);
    errno = 0;
    libprof_region_stop("work");
    return errno ? 0 : argument;
}

/* Each thread another path: two call sites, one of them detached. */
static void threads(int n)
{
    pthread_t t[n];
    long sum = 0;
    for (long i = 0; i < n; i++) {
        errno = 77;
        if (pthread_create(&t[i], 0, work, (void *)(i + 1)) || errno != 77) {
            printf("pthread_create: %d\n", errno);
            failures++;
        }
    }
    for (int i = 0; i < n; i++) {
        void *result = 0;
        if (pthread_join(t[i], &result) || errno != 77)
            printf("pthread_join: %d\n", errno);
        sum += (long)result;
    }
    printf("%d threads, %ld\n", n, sum);
    fflush(stdout);
}

/* Calls whose failure the program shows: what the driver is tried with. */
static void calls(void)
{
    for (int i = 0; i < 4; i++)
        printf("%s\n", mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                           ? "no memory"
                           : "memory");
}

static void child(void)
{
    pid_t pid = fork();
    if (!pid) {
        threads(2);
        exit(5);
    }
    int status = 0;
    pid_t got = waitpid(pid, &status, 0);
    printf("fork: %d, %d\n", got == pid && pid > 0,
           WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    threads(2);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    struct sigaction action = { .sa_handler = strike, .sa_flags = SA_RESTART };
    sigaction(SIGUSR1, &action, 0);
    libprof_region_start(
        "main"); /* the first call looks libprof up, which may set errno where there is none */
    libprof_region_stop("main");
    if (!strcmp(how, "calls"))
        calls();
    threads(3);
    if (!strcmp(how, "fork"))
        child();
    if (!strcmp(how, "exec")) {
        fflush(stdout);
        execl(argv[0], argv[0], "after", (char *)0);
        puts("no exec");
    }
    if (!strcmp(how, "exec-fails")) {
        errno = 0;
        execl("/nonexistent/program", "program", (char *)0);
        printf("exec: %d\n", errno);
        threads(2);
    }
    if (!strcmp(how, "signal")) {
        raise(SIGTERM);
        puts("still here");
    }
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "_exit")) {
        fflush(stdout);
        _exit(4);
    }
    if (!strcmp(how, "sleep")) { /* long enough to be looked at */
        struct timespec t = { 0, 30000000 };
        while (nanosleep(&t, &t) && errno == EINTR)
            ;
        sigset_t mask;
        sigprocmask(SIG_SETMASK, 0, &mask);
        struct sigaction now;
        printf("mask %d, handler %d\n", sigismember(&mask, SIGUSR1),
               sigaction(SIGUSR1, 0, &now) || now.sa_handler != strike);
    }
    if (!strcmp(how, "leaves")) {
        fflush(stdout);
        pthread_exit(0);
    }
    return failures ? 90 : 3;
}
