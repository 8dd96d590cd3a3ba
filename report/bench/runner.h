/* runner.h - what setup.c, profiles.c, trial.c and trials.c share. These run trials. */
#ifndef REPORT_BENCH_RUNNER_H
#define REPORT_BENCH_RUNNER_H

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include "bench/bench.h"
#include "launch/launch.h"
#include "launch/reach_report.h"

enum { TRIAL_SETTINGS = 80 };

struct runner {
    struct bench *b;
    const struct bench_how *how;
    char *library, *workers_library, asan[32];
    enum reached reached;
    char *directory, *pattern;  /* for profiles, removed at the end; PROF_OUTPUT's value */
    int input;                  /* the trials' stdin: a file that can be read again, or /dev/null */
    off_t input_start;
    bool tty, by_affinity, by_environment;
    unsigned done, all;
    double started;
    bool stop;                  /* the user interrupted a trial */
};

struct settings {
    char *all[TRIAL_SETTINGS + 1];
    unsigned count;
};

/* The values of {P}, {COPY} and {COPIES} in a trial's arguments. */
struct place { unsigned p, copy, copies; };

extern volatile sig_atomic_t bench_interrupted;

/* The index of the largest P that the machine has; under the virtual clock it has them all. */
unsigned runner_judged(const struct bench *b);

/* setup.c: how a trial is started. Baseline and elision get no settings: they do not depend on
 * P. */
void setup_settings(const struct runner *r, enum trial_kind kind, unsigned p, struct settings *s);
void setup_free_settings(struct settings *s);
/* TEXT with every {P}, {COPY} and {COPIES} replaced. The caller frees it. */
char *setup_with_place(const char *text, const struct place *at);
/* The command of a trial, NULL-terminated; baseline and elision are shell commands. */
char **setup_command(const struct bench *b, enum trial_kind kind, const struct place *at);
void setup_free_command(char **argv);

/* profiles.c: reads the profiles of trials. */
/* Removes all profiles in the directory. */
void profiles_remove(const struct runner *r);
/* Takes the figures of T from the profile with the most work among those of its processes. */
void profiles_take(struct runner *r, struct trial *t, const struct launched *l, unsigned at,
                   bool warm_up);
/* Sets WORK to the work of the trial's processes, at most N, the largest first. Under the virtual
 * clock that is the time of one worker. Returns their number. */
unsigned profiles_work(const struct runner *r, double *work, unsigned n);
/* For -o: keeps, for each P, the profile of the trial that is nearest to the mean time of all
 * trials at P. Until then profiles_take has kept all. */
void profiles_finish_kept(const struct runner *r);
/* Turns the functions' sums of work over trials into means. */
void profiles_finish_functions(struct bench *b);

/* trial.c. Runs a trial of KIND at b->p[AT] and adds it, unless it is the WARM_UP. TRIAL_COPIES
 * runs b->p[AT] copies, of one worker each. Returns 0, or an exit status if no trial can be run. */
int trial_run(struct runner *r, enum trial_kind kind, unsigned at, unsigned round, bool warm_up);
/* The last line that a failed trial wrote to stderr, FD, cleaned; "": none. The caller frees it. */
char *trial_last_line(int fd);

#endif
