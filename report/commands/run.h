/* run.h - runs a program under libprof and reports, for `prof run` and `prof watch`. */
#ifndef REPORT_COMMANDS_RUN_H
#define REPORT_COMMANDS_RUN_H

#include <stdbool.h>
#include <time.h>
#include "launch/job.h"
#include "launch/reach_report.h"
#include "layout/options.h"

#define RUN_SETTINGS 64

struct launch_setup;

struct run {
    const char *output, *report_to, *whatif, *delay;
    bool report, view;
    struct options options;
    char *settings[RUN_SETTINGS + 1];   /* NAME=VALUE for the program, NULL-terminated */
    unsigned setting_count;
    /* of run_program, which sets them before the program starts: */
    enum reached reached;
    char *pattern;              /* of launch/written.h */
    struct job job;             /* of launch/job.h; size 0: prof is no rank of a job */
    struct timespec start;      /* no file of the program is older */
};

/* Adds TEXT, NAME=VALUE, to the settings, which run_program frees. */
void run_set(struct run *r, char *text);
/* The same for a copy of TEXT, a user's --env. False after a line on stderr: it is no setting. */
bool run_set_any(struct run *r, const char *text);

/* Runs COMMAND, at PLACE if it is not NULL, and reports as R states. Returns prof's exit status,
 * or ends prof by the signal that ended COMMAND. Frees R's settings. */
int run_program(struct run *r, char **command, const struct launch_setup *setup);

#endif
