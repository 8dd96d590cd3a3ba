/* again.h - runs a program under `prof run` once more, for a command that needs several runs. */
#ifndef REPORT_LAUNCH_AGAIN_H
#define REPORT_LAUNCH_AGAIN_H

#include <stdbool.h>

/* Runs COMMAND (NULL-terminated) by prof run with OPTIONS (NULL-terminated), without a report. Its
 * profile is in PATH. QUIET: its output is dropped. The status is the program's, as waitpid gives
 * it; -1: no process. A signal that would end prof is sent on to the program, and raised here when
 * the program has ended. Then it is the status, whatever the program made of it. */
int again(char *const *command, const char *path, const char *const *options, bool quiet);

#endif
