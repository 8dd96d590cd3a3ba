/* run_again.h - runs a program under `prof run`, for a command that needs several runs. */
#ifndef REPORT_LAUNCH_RUN_AGAIN_H
#define REPORT_LAUNCH_RUN_AGAIN_H

#include <stdbool.h>

/* Runs COMMAND by prof run with OPTIONS, both NULL-terminated, without a report. The profile goes
 * to PATH; a file that was there is removed before. QUIET drops the program's output. Returns the
 * program's status as waitpid does, or -1 after a line on stderr if there was no process. A signal
 * that would end prof goes to the program, and is raised here once the program has ended. Then the
 * status is that of a program that this signal ended. */
int run_again(char *const *command, const char *path, const char *const *options, bool quiet);

#endif
