/* job_scaling.c - runs an MPI job with several numbers of ranks; see job_scaling.h. */
#define _GNU_SOURCE
#include "bench/job_scaling.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "analysis/paths.h"
#include "base/format.h"
#include "base/self.h"
#include "bench/runner.h"
#include "launch/launch.h"
#include "profile/profile.h"

/* The command of a run: a shell reads the launcher's words. PROFILE: NULL, or the job's file. */
static char **command_of(const struct job_scaling *b, unsigned p, const char *prof,
                         const char *profile)
{
    size_t n = 0, k = 0;
    while (b->command[n])
        n++;
    char **argv = format_memory(calloc(n + 12, sizeof *argv));
    const struct place at = { p, 0, 1 };
    char *launcher = setup_with_place(b->launcher, &at);
    argv[k++] = format_text("%s", "/bin/sh");
    argv[k++] = format_text("%s", "-c");
    argv[k++] = format_text("exec %s \"$@\"", launcher);
    argv[k++] = format_text("%s", "sh");
    if (profile) {
        const char *const run[] = { prof, "run", "--no-report", "-o", profile, "--" };
        for (unsigned i = 0; i < sizeof run / sizeof run[0]; i++)
            argv[k++] = format_text("%s", run[i]);
    }
    for (size_t i = 0; i < n; i++)
        argv[k++] = setup_with_place(b->command[i], &at);
    free(launcher);
    return argv;
}

/* Prints why the run at P failed, unless a person has ended it. ERR: its stderr. Returns prof's
 * exit status. */
static int failed(const struct launched *l, unsigned p, bool profiled, int err)
{
    if (l->signal)
        return 128 + l->signal;
    char *line = trial_last_line(err);
    bool signal = WIFSIGNALED(l->status);
    fprintf(stderr, "prof: a run (%s, %u rank%s) ended with %s %d%s%s\n",
            profiled ? "profiled" : "native", p, p == 1 ? "" : "s",
            signal ? "signal" : "exit status",
            signal ? WTERMSIG(l->status) : WEXITSTATUS(l->status), *line ? ": " : "", line);
    free(line);
    return 2;
}

/* Adds the profile's figures to the sums in POINT. */
static void take_profile(struct job_point *point, const char *profile)
{
    struct profile p;
    struct summary m;
    struct efficiencies e;
    if (profile_open(&p, profile))
        return;
    summary_new(&m, &p, false);
    bool alone = !p.rank_count || p.ranks->size != point->p;
    point->alone += alone;
    if (!alone && summary_efficiencies(&m, &e)) {
        struct efficiencies *to = &point->efficiencies;
        to->hybrid = e.hybrid;
        to->parallel += e.parallel;
        to->load_balance += e.load_balance;
        to->communication += e.communication;
        to->serialisation += e.serialisation;
        to->transfer += e.transfer;
        to->mpi += e.mpi;
        to->threads += e.threads;
        point->work += m.work;
        point->span += m.span;
        point->workers += p.totals.workers;
        point->profiles++;
    }
    summary_free(&m);
    profile_close(&p);
}

static int run_one(struct job_scaling *b, struct job_point *point, const char *prof,
                   const char *profile)
{
    struct launched l = { 0 };
    FILE *err = tmpfile();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), status = 2;
    struct launch_setup setup = { .in = null, .out = null, .err = err ? fileno(err) : null };
    char **argv = command_of(b, point->p, prof, profile);
    if (profile)
        unlink(profile);
    int error = launch(argv, (char *const[]){ 0 }, &setup, &l);
    if (error || l.error)
        fprintf(stderr, "prof: cannot start a run: %s\n", strerror(error ? -error : l.error));
    else if (l.signal || l.status)
        status = failed(&l, point->p, profile, setup.err);
    else {
        moments_add(profile ? &point->profiled : &point->native, l.wall_ns);
        if (profile)
            take_profile(point, profile);
        status = 0;
    }
    setup_free_command(argv);
    if (err)
        fclose(err);
    if (null >= 0)
        close(null);
    return status;
}

static int run_round(struct job_scaling *b, const char *prof, unsigned round)
{
    for (unsigned i = 0; i < 2 * b->count; i++) {
        unsigned k = round % 2 ? 2 * b->count - 1 - i : i;
        struct job_point *point = &b->points[k / 2];
        int status = run_one(b, point, prof, k % 2 ? point->profile : NULL);
        if (status)
            return status;
    }
    return 0;
}

static void take_findings(struct job_point *x)
{
    struct profile p;
    struct summary m;
    struct paths paths, *have = NULL;
    if (!x->profiles || profile_open(&p, x->profile))
        return;
    summary_new(&m, &p, false);
    if (p.node_count)
        paths_new(have = &paths, &m, false, false, 0);
    findings_take(&x->findings, &m, have);
    if (have)
        paths_free(have);
    summary_free(&m);
    profile_close(&p);
}

static void finish(struct job_scaling *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        struct job_point *x = &b->points[i];
        take_findings(x);
        double *const means[] = { &x->efficiencies.parallel,      &x->efficiencies.load_balance,
                                  &x->efficiencies.communication, &x->efficiencies.serialisation,
                                  &x->efficiencies.transfer,      &x->efficiencies.mpi,
                                  &x->efficiencies.threads,       &x->work,
                                  &x->span,                       &x->workers };
        for (unsigned k = 0; k < sizeof means / sizeof means[0]; k++)
            *means[k] = x->profiles ? *means[k] / x->profiles : NAN;
    }
}

/* Removes FOLDER, and what a run that ended early has left in it. */
static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

static void remove_all(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Can files be made beside OUTPUT? False after a line on stderr. */
static bool can_write(const char *output)
{
    const char *slash = strrchr(output, '/');
    char *folder = slash ? format_text("%.*s", (int)(slash + 1 - output), output)
                         : format_text("%s", ".");
    bool good = !access(folder, W_OK | X_OK);
    if (!good)
        fprintf(stderr, "prof: %s: %s\n", folder, strerror(errno));
    free(folder);
    return good;
}

int job_scaling_run(struct job_scaling *b)
{
    char *prof = self_path(), *folder = NULL;
    int status = b->output && !can_write(b->output) ? 2 : 0;
    if (!b->output) {
        const char *tmp = getenv("TMPDIR");
        folder = format_text("%s/prof-bench.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
        if (!mkdtemp(folder)) {
            fprintf(stderr, "prof: %s: %s\n", folder, strerror(errno));
            status = 2;
        }
    }
    for (unsigned i = 0; i < b->count; i++)
        b->points[i].profile = format_text("%s%sp%u.prof", folder ? folder : b->output,
                                           folder ? "/" : ".", b->points[i].p);
    for (unsigned round = 0; round < b->rounds && !status; round++)
        status = run_round(b, prof, round);
    finish(b);
    if (folder)
        remove_all(folder);
    free(folder);
    free(prof);
    return status;
}

void job_scaling_free(struct job_scaling *b)
{
    for (unsigned i = 0; i < b->count; i++)
        free(b->points[i].profile), findings_free(&b->points[i].findings);
}

/* How many times as many ranks as the smallest P, if the work should not grow with them. */
static double more(const struct job_scaling *b, unsigned i)
{
    return (double)b->points[i].p / b->points[0].p;
}

double job_efficiency(const struct job_scaling *b, unsigned i)
{
    const struct job_point *first = &b->points[0], *x = &b->points[i];
    return x->native.n ? first->native.mean / (x->native.mean * (b->weak ? 1 : more(b, i))) : NAN;
}

double job_work_scaling(const struct job_scaling *b, unsigned i)
{
    double grown = b->weak ? more(b, i) : 1;
    return b->points[i].work > 0 ? b->points[0].work * grown / b->points[i].work : NAN;
}
