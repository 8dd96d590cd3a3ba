/* bench_run.c - the trials of `prof bench`.
 *
 * Every round has each kind of trial at each P once, and the next round goes through them backwards, so that a machine that slows
 * down or gets busy does so to all alike. Native trials run the program as it is, but for what sets the number of workers;
 * profiled ones run it under libprof. What the program writes is hashed and thrown away; its input is the same for every trial.
 *
 * Under the virtual clock nothing takes time: a trial is a run under libprof, and its time the length of a greedy schedule of
 * the dag that it recorded, on P workers. It is native and profiled at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "analysis/schedule.h"
#include "analysis/simulate.h"
#include "base/format.h"
#include "bench/bench.h"
#include "launch/launch.h"
#include "launch/preload.h"
#include "profile/profile.h"

enum { MAX_SETTINGS = 80, SCHEDULED = 10000000 };       /* SCHEDULED: tasks of a schedule */

/* A signal that came while no trial was running; written by its handler. */
static volatile sig_atomic_t interrupted;

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
    struct { double gap; bool kept; } best[BENCH_PROCESSORS];  /* of the profile that is kept, by P */
    bool stop;                  /* a person interrupted a trial */
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The largest P that the machine has; under the virtual clock it has them all. */
static unsigned judged(const struct bench *b)
{
    unsigned at = 0;
    while (at + 1 < b->p_count && (b->virtual || b->p[at + 1] <= b->machine.allowed))
        at++;
    return at;
}

/* ---- settings of one trial ---- */

struct settings {
    char *all[MAX_SETTINGS + 1];
    unsigned count;
};

static void set(struct settings *s, char *text)
{
    if (s->count == MAX_SETTINGS) {
        free(text);
        return;
    }
    s->all[s->count++] = text;
}

static void preload(struct settings *s, const struct runner *r, const char *library)
{
    const char *first = r->asan;
    if (r->reached == NOT_TO_BE_PRELOADED)
        return;
    const char *user = getenv("LD_PRELOAD");
    set(s, format_text("LD_PRELOAD=%s%s%s%s%s", first, *first ? ":" : "", library, user && *user ? ":" : "", user ? user : ""));
}

/* Baseline and elision run as they are: they know nothing of P. */
static void fill_settings(const struct runner *r, enum trial_kind kind, unsigned p, struct settings *s)
{
    bool parallel = kind != TRIAL_BASELINE && kind != TRIAL_ELISION;
    s->count = 0;
    for (unsigned i = 0; i < r->how->setting_count; i++)
        set(s, format_text("%s", r->how->settings[i]));
    if (r->by_environment && parallel) {
        set(s, format_text("PROF_WORKERS=%u", p));
        set(s, format_text("OMP_NUM_THREADS=%u", p));
        set(s, format_text("OMP_THREAD_LIMIT=%u", p));
    }
    if (kind == TRIAL_PROFILED || r->b->virtual) {
        preload(s, r, r->library);
        set(s, format_text("PROF_OUTPUT=%s/%%e.%%p.prof", r->pattern));
        set(s, format_text("PROF_RUN=%d", r->b->virtual ? 1 : (int)getpid()));
        if (r->b->virtual)
            set(s, format_text("PROF_DAG=256m,0"));
        if (!getenv("PROF_CHECKPOINT"))
            set(s, format_text("PROF_CHECKPOINT=0"));
    } else if (r->by_environment && parallel && r->workers_library) {
        preload(s, r, r->workers_library);
    }
}

static void free_settings(struct settings *s)
{
    for (unsigned i = 0; i < s->count; i++)
        free(s->all[i]);
}

/* What a trial of the program is, for its arguments: the I-th of COPIES that run at once. */
struct place { unsigned p, copy, copies; };

/* TEXT with every {P}, {COPY} and {COPIES} replaced. */
static char *with_place(const char *text, const struct place *at)
{
    const struct { const char *name; unsigned value; } words[] = { { "{P}", at->p }, { "{COPY}", at->copy }, { "{COPIES}", at->copies } };
    char *out = NULL;
    size_t size = 0;
    FILE *f = format_memory(open_memstream(&out, &size));
    for (const char *c = text; *c;) {
        unsigned i = 0;
        while (i < 3 && strncmp(c, words[i].name, strlen(words[i].name)))
            i++;
        if (i < 3) {
            fprintf(f, "%u", words[i].value);
            c += strlen(words[i].name);
        } else {
            fputc(*c++, f);
        }
    }
    fclose(f);
    return format_memory(out);
}

/* The command of a trial, NULL-terminated; baseline and elision are shell commands. */
static char **command_of(const struct bench *b, enum trial_kind kind, const struct place *at)
{
    size_t n = 0;
    while (b->command[n])
        n++;
    char **argv = format_memory(calloc(n < 4 ? 5 : n + 1, sizeof *argv));
    if (kind == TRIAL_BASELINE || kind == TRIAL_ELISION) {
        argv[0] = format_text("/bin/sh");
        argv[1] = format_text("-c");
        argv[2] = format_text("%s", kind == TRIAL_BASELINE ? b->baseline : b->elision);
        return argv;
    }
    for (size_t i = 0; i < n; i++)
        argv[i] = with_place(b->command[i], at);
    return argv;
}

static void free_command(char **argv)
{
    for (char **a = argv; *a; a++)
        free(*a);
    free(argv);
}

/* ---- P CPUs ---- */

/* P of the CPUs that we may use: first those that are the first of their core, then their siblings. */
static bool choose_cpus(unsigned p, cpu_set_t *out)
{
    cpu_set_t all;
    unsigned chosen = 0;
    if (sched_getaffinity(0, sizeof all, &all) || (unsigned)CPU_COUNT(&all) <= p)
        return false;
    CPU_ZERO(out);
    for (int siblings = 0; siblings < 2; siblings++)
        for (int c = 0; c < CPU_SETSIZE && chosen < p; c++) {
            if (!CPU_ISSET(c, &all) || CPU_ISSET(c, out))
                continue;
            int first = c;
            char *name = format_text("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", c);
            FILE *f = fopen(name, "re");
            if (f) {
                if (fscanf(f, "%d", &first) != 1)
                    first = c;
                fclose(f);
            }
            free(name);
            if (siblings || first == c || !CPU_ISSET(first, &all)) {
                CPU_SET(c, out);
                chosen++;
            }
        }
    return chosen == p;
}

/* The N-th CPU that we may use. */
static bool nth_cpu(unsigned n, cpu_set_t *out)
{
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all))
        return false;
    CPU_ZERO(out);
    for (int c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, &all) && n-- == 0) {
            CPU_SET(c, out);
            return true;
        }
    return false;
}

/* ---- profiles ---- */

static char *profiles_glob(const struct runner *r)
{
    return format_text("%s/*.prof", r->directory);
}

static void remove_profiles(const struct runner *r)
{
    char *search = profiles_glob(r);
    glob_t g;
    if (!glob(search, GLOB_NOSORT, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++)
            unlink(g.gl_pathv[i]);
        globfree(&g);
    }
    free(search);
}

static struct bench_function *function_named(struct bench *b, const char *name, const char *file)
{
    for (size_t i = 0; i < b->function_count; i++)
        if (!strcmp(b->functions[i].function, name) && !strcmp(b->functions[i].file, file))
            return &b->functions[i];
    b->functions = format_memory(realloc(b->functions, (b->function_count + 1) * sizeof *b->functions));
    struct bench_function *f = &b->functions[b->function_count++];
    memset(f, 0, sizeof *f);
    f->function = format_text("%s", name);
    f->file = format_text("%s", file);
    return f;
}

/* Of each profile the functions with most work; the sums become means at the end. */
static void add_functions(struct bench *b, struct paths *t, unsigned at)
{
    paths_sort(t, "work");
    for (size_t i = 0; i < t->function_count && i < 2 * BENCH_FUNCTIONS; i++) {
        const struct path_row *row = &t->functions[i];
        char *name = format_clean(row->function), *file = format_clean(row->file ? row->file : "");
        struct bench_function *f = function_named(b, name, file);
        f->work[at] += row->self.work;
        f->samples[at] += row->self.samples;
        free(name);
        free(file);
    }
}

static int compare_functions(const void *a, const void *b)
{
    const struct bench_function *x = a, *y = b;
    double most[2] = { 0, 0 };
    for (unsigned i = 0; i < BENCH_PROCESSORS; i++) {
        most[0] = x->work[i] > most[0] ? x->work[i] : most[0];
        most[1] = y->work[i] > most[1] ? y->work[i] : most[1];
    }
    return most[0] < most[1] ? 1 : most[0] > most[1] ? -1 : strcmp(x->function, y->function);
}

static void finish_functions(struct bench *b)
{
    unsigned n[BENCH_PROCESSORS] = { 0 };
    for (size_t i = 0; i < b->trial_count; i++)
        for (unsigned k = 0; k < b->p_count; k++)
            n[k] += b->trials[i].has_profile && b->trials[i].p == b->p[k];
    for (size_t i = 0; i < b->function_count; i++)
        for (unsigned k = 0; k < b->p_count; k++)
            b->functions[i].work[k] = n[k] ? b->functions[i].work[k] / n[k] : 0;
    if (b->function_count)
        qsort(b->functions, b->function_count, sizeof *b->functions, compare_functions);
    for (; b->function_count > BENCH_FUNCTIONS; b->function_count--) {
        free(b->functions[b->function_count - 1].function);
        free(b->functions[b->function_count - 1].file);
    }
}

/* The function that calls FUNCTION where it costs the span most; NULL: none, or itself. */
static const char *critical_caller(const struct paths *t, const char *function)
{
    const struct path_node *best = 0;
    for (size_t i = 1; i < t->node_count; i++)
        if (!strcmp(t->nodes[i].function, function) && (!best || t->nodes[i].self.span > best->self.span))
            best = &t->nodes[i];
    const char *caller = best && best->parent ? t->nodes[best->parent].function : 0;
    return caller && strcmp(caller, function) ? caller : 0;
}

/* Where most of the critical path is; of one of libc's, or without a file, who calls it. */
static void note_critical(struct bench *b, const struct model *m, struct paths *t)
{
    const struct path_row *row = 0;
    if (t) {
        paths_sort(t, "span");
        row = t->function_count && t->functions[0].self.on_span ? &t->functions[0] : 0;
    }
    const struct row *site = model_heaviest(m);
    if (!row && !site)
        return;
    const char *name = row ? row->function : site->root ? "the program's own code, outside every task" : site->function, *file = row ? row->file : site->file;
    const char *slash = file ? strrchr(file, '/') : 0, *base = slash ? slash + 1 : file ? file : "", *dot = strrchr(base, '.');
    bool foreign = !file || *name == '_' || (dot && !strcmp(dot, ".S"));
    const char *caller = row && foreign ? critical_caller(t, name) : 0;
    char *clean = format_clean(name), *where = format_clean(caller ? caller : base);
    free(b->critical);
    b->critical = format_text("%s%s%s%s", clean, *where ? caller ? ", called by " : " (" : "", where, *where && !caller ? ")" : "");
    b->critical_share = row ? ratio(row->self.span, t->total.span) : site->share;
    free(clean);
    free(where);
}

/* How many of the runtimes that have workers ran tasks. */
static unsigned runtimes_of(const struct profile *p)
{
    bool tbb = false, openmp = false;
    for (size_t i = 0; i < p->site_count; i++) {
        const char *runtime = profile_string(p, p->sites[i].runtime);
        tbb |= !strcmp(runtime, "tbb");
        openmp |= !strcmp(runtime, "openmp");
    }
    return tbb + openmp;
}

static void take_totals(struct trial *t, const struct model *m, const struct paths *paths, const struct launched *l)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    struct trial_profile *q = &t->profile;
    t->has_profile = true;
    q->timed = k->ns_num && strcmp(profile_string(p, k->clock), "virtual");
    q->exact = k->exact;
    q->elapsed = k->elapsed_ns;
    q->startup = k->start_unix_ns > l->start_unix_ns && k->start_unix_ns - l->start_unix_ns < l->wall_ns ? k->start_unix_ns - l->start_unix_ns : 0;
    q->search = k->search_ns;
    q->sleep = k->sleep_ns;
    q->dispatch = k->dispatch_ns;
    q->blocked = k->blocked_ns;
    q->own = k->own_ns;
    q->threads_time = k->threads_ns;
    q->work = m->work;
    q->span = m->span;
    q->burdened_span = m->burdened_span;
    q->average_strand = m->average_strand;
    q->overhead = paths ? paths->total.overhead : 0;
    q->samples = paths ? paths->total.samples : 0;
    q->workers = k->workers;
    q->tasks = k->tasks;
    q->steals = k->steals;
    q->runtimes = runtimes_of(p);
    for (size_t i = 0; i < p->thread_count; i++)
        q->threads += p->threads[i].tasks || p->threads[i].work_cost;
}

/* The profile nearest to the average length of its P so far is the one that -o keeps. */
static void keep_profile(struct runner *r, const char *path, unsigned at, double wall)
{
    const struct bench *b = r->b;
    double sum = 0;
    unsigned n = 0;
    for (size_t i = 0; i < b->trial_count; i++)
        if (b->trials[i].kind == TRIAL_PROFILED && b->trials[i].p == b->p[at]) {
            sum += b->trials[i].wall;
            n++;
        }
    double gap = n ? fabs(wall - sum / n) : INFINITY;
    if (!r->how->output || (r->best[at].kept && gap >= r->best[at].gap))
        return;
    char *name = format_text("%s.p%u.prof", r->how->output, b->p[at]);
    if (!rename(path, name)) {
        r->best[at].kept = true;
        r->best[at].gap = gap;
    } else {
        fprintf(stderr, "prof: %s: %s\n", name, strerror(errno));
    }
    free(name);
}

/* How long the program takes on WORKERS under the virtual clock; 0: its dag is not known. */
static double schedule_length(const struct profile *p, unsigned workers)
{
    if (!p->dag)
        return workers == 1 ? profile_ns(p, p->totals.work_cost) : 0;
    struct schedule *s = schedule_new(p, 0, SCHEDULED);
    double length = s ? profile_ns(p, simulate_greedy(s, workers).time) : 0;
    schedule_free(s);
    return length;
}

/* A profiled trial under the virtual clock: what of its schedule is no work is idle. */
static void take_schedule(struct trial *t, const struct profile *p)
{
    struct trial_profile *q = &t->profile;
    double length = schedule_length(p, t->p);
    q->elapsed = t->wall = length;
    q->threads_time = t->p * length;
    q->search = q->threads_time > q->work ? q->threads_time - q->work : 0;
    q->threads = t->p;
    q->startup = q->sleep = q->dispatch = q->blocked = q->own = 0;
}

/* Of the trial's processes, N at least, each its work: under the virtual clock that is the time of one worker. The largest first. How many there
 * are. */
static unsigned take_work(const struct runner *r, double *work, unsigned n)
{
    char *search = profiles_glob(r);
    struct profile p;
    unsigned found = 0;
    glob_t g;
    if (!glob(search, 0, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            if (profile_open(&p, g.gl_pathv[i]))
                continue;
            double v = profile_ns(&p, p.totals.work_cost);
            profile_close(&p);
            for (unsigned k = 0; v > 0 && k < n; k++)
                if (k == found || v > work[k]) {
                    double less = k == found ? 0 : work[k];
                    found += k == found;
                    work[k] = v;
                    v = less;
                }
        }
        globfree(&g);
    }
    free(search);
    remove_profiles(r);
    return found;
}

/* The profile with the most work among those of the trial's processes. */
static void take_profile(struct runner *r, struct trial *t, const struct launched *l, unsigned at, bool warm_up)
{
    char *search = profiles_glob(r), *path = 0;
    struct profile p;
    double most = -1;
    glob_t g;
    if (!glob(search, 0, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            if (profile_open(&p, g.gl_pathv[i]))
                continue;
            double work = p.totals.tasks ? profile_ns(&p, p.totals.work_cost) : 0;
            if (work > most) {
                most = work;
                free(path);
                path = format_text("%s", g.gl_pathv[i]);
            }
            profile_close(&p);
        }
        globfree(&g);
    }
    free(search);
    if (path && !profile_open(&p, path)) {
        struct model m;
        struct paths paths, *have = 0;
        model_new(&m, &p, false);
        if (p.node_count)
            paths_new(have = &paths, &m, false, false, 0);
        if (warm_up) {
            r->b->virtual = !strcmp(profile_string(&p, p.totals.clock), "virtual");
            r->by_environment |= runtimes_of(&p) > 0;
        } else if (p.totals.tasks) {
            take_totals(t, &m, have, l);
            if (r->b->virtual)
                take_schedule(t, &p);
            if (have)
                add_functions(r->b, have, at);
            if (at == judged(r->b) || !*r->b->critical)
                note_critical(r->b, &m, have);
        }
        if (have)
            paths_free(have);
        model_free(&m);
        profile_close(&p);
        if (t->has_profile)
            keep_profile(r, path, at, t->wall);
    }
    free(path);
    remove_profiles(r);
}

/* ---- one trial ---- */

/* FNV-1a of all that was written to FD. */
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

/* The last line that a failed trial wrote to stderr, for people; "": none. */
static char *last_line(int fd)
{
    char tail[512];
    off_t size = lseek(fd, 0, SEEK_END);
    ssize_t n = size > 0 ? pread(fd, tail, sizeof tail - 1, size > (off_t)sizeof tail - 1 ? size - ((off_t)sizeof tail - 1) : 0) : 0;
    n = n < 0 ? 0 : n;
    while (n && tail[n - 1] == '\n')
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

/* The file of descriptor FD with a place of its own in it: that of FD. */
static int input_again(int fd)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int again = open(name, O_RDONLY | O_CLOEXEC);
    if (again >= 0)
        lseek(again, lseek(fd, 0, SEEK_CUR), SEEK_SET);
    return again >= 0 ? again : fd;
}

/* N processes of the one-worker program at once, on a CPU of its own if ONE_EACH, their results in L; each is started by a process of
 * its own, since launch() waits. */
static int launch_copies(const struct bench *b, char *const *settings, const struct launch_place *place, bool one_each, struct launched *l,
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
            struct launch_place here = *place;
            cpu_set_t cpu;
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            if (one_each && nth_cpu(started, &cpu))
                here.cpus = &cpu;
            here.in = input_again(place->in);
            int failed = launch(command_of(b, TRIAL_COPIES, &(struct place){ 1, started, n }), settings, &here, &one);
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
    char *line = last_line(err);
    if (r->tty)
        fputs("\r\033[K", stderr);
    fprintf(stderr, "prof: a trial (%s, P = %u) ended with %s %d%s%s\n", trial_kinds[t->kind], t->p, t->signaled ? "signal" : "exit status", t->code,
            *line ? ": " : "", line);
    free(line);
}

static void say_unknown(const struct runner *r, const struct trial *t)
{
    if (r->tty)
        fputs("\r\033[K", stderr);
    fprintf(stderr, "prof: a trial (%s, P = %u) declared no costs: under the virtual clock it took no time, and does not count\n", trial_kinds[t->kind],
            t->p);
}

static double cpu_of(const struct rusage *u)
{
    return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e9 + (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e3;
}

static void take_result(struct trial *t, const struct launched *l)
{
    t->wall = l->wall_ns;
    t->cpu = cpu_of(&l->usage);
    t->delay = l->delay_ns;
    t->signaled = WIFSIGNALED(l->status);
    t->code = t->signaled ? WTERMSIG(l->status) : WEXITSTATUS(l->status);
}

/* Under the virtual clock T took as long as the schedule of its profile, or else as WORK; what the machine did meanwhile means nothing.
 * False: no costs are known. */
static bool count_virtual(struct trial *t, double work)
{
    if (!t->has_profile)
        t->wall = work;
    t->cpu = t->has_profile ? t->profile.work : work;
    t->other = t->steal = t->delay = 0;
    return t->wall > 0;
}

/* CPU time so far: of everything but prof itself, and stolen. */
static void others_cpu(double *others, double *steal)
{
    struct rusage self;
    getrusage(RUSAGE_SELF, &self);
    machine_cpu(others, steal);
    *others -= cpu_of(&self);
}

/* By a person, or a supervisor, while the trial ran or before it. */
static bool is_interrupt(const struct launched *l)
{
    int sig = l->signal ? l->signal : WIFSIGNALED(l->status) ? WTERMSIG(l->status) : 0;
    return interrupted || sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT;
}

/* Runs a trial of KIND at b->p[AT] and adds it, unless it is the WARM_UP. Copies: as many as the cores' P, of one worker each. 0, or an
 * exit status: no trial can be run. */
static int run_trial(struct runner *r, enum trial_kind kind, unsigned at, unsigned round, bool warm_up)
{
    struct bench *b = r->b;
    unsigned p = kind == TRIAL_COPIES ? 1 : b->p[at], n = kind == TRIAL_COPIES ? b->p[at] : 1;
    struct launched *l = format_memory(calloc(n, sizeof *l));
    struct settings s;
    cpu_set_t cpus;
    char **argv = command_of(b, kind, &(struct place){ p, 0, n });
    fill_settings(r, kind, kind == TRIAL_ONE ? 1 : p, &s);
    s.all[s.count] = NULL;
    int out = scratch_file(r), err = scratch_file(r), status = 0;
    struct launch_place place = { r->input, out, err, 0 };
    if (out < 0 || err < 0) {
        fprintf(stderr, "prof: %s: %s\n", r->directory, strerror(errno));
        status = 2;
    }
    if (!status && r->by_affinity && kind != TRIAL_BASELINE && kind != TRIAL_ELISION && kind != TRIAL_COPIES && choose_cpus(p, &cpus))
        place.cpus = &cpus;
    if (r->input_start >= 0)
        lseek(r->input, r->input_start, SEEK_SET);
    double others[2], steal[2];
    others_cpu(&others[0], &steal[0]);
    int error = status ? 0 : n > 1 ? launch_copies(b, s.all, &place, r->by_affinity, l, n) : launch(argv, s.all, &place, l);
    others_cpu(&others[1], &steal[1]);
    if (error) {
        fprintf(stderr, "prof: cannot start a process: %s\n", strerror(-error));
        status = 2;
    } else if (!status && l->error) {
        status = preload_not_started(argv[0], l->error);
    }
    double other = others[1] - others[0], *work = format_memory(calloc(n, sizeof *work));
    unsigned known = b->virtual && kind != TRIAL_PROFILED && !status ? take_work(r, work, n) : 0;
    for (unsigned i = 0; i < n && !status; i++) {
        struct trial t = { .kind = kind, .p = b->p[at], .round = round };
        take_result(&t, &l[i]);
        other -= t.cpu;
        if (i + 1 == n) {
            t.other = other > 0 ? other : 0;
            t.steal = steal[1] - steal[0];
        }
        r->stop |= is_interrupt(&l[i]);
        if (kind == TRIAL_PROFILED)
            take_profile(r, &t, l, at, warm_up);
        bool timed = !b->virtual || warm_up || count_virtual(&t, i < known ? work[i] : 0);
        if ((t.signaled || (t.code && warm_up)) && !r->stop)
            say_failure(r, &t, err);
        t.output = n > 1 ? 0 : hash_of(out);
        if (warm_up && t.signaled && !r->stop)
            status = 1;         /* nothing can come of it */
        if (!timed && !r->stop)
            say_unknown(r, &t);
        if (!warm_up && !r->stop && timed)
            *bench_add(b) = t;
        if (!warm_up && !r->stop && timed && b->virtual && kind == TRIAL_PROFILED) {
            t.kind = TRIAL_NATIVE;
            t.has_profile = false;
            *bench_add(b) = t;
        }
    }
    free(work);
    free_settings(&s);
    free_command(argv);
    free(l);
    if (out >= 0)
        close(out);
    if (err >= 0)
        close(err);
    return status;
}

/* ---- all of them ---- */

static void progress(struct runner *r, enum trial_kind kind, unsigned p)
{
    if (!r->tty)
        return;
    double passed = now_ns() - r->started;
    char left[FORMAT_SIZE];
    fprintf(stderr, "\r\033[K[%u/%u] %s, P = %u%s%s", r->done + 1, r->all, trial_kinds[kind], p, r->done ? ", about " : "",
            r->done ? format_short_ns(passed / r->done * (r->all - r->done), left) : "");
    if (r->done)
        fputs(" left", stderr);
    fflush(stderr);
}

static int one(struct runner *r, enum trial_kind kind, unsigned at, unsigned round)
{
    progress(r, kind, r->b->p[at]);
    int status = run_trial(r, kind, at, round, false);
    r->done++;
    return status;
}

/* One round, every other one backwards. */
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
    if (r->how->copies && judged(b))
        order[n].kind = TRIAL_COPIES, order[n++].at = judged(b);
    r->all = n * b->rounds;
    int status = 0;
    for (unsigned i = 0; i < n && !status && !r->stop; i++) {
        unsigned k = round % 2 ? n - 1 - i : i;
        status = one(r, order[k].kind, order[k].at, round);
    }
    return status;
}

/* The first run, which is not counted: it warms caches up and tells which runtimes the program uses. */
static int choose_control(struct runner *r)
{
    struct bench *b = r->b;
    const char *wanted = r->how->control;
    r->by_environment = wanted && !strcmp(wanted, "runtime");
    r->by_affinity = wanted && !strcmp(wanted, "affinity");
    int status = run_trial(r, TRIAL_PROFILED, judged(b), 0, true);
    if (wanted && strcmp(wanted, "runtime"))
        r->by_environment = false;
    else if (!r->by_environment)
        r->by_affinity = wanted || !b->virtual;
    if (r->how->one && !r->by_environment)
        fputs("prof: --work-by-p is left out: nothing but {P} sets the number of workers\n", stderr);
    b->control = format_text("%s", r->by_environment ? "runtime" : r->by_affinity ? "affinity" : "none");
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
        fputs("prof: standard input can be read only once: trials get none (a file can be read again)\n", stderr);
    r->input = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Beside LIBRARY. NULL: it is not there. */
static char *workers_beside(const char *library)
{
    const char *slash = strrchr(library, '/');
    char *name = format_text("%.*slibprof_workers.so", slash ? (int)(slash + 1 - library) : 0, library);
    if (!access(name, R_OK))
        return name;
    fprintf(stderr, "prof: %s: %s: native trials take the runtime's own number of workers\n", name, strerror(errno));
    free(name);
    return 0;
}

/* Beside what -o writes, so that profiles can be moved there; absolute, since the program may change its directory. */
static bool make_directory(struct runner *r)
{
    const char *tmp = getenv("TMPDIR");
    char *name = r->how->output ? format_text("%s.XXXXXX", r->how->output) : format_text("%s/prof-bench.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    if (mkdtemp(name))
        r->directory = realpath(name, 0);
    if (!r->directory) {
        fprintf(stderr, "prof: %s: %s\n", name, strerror(errno));
        free(name);
        return false;
    }
    free(name);
    char *to = r->pattern = format_memory(malloc(2 * strlen(r->directory) + 1));
    for (const char *c = r->directory; *c; *to++ = *c++)
        if (*c == '%')
            *to++ = '%';
    *to = 0;
    return true;
}

static void interrupt(int sig)
{
    interrupted = sig;
}

int bench_trials(struct bench *b, const struct bench_how *how)
{
    struct runner r = { .b = b, .how = how, .tty = !how->quiet && isatty(STDERR_FILENO) };
    int status = 2;
    machine_facts(&b->machine);
    b->critical = format_text("%s", "");
    struct timespec start;
    clock_gettime(CLOCK_REALTIME, &start);
    b->start_unix_ns = start.tv_sec * 1e9 + start.tv_nsec;
    r.library = preload_find_library();
    if (!r.library)
        return 2;
    struct sigaction old[2], act = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
    sigaction(SIGINT, &act, &old[0]);
    sigaction(SIGTERM, &act, &old[1]);
    if (make_directory(&r)) {
        r.workers_library = workers_beside(r.library);
        r.reached = preload_look_at(b->command[0], r.asan);
        open_input(&r);
        double throttled = machine_throttled();
        status = choose_control(&r);
        r.started = now_ns();
        for (unsigned i = 0; i < b->rounds && !status && !r.stop && !interrupted; i++) {
            if (!b->virtual)
                machine_loop(&b->machine, b->p[judged(b)]);
            status = run_round(&r, i);
        }
        b->machine.throttled = machine_throttled() - throttled;
        b->interrupted = r.stop || interrupted;
        if (r.tty)
            fputs("\r\033[K", stderr);
        finish_functions(b);
        remove_profiles(&r);
        rmdir(r.directory);
        if (r.input > STDERR_FILENO)
            close(r.input);
    }
    sigaction(SIGINT, &old[0], 0);
    sigaction(SIGTERM, &old[1], 0);
    free(r.workers_library);
    free(r.library);
    free(r.directory);
    free(r.pattern);
    return status;
}
