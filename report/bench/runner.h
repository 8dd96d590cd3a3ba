/* runner.h - what the files share that run trials: setup.c, profiles.c, trial.c, trials.c. */
#ifndef REPORT_BENCH_RUNNER_H
#define REPORT_BENCH_RUNNER_H

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include "bench/bench.h"
#include "launch/launch.h"
#include "launch/preload.h"

enum { TRIAL_SETTINGS = 80 };

struct runner {
    struct bench *b;
    const struct bench_how *how;
    char *library, *workers_library, asan[32];
    enum reached reached;
    char *directory, *pattern;  /* of profiles, removed at the end; the same for PROF_OUTPUT */
    int input;                  /* a file that can be read again, or /dev/null */
    off_t input_start;
    bool tty, by_affinity, by_environment;
    unsigned done, all;
    double started;
    /* of the profile that is kept, by P */
    struct { double gap; bool kept; } best[BENCH_PROCESSORS];
    bool stop;                  /* a person interrupted a trial */
};

struct settings {
    char *all[TRIAL_SETTINGS + 1];
    unsigned count;
};

/* A trial's place, for the program's arguments: the I-th of COPIES that run at once. */
struct place { unsigned p, copy, copies; };

extern volatile sig_atomic_t bench_interrupted;

/* The index of the largest P that the machine has; under the virtual clock it has them all. */
unsigned runner_judged(const struct bench *b);

/* setup.c: how a trial is started. Baseline and elision get no settings: they know nothing of P. */
void setup_settings(const struct runner *r, enum trial_kind kind, unsigned p, struct settings *s);
void setup_free_settings(struct settings *s);
/* The command of a trial, NULL-terminated; baseline and elision are shell commands. */
char **setup_command(const struct bench *b, enum trial_kind kind, const struct place *at);
void setup_free_command(char **argv);
/* P of the CPUs that prof may use: first those that are the first of their core, then their
 * siblings. */
bool setup_cpus(unsigned p, cpu_set_t *out);
/* The N-th CPU that prof may use. */
bool setup_nth_cpu(unsigned n, cpu_set_t *out);

/* profiles.c: reads what trials recorded. */
void profiles_remove(const struct runner *r);
/* Takes over the profile with the most work among those of the trial's processes. */
void profiles_take(struct runner *r, struct trial *t, const struct launched *l, unsigned at,
                   bool warm_up);
/* Stores the work of the trial's processes in WORK, at most N, the largest first: under the virtual
 * clock that is the time of one worker. Returns their number. */
unsigned profiles_work(const struct runner *r, double *work, unsigned n);
/* Sums of work over trials become means. */
void profiles_finish_functions(struct bench *b);

/* trial.c. Runs a trial of KIND at b->p[AT] and adds it, unless it is the WARM_UP. Copies: as many
 * as the cores' P, of one worker each. 0, or an exit status: no trial can be run. */
int trial_run(struct runner *r, enum trial_kind kind, unsigned at, unsigned round, bool warm_up);

#endif
