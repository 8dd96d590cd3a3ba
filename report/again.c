/* again.c - see again.h. */
#define _GNU_SOURCE
#include "again.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "format.h"

int again(char *const *command, const char *path, const char *const *options, bool quiet)
{
    unsigned words = 0, settings = 0, n = 0;
    while (command[words])
        words++;
    while (options && options[settings])
        settings++;
    const char **argv = format_memory(calloc(words + settings + 7, sizeof *argv));
    argv[n++] = "/proc/self/exe";
    argv[n++] = "run";
    argv[n++] = "--no-report";
    argv[n++] = "-o";
    argv[n++] = path;
    for (unsigned i = 0; i < settings; i++)
        argv[n++] = options[i];
    argv[n++] = "--";
    for (unsigned i = 0; i < words; i++)
        argv[n++] = command[i];
    argv = format_memory(realloc(argv, (n + 1) * sizeof *argv));
    argv[n] = 0;
    fflush(0);
    pid_t pid = fork();
    if (!pid) {
        int null = quiet ? open("/dev/null", O_WRONLY) : -1;
        if (null >= 0) {
            dup2(null, STDOUT_FILENO);
            dup2(null, STDERR_FILENO);
        }
        setenv("PROF_QUIET", "1", 0);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    free(argv);
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid < 0 ? -1 : status;
}
