/* launch.h - runs a program as if prof were not there: signals, exit status and death are the
 * program's. */
#ifndef REPORT_LAUNCH_LAUNCH_H
#define REPORT_LAUNCH_LAUNCH_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct launched {
    pid_t pid;
    int status;                 /* as waitpid gives it */
    int error;                  /* errno of the exec that failed, else 0 */
    /* the last of SIGINT, SIGTERM, SIGHUP, SIGQUIT that came meanwhile and was not ignored
     * before; 0: none */
    int signal;
    struct rusage usage;        /* of the program and of the processes that it waited for */
    uint64_t start_unix_ns;     /* just before the fork, by CLOCK_REALTIME */
    uint64_t wall_ns;           /* from then to the program's end */
    /* the time in which the first thread could have run but had no CPU; 0: the kernel does not
     * report it */
    uint64_t delay_ns;
};

/* Descriptors and CPUs of the program, if they are not prof's; and what prof does while it runs. */
struct launch_setup {
    int in, out, err;           /* descriptors; -1: prof's */
    const cpu_set_t *cpus;      /* NULL: prof's */
    /* Called once the program PID runs. It may return when it likes: launch() waits for the
     * program's end. NULL: nothing */
    void (*meanwhile)(void *context, pid_t pid);
    void *context;
};

/* Runs ARGV, which is found as execvp finds it, and waits for its end. SETTINGS, strings NAME=VALUE
 * and then NULL, are added to its environment. SETUP may be NULL. Signals that are sent to prof go
 * on to the program. Returns 0, or -errno if there is no process. If exec failed, it returns 0 and
 * sets out->error. */
int launch(char **argv, char *const *settings, const struct launch_setup *setup,
           struct launched *out);

/* NAME's value in a program that launch() would start with the COUNT SETTINGS: of the last setting
 * of NAME, else prof's own. NULL: it has none. */
const char *launch_value(char *const *settings, unsigned count, const char *name);

/* Has program PID, of launch_setup.meanwhile, ended? */
bool launch_has_ended(pid_t pid);

/* Returns the program's exit status; or, if a signal ended the program, ends prof by that
 * signal. */
int launch_end_like(const struct launched *l);

#endif
