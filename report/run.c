/* run.c - `prof run`: the program under libprof, then the report.
 *
 * The program's input, output, exit status and death by signal are its own: the report goes to
 * stderr (or --report-to FILE), and prof ends as the program ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"
#include "report.h"

static volatile sig_atomic_t child_pid;

/* A signal sent to prof is meant for the program. What the terminal sends reaches both by itself. */
static void forward(int sig, siginfo_t *info, void *context)
{
    if (info->si_code <= 0 && child_pid > 0)
        kill(child_pid, sig);
}

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT };

/* libprof.so: beside prof (the build tree), or where `make install` put it, or PROF_LIBRARY. */
static char *find_library(void)
{
    static const char *const places[] = { "libprof.so", "../lib/libprof/libprof.so",
                                          "../lib/x86_64-linux-gnu/libprof/libprof.so" };
    const char *set = getenv("PROF_LIBRARY");
    if (set && *set)
        return access(set, R_OK) ? 0 : realpath(set, 0);
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n < 0)
        return 0;
    exe[n] = 0;
    *strrchr(exe, '/') = 0;
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        char *full;
        if (asprintf(&full, "%s/%s", exe, places[i]) < 0)
            return 0;
        char *found = realpath(full, 0);
        free(full);
        if (found)
            return found;
    }
    return 0;
}

static void prepend_preload(const char *library)
{
    const char *old = getenv("LD_PRELOAD");
    char *value;
    if (asprintf(&value, old && *old ? "%s:%s" : "%s", library, old) < 0)
        abort();
    setenv("LD_PRELOAD", value, 1);
    free(value);
}

static const char usage[] =
    "usage: prof run [options] [--] PROGRAM [arguments]\n"
    "  -o, --output FILE     the profile (default PROGRAM.PID.prof)\n"
    "  -c, --clock CLOCK     PROF_CLOCK: tsc, wall, virtual, instructions, cycles, ...\n"
    "  -b, --burden N        PROF_BURDEN: auto, cilkview, or ns\n"
    "  -e, --env KEY=VALUE   any other setting for the program\n"
    "      --no-report       only write the profile\n"
    "      --report-to FILE  the report there instead of stderr\n"
    "  -s, --sort KEY, -m, --measure KIND, --json: as for prof report\n"
    "The exit status, or the signal that ended it, is the program's.\n";

struct run {
    const char *output, *report_to;
    bool report;
    struct options options;
};

/* The program's profile: exactly as named, or by the library's default pattern. */
static char *profile_path(const struct run *r, const char *program, pid_t pid)
{
    char *path;
    const char *base = strrchr(program, '/');
    if (r->output && !strchr(r->output, '%'))
        return strdup(r->output);
    if (r->output)
        return 0;               /* the library fills in the pattern; we do not guess */
    if (asprintf(&path, "%s.%d.prof", base ? base + 1 : program, (int)pid) < 0)
        return 0;
    return path;
}

static void warn_unreachable(const char *path)
{
    struct program p;
    if (program_inspect(path, &p) || !p.elf)
        return;
    if (!p.dynamic)
        fprintf(stderr, "prof: %s is statically linked: a preloaded library cannot reach it\n", path);
    else if (p.setuid)
        fprintf(stderr, "prof: %s is set-user-id: the loader ignores LD_PRELOAD for it\n", path);
    else if (p.contains_tbb)
        fprintf(stderr, "prof: %s contains TBB itself (static or bundled): its tasks are out of reach\n", path);
}

static int child(char **argv)
{
    execvp(argv[0], argv);
    int error = errno;
    fprintf(stderr, "prof: %s: %s\n", argv[0], strerror(error));
    _exit(error == ENOENT ? 127 : 126);
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static void report(const struct run *r, const char *program, pid_t pid)
{
    char *path = profile_path(r, program, pid);
    struct stat st;
    if (!path)
        return;
    if (stat(path, &st)) {
        fprintf(stderr, "prof: no profile was written (%s); `prof doctor %s` may know why\n", path, program);
    } else {
        FILE *out = r->report_to ? fopen(r->report_to, "w") : stderr;
        if (!out) {
            fprintf(stderr, "prof: %s: %s\n", r->report_to, strerror(errno));
        } else {
            report_files(&path, 1, &r->options, out);
            if (r->report_to)
                fclose(out);
        }
        fprintf(stderr, "\nprof: the profile is %s\n", path);
    }
    free(path);
}

/* End as the program did. A core file would be prof's, not the program's: none. */
static int end_like(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int sig = WTERMSIG(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    prctl(PR_SET_DUMPABLE, 0);
    fflush(0);
    signal(sig, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    sigprocmask(SIG_UNBLOCK, &set, 0);
    raise(sig);
    return 128 + sig;
}

int run_main(int argc, char **argv)
{
    enum { OPT_NO_REPORT = 256, OPT_REPORT_TO, OPT_JSON };
    static const struct option longs[] = {
        { "output", required_argument, 0, 'o' }, { "clock", required_argument, 0, 'c' },
        { "burden", required_argument, 0, 'b' }, { "env", required_argument, 0, 'e' },
        { "no-report", no_argument, 0, OPT_NO_REPORT }, { "report-to", required_argument, 0, OPT_REPORT_TO },
        { "sort", required_argument, 0, 's' }, { "measure", required_argument, 0, 'm' },
        { "json", no_argument, 0, OPT_JSON }, { "help", no_argument, 0, 'h' }, { 0 },
    };
    struct run r = { .report = true };
    int c;
    report_defaults(&r.options, stderr);
    while ((c = getopt_long(argc, argv, "+o:c:b:e:s:m:h", longs, 0)) != -1) {
        switch (c) {
        case 'o': r.output = optarg; break;
        case 'c': setenv("PROF_CLOCK", optarg, 1); break;
        case 'b': setenv("PROF_BURDEN", optarg, 1); break;
        case 'e':
            if (!strchr(optarg, '=') || *optarg == '=') {
                fprintf(stderr, "prof: --env %s: KEY=VALUE is expected\n", optarg);
                return 2;
            }
            putenv(optarg);
            break;
        case OPT_NO_REPORT: r.report = false; break;
        case OPT_REPORT_TO: r.report_to = optarg; break;
        case OPT_JSON: r.options.form = FORM_JSON; break;
        case 's': r.options.sort = optarg; break;
        case 'm': r.options.measure = optarg; break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    struct model none = { 0 };
    if (model_sort(&none, r.options.sort)) {
        fprintf(stderr, "prof: --sort %s: the keys are %s\n", r.options.sort, model_sort_keys());
        return 2;
    }
    if (optind == argc) {
        fputs("prof: run: which program? (prof run -- PROGRAM ...)\n", stderr);
        return 2;
    }
    char **command = argv + optind;
    char *library = find_library();
    if (!library) {
        fputs("prof: libprof.so was not found (PROF_LIBRARY names it)\n", stderr);
        return 2;
    }
    char *path = program_find(command[0]);
    if (path)
        warn_unreachable(path);
    free(path);
    prepend_preload(library);
    free(library);
    setenv("PROF_RUN", "1", 1);
    if (r.output)
        setenv("PROF_OUTPUT", r.output, 1);
    else if (getenv("PROF_OUTPUT"))
        r.output = getenv("PROF_OUTPUT");

    /* Blocked until child_pid is set, so that none is lost in between. */
    sigset_t block, old;
    sigemptyset(&block);
    for (unsigned i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        sigaddset(&block, forwarded[i]);
    sigprocmask(SIG_BLOCK, &block, &old);
    fflush(0);
    pid_t pid = fork();
    if (pid < 0) {
        fprintf(stderr, "prof: fork: %s\n", strerror(errno));
        return 2;
    }
    if (!pid) {
        sigprocmask(SIG_SETMASK, &old, 0);
        return child(command);
    }
    child_pid = pid;
    struct sigaction act = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };
    for (unsigned i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        sigaction(forwarded[i], &act, 0);
    sigprocmask(SIG_SETMASK, &old, 0);
    int status = wait_for(pid);
    child_pid = 0;
    bool started = !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
    if (r.report && started)
        report(&r, command[0], pid);
    return end_like(status);
}
