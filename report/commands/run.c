/* run.c - `prof run`: runs the program under libprof, then prints the report.
 *
 * The program keeps its input, output, exit status and death by signal. The report goes to stderr,
 * or to the file of --report-to. prof ends as the program ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "launch/launch.h"
#include "launch/library.h"
#include "launch/reach.h"
#include "launch/reach_report.h"
#include "launch/whatif_spec.h"
#include "output/options.h"
#include "output/output_file.h"
#include "output/report.h"
#include "profile/profile.h"
#include "view/view.h"

#define DEFAULT_OUTPUT "%e.%p.prof"     /* libprof's default */
#define MAX_OUTPUT 4095                 /* libprof accepts no longer PROF_OUTPUT */
#define MAX_SETTINGS 64

struct run {
    const char *output, *report_to, *whatif, *delay;
    bool report, view;
    struct options options;
    char *settings[MAX_SETTINGS + 1];   /* NAME=VALUE for the program, NULL-terminated */
    unsigned setting_count;
    enum reached reached;
};

static void add_setting(struct run *r, char *text)
{
    if (r->setting_count == MAX_SETTINGS) {
        fprintf(stderr, "prof: more than %d settings\n", MAX_SETTINGS);
        exit(2);
    }
    r->settings[r->setting_count++] = text;
}

/* The value of PROF_OUTPUT. Its path is absolute, because the program may change its directory. The
 * caller frees it. */
static char *output_pattern(const struct run *r)
{
    const char *set = r->output ? r->output : getenv("PROF_OUTPUT");
    if (!set || !*set)
        set = DEFAULT_OUTPUT;
    char *cwd = *set == '/' ? 0 : getcwd(0, 0);
    if (!cwd)
        return format_text("%s", set);
    char *escaped = format_memory(malloc(2 * strlen(cwd) + 1)), *to = escaped;
    for (const char *c = cwd; *c; *to++ = *c++)
        if (*c == '%')
            *to++ = '%';
    *to = 0;
    char *full = format_text("%s/%s", escaped, set);
    free(escaped);
    free(cwd);
    if (strlen(full) <= MAX_OUTPUT)
        return full;
    free(full);
    return format_text("%s", set);
}

/* The folder in which PATTERN puts files; NULL: it depends on the process. The caller frees it. */
static char *output_folder(const char *pattern)
{
    const char *slash = strrchr(pattern, '/');
    char *folder = slash == pattern ? format_text("/")
                   : slash          ? format_text("%.*s", (int)(slash - pattern), pattern)
                                    : format_text(".");
    char *to = folder;
    for (const char *c = folder; *c; c++) {
        if (*c == '%' && c[1] != '%') {
            free(folder);
            return 0;
        }
        c += *c == '%';
        *to++ = *c;
    }
    *to = 0;
    return folder;
}

/* PATTERN, or the same name in TMPDIR if its folder takes no files. The program's run may be long,
 * so prof says that before it starts. Frees PATTERN. */
static char *writable_pattern(char *pattern)
{
    char *folder = output_folder(pattern);
    if (!folder || !faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS)) {
        free(folder);
        return pattern;
    }
    int why = errno;
    const char *set = getenv("TMPDIR"), *slash = strrchr(pattern, '/');
    const char *instead = set && *set == '/' && !strchr(set, '%') ? set : "/tmp";
    char *name = format_text("%s/%s", instead, slash ? slash + 1 : pattern);
    char *clean = format_clean(folder), *to = format_clean(name);
    fprintf(stderr, "prof: no profile can be written in %s: %s; it goes to %s\n", clean,
            strerror(why), to);
    free(clean);
    free(to);
    free(folder);
    free(pattern);
    return name;
}

/* A glob(3) pattern for the files of process PID that PATTERN may name; PID 0: of any process. The
 * caller frees it. */
static char *output_glob(const char *pattern, pid_t pid)
{
    size_t n = 0;
    char *text = NULL;
    bool has_pid = false;
    FILE *f = format_memory(open_memstream(&text, &n));
    for (const char *c = pattern; *c; c++) {
        if (*c == '%' && c[1]) {
            switch (*++c) {
            case 'p':
                has_pid = true;
                if (pid)
                    fprintf(f, "%d", (int)pid);
                else
                    fputc('*', f);
                break;
            case 'e': case 'h': case 't': fputc('*', f); break;
            case '%': fputc('%', f); break;
            default: fprintf(f, strchr("*?[\\", *c) ? "%%\\%c" : "%%%c", *c);
            }
        } else {
            if (strchr("*?[\\", *c))
                fputc('\\', f);
            fputc(*c, f);
        }
    }
    if (!pid && !has_pid)
        fputs(".*", f);         /* other processes append this */
    fclose(f);
    return format_memory(text);
}

static bool written_since(const char *path, const struct timespec *start, struct stat *st)
{
    return !stat(path, st) && (st->st_mtim.tv_sec > start->tv_sec ||
           (st->st_mtim.tv_sec == start->tv_sec && st->st_mtim.tv_nsec >= start->tv_nsec));
}

/* The newest file of process PID that PATTERN may name and that was written after START, or NULL.
 * The caller frees it. */
static char *find_profile(const char *pattern, pid_t pid, const struct timespec *start)
{
    char *search = output_glob(pattern, pid), *path = 0;
    struct timespec best = *start;
    struct stat st;
    glob_t g;
    if (!glob(search, GLOB_NOSORT, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++)
            if (written_since(g.gl_pathv[i], &best, &st)) {
                best = st.st_mtim;
                free(path);
                path = format_text("%s", g.gl_pathv[i]);
            }
        globfree(&g);
    }
    free(search);
    return path;
}

/* The program may be a script, or may have started others. These have profiles of their own. *PATH
 * is the profile to report: it stays if its process had tasks, else it becomes that with the most
 * work. Returns how many others there are. */
static unsigned find_others(const char *pattern, const struct timespec *start, char **path)
{
    char *search = output_glob(pattern, 0), run[16];
    snprintf(run, sizeof run, "%d", (int)getpid());
    struct profile p;
    struct stat st;
    unsigned others = 0;
    double most = -1;
    if (*path && !profile_open(&p, *path)) {
        most = p.totals.tasks ? 1e300 : -1;
        profile_close(&p);
    }
    glob_t g;
    if (!glob(search, 0, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            char *one = g.gl_pathv[i];
            if ((*path && !strcmp(one, *path)) || !written_since(one, start, &st) ||
                profile_open(&p, one))
                continue;
            if (!strcmp(profile_setting(&p, "PROF_RUN"), run)) {
                double work = profile_ns(&p, p.totals.work_cost);
                others += p.totals.tasks != 0;
                if (p.totals.tasks && work > most) {
                    most = work;
                    free(*path);
                    *path = format_text("%s", one);
                }
            }
            profile_close(&p);
        }
        globfree(&g);
    }
    free(search);
    return others;
}

/* PATH as shown to the user: relative to the current directory if it is below. The caller frees
 * it. */
static char *shown_path(const char *path)
{
    char *cwd = getcwd(0, 0);
    size_t n = cwd ? strlen(cwd) : 0;
    char *clean = format_clean(n && !strncmp(path, cwd, n) && path[n] == '/' ? path + n + 1 : path);
    free(cwd);
    return clean;
}

#define FIRST_CHECKPOINT \
    "before its first checkpoint (half a second after its first task, unless PROF_CHECKPOINT is 0)"

static void no_profile(const struct run *r, const char *program, const struct launched *l)
{
    const char *disabled = getenv("PROF_DISABLE");
    if (r->reached != REACHED)
        ;                       /* reach_report has printed why */
    else if (disabled && *disabled && strcmp(disabled, "0"))
        fputs("prof: no profile was written: PROF_DISABLE is set\n", stderr);
    else if (WIFSIGNALED(l->status))
        fprintf(stderr,
                "prof: no profile was written: the program was ended by signal %d (%s) "
                FIRST_CHECKPOINT "\n", WTERMSIG(l->status), strsignal(WTERMSIG(l->status)));
    else if (reach_is_go(program))
        fputs("prof: no profile was written: a Go program ends by a system call that libprof does "
              "not see, and this one ended " FIRST_CHECKPOINT "\n", stderr);
    else
        fprintf(stderr, "prof: no profile was written (prof doctor %s may know why)\n", program);
}

static void report(const struct run *r, const char *program, const char *pattern,
                   const struct launched *l, const struct timespec *start, FILE *out)
{
    char *path = find_profile(pattern, l->pid, start), *own = path ? shown_path(path) : 0;
    unsigned others = find_others(pattern, start, &path);
    if (path) {
        if (out)
            report_files(&path, 1, &r->options, out);
        char *shown = shown_path(path);
        const char *quiet = getenv("PROF_QUIET");
        if (!quiet || strcmp(quiet, "1"))
            fprintf(stderr, "%sprof: wrote %s\n", out == stderr ? "\n" : "", shown);
        if (own && strcmp(own, shown))
            fprintf(
                stderr,
                "prof: the program itself had no tasks (%s); this is a process that it started\n",
                own);
        if (others > (own && strcmp(own, shown) ? 1 : 0)) {
            char *search = output_glob(pattern, 0), *clean = shown_path(search);
            fprintf(stderr, "prof: processes that it started wrote %u profile%s: %s\n", others,
                    others > 1 ? "s" : "", clean);
            free(clean);
            free(search);
        }
        free(shown);
        if (r->view)
            view_open(path);
    } else {
        no_profile(r, program, l);
    }
    free(own);
    free(path);
}

static const char usage[] =
    "usage: prof run [options] [--] PROGRAM [arguments]\n"
    "Runs PROGRAM under libprof and reports on stderr; its exit status, or the signal\n"
    "that ends it, becomes prof's.\n"
    "  -o, --output FILE     the profile (PROGRAM.PID.prof); %e program, %p pid, %h\n"
    "                        host, %t time\n"
    "  -c, --clock CLOCK     PROF_CLOCK: tsc, wall, virtual, instructions, cycles,\n"
    "                        ...\n"
    "  -b, --burden BURDEN   PROF_BURDEN: auto, cilkview, or a number of ns\n"
    "  -e, --env KEY=VALUE   any other setting for the program; may be repeated\n"
    "      --whatif SPEC     NAME=FACTOR[,FACTOR...][;NAME=...]: what the span would\n"
    "                        be if functions, FUNCTION@FILE:LINE or regions cost so\n"
    "                        many times less\n"
    "      --delay SPEC      NAME=FACTOR[;NAME=...]: these cost so many times more,\n"
    "                        for real\n"
    "      --dag[=BYTES]     PROF_DAG: keep the dag for prof predict, in BYTES of\n"
    "                        memory (64m)\n"
    "      --no-report       only write the profile\n"
    "      --report-to FILE  write the report there instead of to stderr\n"
    "      --view            also write a page, and open it if there is a browser\n"
    "                        (prof view)\n"
    "      --full            as for prof report\n"
    "      --color WHEN      as for prof report\n"
    "  -s, --sort KEY, -m, --measure KIND, --json, --csv: as for prof report\n"
    "  -h, --help            this\n";

enum {
    OPT_NO_REPORT = 256,
    OPT_REPORT_TO,
    OPT_JSON,
    OPT_CSV,
    OPT_WHATIF,
    OPT_DELAY,
    OPT_VIEW,
    OPT_DAG,
    OPT_FULL,
    OPT_COLOR
};

static const struct option longs[] = {
    { "output", required_argument, 0, 'o' },
    { "clock", required_argument, 0, 'c' },
    { "burden", required_argument, 0, 'b' },
    { "env", required_argument, 0, 'e' },
    { "no-report", no_argument, 0, OPT_NO_REPORT },
    { "report-to", required_argument, 0, OPT_REPORT_TO },
    { "sort", required_argument, 0, 's' },
    { "measure", required_argument, 0, 'm' },
    { "json", no_argument, 0, OPT_JSON },
    { "csv", no_argument, 0, OPT_CSV },
    { "whatif", required_argument, 0, OPT_WHATIF },
    { "delay", required_argument, 0, OPT_DELAY },
    { "dag", optional_argument, 0, OPT_DAG },
    { "view", no_argument, 0, OPT_VIEW },
    { "full", no_argument, 0, OPT_FULL },
    { "color", required_argument, 0, OPT_COLOR },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

/* Reads the options. Returns the program's index in ARGV; or 0 with *STATUS set if prof is done. */
static int parse(int argc, char **argv, struct run *r, int *status)
{
    int c;
    *status = 2;
    while ((c = arguments_next(argc, argv, "+o:c:b:e:s:m:h", longs)) != -1) {
        switch (c) {
        case 'o': r->output = optarg; break;
        case 'c': add_setting(r, format_text("PROF_CLOCK=%s", optarg)); break;
        case 'b': add_setting(r, format_text("PROF_BURDEN=%s", optarg)); break;
        case OPT_WHATIF: r->whatif = optarg; break;
        case OPT_DELAY: r->delay = optarg; break;
        case OPT_DAG: add_setting(r, format_text("PROF_DAG=%s", optarg ? optarg : "64m")); break;
        case 'e':
            if (!strchr(optarg, '=') || *optarg == '=') {
                fprintf(stderr, "prof: --env %s: KEY=VALUE is expected\n", optarg);
                return 0;
            }
            add_setting(r, format_text("%s", optarg));
            break;
        case OPT_NO_REPORT: r->report = false; break;
        case OPT_REPORT_TO: r->report_to = optarg; break;
        case OPT_VIEW: r->view = true; break;
        case OPT_JSON: case OPT_CSV:
            if (!options_form(&r->options, c == OPT_JSON ? FORM_JSON : FORM_CSV))
                return 0;
            break;
        case OPT_FULL: r->options.full = true; break;
        case OPT_COLOR:
            if (!terminal_when("--color", optarg, &r->options.want_color))
                return 0;
            break;
        case 's': r->options.sort = optarg; r->options.full = true; break;
        case 'm': r->options.measure = optarg; r->options.full = true; break;
        case 'h':
            fputs(usage, stdout);
            *status = 0;
            return 0;
        default: return 0;
        }
    }
    if (!options_check(&r->options))
        return 0;
    if (optind == argc) {
        fputs("prof: which program? (prof run [options] -- PROGRAM [arguments])\n", stderr);
        return 0;
    }
    return optind;
}

/* Makes the settings for COMMAND, with LIBRARY preloaded. Returns the file of PROF_WHATIF_CODE,
 * which the caller removes, or NULL. */
static char *set_up(struct run *r, char *const *command, const char *library, const char *pattern)
{
    char asan[32];
    r->reached = reach_report(command[0], asan);
    const char *preload = getenv("LD_PRELOAD");
    if (r->reached != NOT_TO_BE_PRELOADED)
        add_setting(r, format_text("LD_PRELOAD=%s%s%s%s%s", asan, *asan ? ":" : "", library,
                                   preload && *preload ? ":" : "", preload ? preload : ""));
    add_setting(r, format_text("PROF_OUTPUT=%s", pattern));
    add_setting(r, format_text("PROF_RUN=%d", (int)getpid()));
    char *specs = format_text("%s%s%s", r->whatif ? r->whatif : "",
                              r->whatif && r->delay ? ";" : "", r->delay ? r->delay : "");
    char *code = 0;
    if (*specs && r->reached != NOT_TO_BE_PRELOADED)
        code = whatif_spec_code(specs, command[0]);
    free(specs);
    if (r->whatif)
        add_setting(r, format_text("PROF_WHATIF=%s", r->whatif));
    if (r->delay)
        add_setting(r, format_text("PROF_DELAY=%s", r->delay));
    if (code)
        add_setting(r, format_text("PROF_WHATIF_CODE=%s", code));
    return code;
}

int run_main(int argc, char **argv)
{
    struct run r = { .report = true };
    struct launched l;
    struct timespec start;
    int status;
    options_defaults(&r.options, stderr);
    int at = parse(argc, argv, &r, &status);
    if (!at)
        return status;
    char **command = argv + at, *library = library_find();
    if (!library)
        return 2;
    FILE *out = r.report ? stderr : 0;
    if (r.report && r.report_to) {
        bool allowed = output_allowed(r.report_to);
        out = allowed ? fopen(r.report_to, "we") : NULL;
        if (!out) {
            if (allowed)
                fprintf(stderr, "prof: %s: %s\n", r.report_to, strerror(errno));
            library_done(library);
            return 2;
        }
    }
    if (out)
        options_output(&r.options, out);
    char *pattern = writable_pattern(output_pattern(&r));
    char *code = set_up(&r, command, library, pattern);
    clock_gettime(CLOCK_REALTIME_COARSE, &start);       /* the clock of file times */
    int error = launch(command, r.settings, 0, &l);
    if (error) {
        fprintf(stderr, "prof: cannot start a process: %s\n", strerror(-error));
        status = 2;
    } else if (l.error) {
        status = reach_report_not_started(command[0], l.error);
    } else {
        report(&r, command[0], pattern, &l, &start, out);
        status = -1;
    }
    if (code)
        unlink(code);
    free(code);
    if (out && out != stderr && fclose(out))
        fprintf(stderr, "prof: %s: %s\n", r.report_to, strerror(errno));
    for (unsigned i = 0; i < r.setting_count; i++)
        free(r.settings[i]);
    free(pattern);
    library_done(library);
    return status < 0 ? launch_end_like(&l) : status;
}
