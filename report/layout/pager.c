/* pager.c - see pager.h. The text is complete before the pager starts. So lines on stderr do not
 * disturb the pager's screen, and Ctrl-C ends prof while it works. Once the pager runs, Ctrl-C is
 * the pager's.
 */
#define _GNU_SOURCE
#include "layout/pager.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -F: a text that fits the screen is printed only; -R: colours; -X: the text stays on the
 * screen. */
#define LESS "FRX"

/* The pager's command line; NULL: no pager. */
static const char *pager_command(void)
{
    const char *command = getenv("PROF_PAGER"), *term = getenv("TERM");
    if (!command)
        command = getenv("PAGER");
    if (!command)
        command = term && *term && strcmp(term, "dumb") ? "less" : "";
    return *command && strcmp(command, "cat") ? command : NULL;
}

bool pager_wanted(void)
{
    return isatty(STDOUT_FILENO) && pager_command();
}

static int write_all(int fd, const char *text, size_t size)
{
    for (ssize_t n; size; text += n, size -= n) {
        n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            n = 0;
        if (n < 0)
            return -1;
    }
    return 0;
}

/* Starts COMMAND by the shell, because a pager is a command line. The shell exits with 127 if there
 * is no such command. Returns 0 or -1. */
static int start(const char *command, int input, pid_t *pid)
{
    char *const argv[] = { "sh", "-c", (char *)command, NULL };
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    if (posix_spawn_file_actions_init(&actions) || posix_spawnattr_init(&attributes))
        return -1;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    setenv("LESS", LESS, 0);
    setenv("LV", "-c", 0);
    int error = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error ? -1 : 0;
}

int pager_show(const char *text, size_t size)
{
    static const int signals[] = { SIGINT, SIGQUIT, SIGPIPE };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, old[3];
    const char *command = pager_command();
    int pipes[2], status = 0;
    pid_t pid;
    fflush(stdout);
    if (!command || pipe2(pipes, O_CLOEXEC))
        return write_all(STDOUT_FILENO, text, size);
    for (unsigned i = 0; i < 3; i++)
        sigaction(signals[i], &ignore, &old[i]);
    bool started = !start(command, pipes[0], &pid);
    close(pipes[0]);
    if (started)
        write_all(pipes[1], text, size);    /* no error: a user may leave the pager early */
    close(pipes[1]);
    while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (unsigned i = 0; i < 3; i++)
        sigaction(signals[i], &old[i], 0);
    bool shown = started &&
                 !(WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
    return shown ? 0 : write_all(STDOUT_FILENO, text, size);
}
