/* trials.c - the trials of `prof bench`.
 *
 * A round runs each kind of trial at each P once. The next round runs them in the opposite order,
 * so that a machine that slows down or gets busy affects all alike. Native trials run the program
 * as it is, except for the setting of the number of workers. Profiled trials run it under libprof.
 * The program's output is hashed and dropped. Its input is the same for every trial.
 *
 * Under the virtual clock no time passes. A trial is a run under libprof. Its time is the length of
 * a greedy schedule, on P workers, of the dag that it recorded. It is native and profiled at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/format.h"
#include "bench/bench.h"
#include "bench/runner.h"
#include "launch/library.h"
#include "launch/reach_report.h"
#include "launch/written.h"

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void progress(struct runner *r, enum trial_kind kind, unsigned p)
{
    if (!r->tty)
        return;
    double passed = now_ns() - r->started;
    char left[FORMAT_SIZE];
    fprintf(stderr, "\r\033[K[%u/%u] %s, P = %u%s%s", r->done + 1, r->all, trial_kinds[kind], p,
            r->done ? ", about " : "",
            r->done ? format_short_ns(passed / r->done * (r->all - r->done), left) : "");
    if (r->done)
        fputs(" left", stderr);
    fflush(stderr);
}

static int one(struct runner *r, enum trial_kind kind, unsigned at, unsigned round)
{
    progress(r, kind, r->b->p[at]);
    int status = trial_run(r, kind, at, round, false);
    r->done++;
    return status;
}

/* Runs one round; every other round runs backwards. */
static int run_round(struct runner *r, unsigned round)
{
    const struct bench *b = r->b;
    struct { enum trial_kind kind; unsigned at; } order[3 * BENCH_PROCESSORS + 3];
    unsigned n = 0;
    if (b->baseline)
        order[n].kind = TRIAL_BASELINE, order[n++].at = 0;
    if (b->elision)
        order[n].kind = TRIAL_ELISION, order[n++].at = 0;
    for (unsigned i = 0; i < b->p_count; i++) {
        if (!b->virtual)
            order[n].kind = TRIAL_NATIVE, order[n++].at = i;
        order[n].kind = TRIAL_PROFILED, order[n++].at = i;
        if (r->how->one && i && r->by_environment)
            order[n].kind = TRIAL_ONE, order[n++].at = i;
    }
    if (r->how->copies && runner_judged(b))
        order[n].kind = TRIAL_COPIES, order[n++].at = runner_judged(b);
    r->all = n * b->rounds;
    int status = 0;
    for (unsigned i = 0; i < n && !status && !r->stop; i++) {
        unsigned k = round % 2 ? n - 1 - i : i;
        status = one(r, order[k].kind, order[k].at, round);
    }
    return status;
}

/* Makes the first run, which does not count. It warms caches up and shows which runtimes the
 * program uses; by these, chooses how the number of workers is set. */
static int choose_control(struct runner *r)
{
    struct bench *b = r->b;
    const char *wanted = r->how->control;
    r->by_environment = wanted && !strcmp(wanted, "runtime");
    r->by_affinity = wanted && !strcmp(wanted, "affinity");
    int status = trial_run(r, TRIAL_PROFILED, runner_judged(b), 0, true);
    if (wanted && strcmp(wanted, "runtime"))
        r->by_environment = false;
    else if (!r->by_environment)
        r->by_affinity = wanted || !b->virtual;
    if (r->how->one && !r->by_environment)
        fputs("prof: --work-by-p is left out: nothing but {P} sets the number of workers\n",
              stderr);
    b->control = format_text("%s", r->by_environment ? "runtime"
                                   : r->by_affinity  ? "affinity"
                                                     : "none");
    return status;
}

static void open_input(struct runner *r)
{
    struct stat st;
    r->input_start = -1;
    r->input = -1;
    if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode)) {
        r->input_start = lseek(STDIN_FILENO, 0, SEEK_CUR);
        r->input = STDIN_FILENO;
        return;
    }
    if (!fstat(STDIN_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        fputs("prof: standard input can be read only once: trials get none (a file can be read "
              "again)\n",
              stderr);
    r->input = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* The path of libprof_workers.so beside LIBRARY, or NULL if it is not there. The caller frees
 * it. */
static char *workers_beside(const char *library)
{
    const char *slash = strrchr(library, '/');
    char *name = format_text("%.*slibprof_workers.so", slash ? (int)(slash + 1 - library) : 0,
                             library);
    if (!access(name, R_OK))
        return name;
    fprintf(stderr, "prof: %s: %s: native trials take the runtime's own number of workers\n", name,
            strerror(errno));
    free(name);
    return 0;
}

/* Makes a directory for profiles beside the file of -o, so that a profile can be moved there. Its
 * path is absolute, because the program may change its directory. */
static bool make_directory(struct runner *r)
{
    const char *tmp = getenv("TMPDIR");
    char *name = r->how->output
                     ? format_text("%s.XXXXXX", r->how->output)
                     : format_text("%s/prof-bench.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    if (mkdtemp(name))
        r->directory = realpath(name, 0);
    if (!r->directory) {
        fprintf(stderr, "prof: %s: %s\n", name, strerror(errno));
        free(name);
        return false;
    }
    free(name);
    r->pattern = written_literal(r->directory);
    return true;
}

static void interrupt(int sig)
{
    bench_interrupted = sig;
}

int bench_trials(struct bench *b, const struct bench_how *how)
{
    struct runner r = { .b = b, .how = how, .tty = !how->quiet && isatty(STDERR_FILENO) };
    int status = 2;
    machine_facts(&b->machine);
    struct timespec start;
    clock_gettime(CLOCK_REALTIME, &start);
    b->start_unix_ns = start.tv_sec * 1e9 + start.tv_nsec;
    r.library = library_find();
    if (!r.library)
        return 2;
    struct sigaction old[2], act = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
    sigaction(SIGINT, &act, &old[0]);
    sigaction(SIGTERM, &act, &old[1]);
    if (make_directory(&r)) {
        r.workers_library = workers_beside(r.library);
        r.reached = reach_report(b->command[0], r.asan);
        open_input(&r);
        double throttled = machine_throttled();
        status = choose_control(&r);
        r.started = now_ns();
        for (unsigned i = 0; i < b->rounds && !status && !r.stop && !bench_interrupted; i++) {
            if (!b->virtual)
                machine_loop(&b->machine, b->p[runner_judged(b)]);
            status = run_round(&r, i);
        }
        b->machine.throttled = machine_throttled() - throttled;
        b->interrupted = r.stop || bench_interrupted;
        if (r.tty)
            fputs("\r\033[K", stderr);
        profiles_finish_functions(b);
        profiles_finish_kept(&r);
        profiles_remove(&r);
        rmdir(r.directory);
        if (r.input > STDERR_FILENO)
            close(r.input);
    }
    sigaction(SIGINT, &old[0], 0);
    sigaction(SIGTERM, &old[1], 0);
    free(r.workers_library);
    library_done(r.library);
    free(r.directory);
    free(r.pattern);
    return status;
}
