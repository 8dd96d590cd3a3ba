/* trial.c - one trial: its processes, their output, and their time. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/format.h"
#include "bench/bench.h"
#include "bench/cpus.h"
#include "bench/runner.h"
#include "launch/launch.h"
#include "launch/reach_report.h"

/* A signal that arrived while no trial was running. The handler of trials.c sets it. */
volatile sig_atomic_t bench_interrupted;

/* FNV-1a of all data written to FD. */
static uint64_t hash_of(int fd)
{
    uint64_t h = 0xcbf29ce484222325u;
    char *buffer = format_memory(malloc(1 << 16));
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, buffer, 1 << 16)) > 0)
        for (ssize_t i = 0; i < n; i++)
            h = (h ^ (unsigned char)buffer[i]) * 0x100000001b3u;
    free(buffer);
    return h;
}

char *trial_last_line(int fd)
{
    char tail[512];
    off_t size = lseek(fd, 0, SEEK_END);
    ssize_t n = size > 0
                    ? pread(fd, tail, sizeof tail - 1,
                            size > (off_t)sizeof tail - 1 ? size - ((off_t)sizeof tail - 1) : 0)
                    : 0;
    n = n < 0 ? 0 : n;
    while (n && (tail[n - 1] == '\n' || tail[n - 1] == '-'))   /* mpirun draws lines */
        n--;
    tail[n] = 0;
    char *start = strrchr(tail, '\n');
    return format_clean(start ? start + 1 : tail);
}

static int scratch_file(const struct runner *r)
{
    int fd = open(r->directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        char *name = format_text("%s/out", r->directory);
        fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        unlink(name);
        free(name);
    }
    return fd;
}

/* Opens the file of descriptor FD again. The new descriptor has an offset of its own, which starts
 * at FD's. */
static int input_again(int fd)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int again = open(name, O_RDONLY | O_CLOEXEC);
    if (again >= 0)
        lseek(again, lseek(fd, 0, SEEK_CUR), SEEK_SET);
    return again >= 0 ? again : fd;
}

/* Runs N copies of the one-worker program at once, each on a CPU of its own if ONE_EACH. Stores
 * their results in L. A process for each copy starts it, because launch() waits. */
static int launch_copies(const struct bench *b, char *const *settings,
                         const struct launch_setup *setup, bool one_each, struct launched *l,
                         unsigned n)
{
    int pipes[2], error = 0;
    unsigned started = 0, got = 0;
    if (pipe2(pipes, O_CLOEXEC))
        return -errno;
    for (; started < n; started++) {
        pid_t pid = fork();
        if (pid < 0) {
            error = -errno;
            break;
        }
        if (!pid) {
            struct launched one = { .error = 0 };
            struct launch_setup here = *setup;
            cpu_set_t cpu;
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            if (one_each && cpus_nth(started, &cpu))
                here.cpus = &cpu;
            here.in = input_again(setup->in);
            int failed = launch(setup_command(b, TRIAL_COPIES, &(struct place){ 1, started, n }),
                                settings, &here, &one);
            if (failed)
                one.error = -failed;
            if (write(pipes[1], &one, sizeof one) < 0)
                _exit(1);
            _exit(0);
        }
    }
    close(pipes[1]);
    while (got < started && read(pipes[0], &l[got], sizeof l[got]) == sizeof l[got])
        got++;
    close(pipes[0]);
    for (unsigned i = 0; i < started; i++)
        while (wait(0) < 0 && errno == EINTR)
            ;
    return error ? error : got < n ? -EIO : 0;
}

static void say_failure(struct runner *r, const struct trial *t, int err)
{
    char *line = trial_last_line(err);
    if (r->tty)
        fputs("\r\033[K", stderr);
    fprintf(stderr, "prof: a trial (%s, P = %u) ended with %s %d%s%s\n", trial_kinds[t->kind], t->p,
            t->signaled ? "signal" : "exit status", t->code, *line ? ": " : "", line);
    free(line);
}

static void say_unknown(const struct runner *r, const struct trial *t)
{
    if (r->tty)
        fputs("\r\033[K", stderr);
    fprintf(stderr,
            "prof: a trial (%s, P = %u) declared no costs: under the virtual clock it took no "
            "time, and does not count\n",
            trial_kinds[t->kind], t->p);
}

static double cpu_of(const struct rusage *u)
{
    return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e9 +
           (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e3;
}

static void take_result(struct trial *t, const struct launched *l)
{
    t->wall = l->wall_ns;
    t->cpu = cpu_of(&l->usage);
    t->delay = l->delay_ns;
    t->signaled = WIFSIGNALED(l->status);
    t->code = t->signaled ? WTERMSIG(l->status) : WEXITSTATUS(l->status);
}

/* Sets T's times under the virtual clock: the length of its profile's schedule, or WORK without a
 * profile. What the machine did meanwhile means nothing. False: no costs are known. */
static bool count_virtual(struct trial *t, double work)
{
    if (!t->has_profile)
        t->wall = work;
    t->cpu = t->has_profile ? t->profile.work : work;
    t->other = t->steal = t->delay = 0;
    return t->wall > 0;
}

/* The CPU time so far: of all but prof itself, and stolen. */
static void others_cpu(double *others, double *steal)
{
    struct rusage self;
    getrusage(RUSAGE_SELF, &self);
    machine_cpu(others, steal);
    *others -= cpu_of(&self);
}

/* Has a person or a supervisor sent a signal, while the trial ran or before it? */
static bool is_interrupt(const struct launched *l)
{
    int sig = l->signal ? l->signal : WIFSIGNALED(l->status) ? WTERMSIG(l->status) : 0;
    return bench_interrupted || sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT;
}

/* Adds T if it counts. ERR: its stderr. False: the bench cannot go on. */
static bool add_trial(struct runner *r, struct trial *t, bool timed, bool warm_up, int err)
{
    struct bench *b = r->b;
    if ((t->signaled || (t->code && warm_up)) && !r->stop)
        say_failure(r, t, err);
    if (!timed && !r->stop)
        say_unknown(r, t);
    if (warm_up || r->stop || !timed) {
        findings_free(&t->profile.findings);
        return r->stop || !warm_up || !t->signaled;
    }
    *bench_add(b) = *t;
    if (b->virtual && t->kind == TRIAL_PROFILED) {
        t->kind = TRIAL_NATIVE;
        t->has_profile = false;
        t->profile.findings = (struct bench_findings){ 0 };
        *bench_add(b) = *t;
    }
    return true;
}

/* Runs ARGV, or N copies of it if N > 1, and sets L. Sets *OTHER and *STEAL to the CPU time that
 * other processes and the hypervisor used meanwhile. Returns 0, or an exit status. */
static int run_all(struct runner *r, char **argv, struct settings *s,
                   const struct launch_setup *setup, struct launched *l, unsigned n, double *other,
                   double *steal)
{
    double used[2], stolen[2];
    others_cpu(&used[0], &stolen[0]);
    int error = n > 1 ? launch_copies(r->b, s->all, setup, r->by_affinity, l, n)
                      : launch(argv, s->all, setup, l);
    others_cpu(&used[1], &stolen[1]);
    *other = used[1] - used[0];
    *steal = stolen[1] - stolen[0];
    if (error) {
        fprintf(stderr, "prof: cannot start a process: %s\n", strerror(-error));
        return 2;
    }
    return l->error ? reach_report_not_started(argv[0], l->error) : 0;
}

int trial_run(struct runner *r, enum trial_kind kind, unsigned at, unsigned round, bool warm_up)
{
    struct bench *b = r->b;
    unsigned p = kind == TRIAL_COPIES ? 1 : b->p[at], n = kind == TRIAL_COPIES ? b->p[at] : 1;
    struct launched *l = format_memory(calloc(n, sizeof *l));
    struct settings s;
    cpu_set_t cpus;
    char **argv = setup_command(b, kind, &(struct place){ p, 0, n });
    setup_settings(r, kind, kind == TRIAL_ONE ? 1 : p, &s);
    s.all[s.count] = NULL;
    int out = scratch_file(r), err = scratch_file(r), status = 0;
    struct launch_setup setup = { .in = r->input, .out = out, .err = err };
    if (out < 0 || err < 0) {
        fprintf(stderr, "prof: %s: %s\n", r->directory, strerror(errno));
        status = 2;
    }
    if (!status && r->by_affinity && kind != TRIAL_BASELINE && kind != TRIAL_ELISION &&
        kind != TRIAL_COPIES && cpus_choose(p, &cpus))
        setup.cpus = &cpus;
    if (r->input_start >= 0)
        lseek(r->input, r->input_start, SEEK_SET);
    double other = 0, steal = 0, *work = format_memory(calloc(n, sizeof *work));
    if (!status)
        status = run_all(r, argv, &s, &setup, l, n, &other, &steal);
    unsigned known = b->virtual && kind != TRIAL_PROFILED && !status ? profiles_work(r, work, n)
                                                                     : 0;
    for (unsigned i = 0; i < n && !status; i++) {
        struct trial t = { .kind = kind, .p = b->p[at], .round = round };
        take_result(&t, &l[i]);
        other -= t.cpu;
        if (i + 1 == n) {
            t.other = other > 0 ? other : 0;
            t.steal = steal;
        }
        r->stop |= is_interrupt(&l[i]);
        if (kind == TRIAL_PROFILED)
            profiles_take(r, &t, l, at, warm_up);
        bool timed = !b->virtual || warm_up || count_virtual(&t, i < known ? work[i] : 0);
        t.output = n > 1 ? 0 : hash_of(out);
        if (!add_trial(r, &t, timed, warm_up, err))
            status = 1;
    }
    free(work);
    setup_free_settings(&s);
    setup_free_command(argv);
    free(l);
    if (out >= 0)
        close(out);
    if (err >= 0)
        close(err);
    return status;
}
