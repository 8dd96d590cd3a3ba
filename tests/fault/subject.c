/* subject.c - small programs whose output and status must not depend on which calls of libprof
 * fail. Each prints what it saw, which is the same in every run. SIGUSR1 has a handler. It must
 * have no visible effect. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
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

static int spin_thread(void *unused)
{
    spin(1000);
    return unused ? 1 : 7;
}

static void *work(void *argument)
{
    libprof_region_start("work");
    spin(20000);
    errno = 0;
    libprof_region_stop("work");
    return errno ? 0 : argument;
}

/* Each thread is created on another path: two call sites, one thread is detached. */
static void threads(int n)
{
    pthread_t t[n];
    int created[n];
    long sum = 0;
    for (long i = 0; i < n; i++) {
        errno = 77;
        created[i] = !pthread_create(&t[i], 0, work, (void *)(i + 1));
        if (!created[i] || errno != 77) {
            printf("pthread_create: %d\n", errno);
            failures++;
        }
    }
    errno = 77;
    for (int i = 0; i < n; i++) {
        void *result = 0;
        if (!created[i])
            continue;
        if (pthread_join(t[i], &result) || errno != 77)
            printf("pthread_join: %d\n", errno);
        sum += (long)result;
    }
    printf("%d threads, %ld\n", n, sum);
    fflush(stdout);
}

/* Calls whose failure the program shows. They test the driver itself. */
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

/* As many threads at once as there may be, created by four at the same time: the limit alone
 * decides how many. No thread ends before all are counted. */
#define CROWD 1000
enum { CREATORS = 4 };
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER; /* closed while they are counted */
static pthread_barrier_t meeting; /* of the creators and the main thread */
static pthread_t people[CREATORS + 1][CROWD];
static int counts[CREATORS + 1], refusal;

static void *stay(void *unused)
{
    pthread_mutex_lock(&door);
    pthread_mutex_unlock(&door);
    return 0;
}

static void create(int list)
{
    int error = 0, *n = &counts[list];
    errno = 77;
    while (*n < CROWD && !(error = pthread_create(&people[list][*n], 0, stay, 0))) {
        if (errno != 77)
            printf("pthread_create: errno %d\n", errno);
        ++*n;
    }
    __atomic_store_n(&refusal, error, __ATOMIC_RELAXED);
}

static void *creator(void *list)
{
    pthread_barrier_wait(&meeting);
    create((long)list);
    pthread_barrier_wait(&meeting);
    return stay(0);
}

static void fill(void)
{
    pthread_t t[CREATORS];
    int count = 0;
    pthread_mutex_lock(&door);
    pthread_barrier_init(&meeting, 0, CREATORS + 1);
    for (long i = 0; i < CREATORS; i++)
        if (pthread_create(&t[i], 0, creator, (void *)i)) {
            puts("no creator");
            exit(91);
        }
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    /* The kernel counts threads that have just ended, and those that it is about to refuse. */
    for (int i = 0; i < 20; i++) {
        create(CREATORS);
        usleep(10000);
    }
    for (int i = 0; i <= CREATORS; i++)
        count += counts[i];
    printf("%d threads at once, then %s\n", count, strerror(refusal));
    pthread_mutex_unlock(&door);
    for (int i = 0; i < CREATORS; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i <= CREATORS; i++)
        for (int k = 0; k < counts[i]; k++)
            if (pthread_join(people[i][k], 0))
                puts("pthread_join");
    fflush(stdout);
}

/* The same of processes. */
static void fill_by_forks(void)
{
    pid_t pid[CROWD];
    int n = 0, ended = 0;
    while (n < CROWD && (pid[n] = fork()) > 0)
        n++;
    if (n < CROWD && !pid[n])
        for (;;)
            pause();
    printf("%d processes at once, then %s\n", n, strerror(errno));
    for (int i = 0; i < n; i++) {
        kill(pid[i], SIGKILL);
        ended += waitpid(pid[i], 0, 0) == pid[i];
    }
    printf("%d ended\n", ended);
    fflush(stdout);
}

/* HOW starts one more process or thread, beside COUNT children: if libprof's threads take the last
 * places, the program lacks them. */
static void start_beside(const char *how, int count)
{
    pid_t child[8], pid;
    char *argv[] = { "true", 0 };
    int status = 0, failed = -1;
    for (int i = 0; i < count; i++)
        if (!(child[i] = fork()))
            for (;;)
                pause();
    errno = 77;
    if (!strcmp(how, "posix_spawn"))
        failed = posix_spawn(&pid, "/bin/true", 0, 0, argv, environ);
    if (!strcmp(how, "posix_spawnp"))
        failed = posix_spawnp(&pid, "true", 0, 0, argv, environ);
    if (!failed)
        waitpid(pid, &status, 0);
    if (!strcmp(how, "popen")) {
        FILE *pipe = popen("exit 6", "r");
        status = pipe ? pclose(pipe) : 0;
    }
    if (!strcmp(how, "system"))
        status = system("exit 6");
    if (!strcmp(how, "forkpty")) {
        int master;
        if (!(pid = forkpty(&master, 0, 0, 0)))
            _exit(6);
        failed = pid < 0 || waitpid(pid, &status, 0) != pid;
    }
    if (!strcmp(how, "thrd_create")) {
        thrd_t t;
        failed = thrd_create(&t, spin_thread, 0);
        if (!failed)
            thrd_join(t, &status);
    }
    if (!strcmp(how, "unshare"))
        failed = unshare(CLONE_NEWUSER);
    if (!strcmp(how, "setns")) {
        /* it also leaves a chroot, to which we return: the profile is to be written here */
        int root = open("/", O_PATH), here = open(".", O_PATH);
        failed = setns(open("/proc/self/ns/mnt", O_RDONLY), CLONE_NEWNS);
        if (!failed && (fchdir(root) || chroot(".") || fchdir(here)))
            failed = -2;
    }
    printf("%s: failed %d, status %d, errno %d\n", how, failed, status, errno);
    for (int i = 0; i < count; i++)
        if (child[i] > 0) {
            kill(child[i], SIGKILL);
            waitpid(child[i], 0, 0);
        }
    fflush(stdout);
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
    if (!strcmp(how, "fill"))
        fill();
    if (!strcmp(how, "fill-forks"))
        fill_by_forks();
    if (!strcmp(how, "beside"))
        start_beside(argv[2], atoi(argv[3]));
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
