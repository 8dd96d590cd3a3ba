/* run_again.c - see run_again.h. */
#define _GNU_SOURCE
#include "launch/run_again.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "base/self.h"
#include "launch/launch.h"
#include "launch/written.h"

int run_again(char *const *command, const char *path, const char *const *options, bool quiet)
{
    unsigned words = 0, settings = 0, n = 0;
    while (command[words])
        words++;
    while (options && options[settings])
        settings++;
    const char **argv = format_memory(calloc(words + settings + 7, sizeof *argv));
    char *self = access("/proc/self/exe", X_OK) ? self_path() : 0;
    argv[n++] = self ? self : "/proc/self/exe";
    argv[n++] = "run";
    argv[n++] = "--no-report";
    argv[n++] = "-o";
    char *output = written_literal(path);
    argv[n++] = output;
    for (unsigned i = 0; i < settings; i++)
        argv[n++] = options[i];
    argv[n++] = "--";
    for (unsigned i = 0; i < words; i++)
        argv[n++] = command[i];
    argv = format_memory(realloc(argv, (n + 1) * sizeof *argv));
    argv[n] = 0;
    static char *const quietly[] = { "PROF_QUIET=1", 0 };
    struct launch_setup setup = { .in = -1, .out = -1, .err = -1 };
    if (quiet)
        setup.out = setup.err = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct launched l;
    unlink(path);               /* or a run that writes none would seem to have written it */
    int error = launch((char **)argv, quietly + (getenv("PROF_QUIET") != 0), &setup, &l);
    if (setup.out >= 0)
        close(setup.out);
    free(output);
    free(argv);
    free(self);
    if (error) {
        fprintf(stderr, "prof: cannot start a process: %s\n", strerror(-error));
        return -1;
    }
    if (!l.signal)
        return l.status;
    raise(l.signal);
    return l.signal;            /* the status of a program that this signal ended */
}
