/* again.h - a program under `prof run`, as often as somebody wants to know something of it. */
#ifndef REPORT_LAUNCH_AGAIN_H
#define REPORT_LAUNCH_AGAIN_H

#include <stdbool.h>

/* Runs COMMAND (NULL-terminated) by prof run with OPTIONS (NULL-terminated), its profile in PATH,
 * no report. QUIET: what it prints is dropped. The status is the program's, as waitpid gives it;
 * -1: no process. A signal that would end prof goes on to the program, is raised here when that has
 * ended, and is the status, whatever the program made of it. */
int again(char *const *command, const char *path, const char *const *options, bool quiet);

#endif
