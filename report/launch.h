/* launch.h - one program, run as if prof were not there: its signals, exit status and death. */
#ifndef REPORT_LAUNCH_H
#define REPORT_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct launched {
    pid_t pid;
    int status;                 /* as waitpid gives it */
    int error;                  /* errno of the exec that failed, else 0 */
};

/* Runs ARGV (found as execvp does) with NAME=VALUE strings SETTINGS added to its environment and
 * waits for its end. Signals sent to prof go on to the program. 0, or -errno: it was not started. */
int launch(char **argv, char *const *settings, struct launched *out);

/* Ends prof as the program ended: returns its exit status, or dies by the same signal. */
int launch_end_like(const struct launched *l);

#endif
