/* child.h - what the drivers (fault.c, step.c) share: they start a child, wait for its end, and
 * read its output. */
#ifndef TESTS_FAULT_CHILD_H
#define TESTS_FAULT_CHILD_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HANG_S 60 /* the programs take 10 ms: one that takes this long hangs, even on the busiest
                   * machine */

/* Once, before the first child: child_stopped waits for the signal. */
static inline void children_watched(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, 0);
}

/* In the child, after fork: no signal is blocked, the group is its own, it leaves no core. */
static inline void child_alone(void)
{
    const struct rlimit no_core = { 0, 0 };
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
}

/* Waits for PID's end, or its next stop where it is traced. False: not within HANG_S. */
static inline bool child_stopped(pid_t pid, int *status)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    struct timespec from, at, left = { 1, 0 };
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (;;) {
        if (waitpid(pid, status, WNOHANG | __WALL) == pid)
            return true;
        clock_gettime(CLOCK_MONOTONIC, &at);
        if (at.tv_sec - from.tv_sec > HANG_S)
            return false;
        sigtimedwait(&set, 0, &left);
    }
}

/* The first SIZE - 1 bytes of the file at PATH, and a 0; nothing where there is no file. */
static inline void read_text(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);
    to[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close(fd);
}

#endif
