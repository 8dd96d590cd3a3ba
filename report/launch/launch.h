/* launch.h - runs a program as if prof were not there: with its signals, exit status and death. */
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
    struct rusage usage;        /* of it and what it waited for */
    uint64_t start_unix_ns;     /* just before it was started, CLOCK_REALTIME */
    uint64_t wall_ns;           /* from there to its end */
    /* in which its first thread could have run, but others had the CPUs; 0: the kernel does not
     * report it */
    uint64_t delay_ns;
};

/* Where the program runs, if not where prof does. */
struct launch_place {
    int in, out, err;           /* descriptors; -1: prof's */
    const cpu_set_t *cpus;      /* NULL: all that prof may use */
};

/* Runs ARGV (found as execvp does) and waits for its end. SETTINGS, strings NAME=VALUE, are added
 * to its environment. PLACE: NULL, as prof itself runs. Signals that are sent to prof go on to the
 * program. 0, or -errno: the program was not started. */
int launch(char **argv, char *const *settings, const struct launch_place *place,
           struct launched *out);

/* Ends prof as the program ended: returns its exit status, or raises the same signal. */
int launch_end_like(const struct launched *l);

#endif
