/* run.c - `prof run`: runs the program under libprof, then prints the report.
 *
 * The program keeps its input, output, exit status and death by signal. The report goes to stderr,
 * or to the file of --report-to. prof ends as the program ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/report_forms.h"
#include "commands/run.h"
#include "launch/launch.h"
#include "launch/library.h"
#include "launch/reach.h"
#include "launch/whatif_spec.h"
#include "launch/written.h"
#include "layout/output_file.h"
#include "merge/merge.h"
#include "view/view.h"

void run_set(struct run *r, char *text)
{
    if (r->setting_count == RUN_SETTINGS) {
        fprintf(stderr, "prof: more than %d settings\n", RUN_SETTINGS);
        exit(2);
    }
    r->settings[r->setting_count++] = text;
}

bool run_set_any(struct run *r, const char *text)
{
    bool good = strchr(text, '=') && *text != '=';
    if (good)
        run_set(r, format_text("%s", text));
    else
        fprintf(stderr, "prof: --env %s: KEY=VALUE is expected\n", text);
    return good;
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
    const char *disabled = launch_value(r->settings, r->setting_count, "PROF_DISABLE");
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

static void report(const struct run *r, const char *program, const struct launched *l, FILE *out)
{
    char *path = written_newest(r->pattern, l->pid, &r->start), *own = path ? shown_path(path) : 0;
    unsigned others = written_by_others(r->pattern, &r->start, &path);
    if (path) {
        if (out)
            report_files(&path, 1, &r->options, out);
        char *shown = shown_path(path);
        const char *quiet = launch_value(r->settings, r->setting_count, "PROF_QUIET");
        if (!quiet || strcmp(quiet, "1"))
            fprintf(stderr, "%sprof: wrote %s\n", out == stderr ? "\n" : "", shown);
        if (own && strcmp(own, shown))
            fprintf(
                stderr,
                "prof: the program itself had no tasks (%s); this is a process that it started\n",
                own);
        if (others > (own && strcmp(own, shown) ? 1 : 0)) {
            char *search = written_glob(r->pattern, 0), *clean = shown_path(search);
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

/* " (ranks 1, 3, ... are missing)", or "". The caller frees it. */
static char *missing_ranks(const struct job *j)
{
    char *list = format_text("%s", "");
    int missing = 0;
    for (int i = 0; i < j->size; i++)
        if (!j->here[i] && missing++ < 8) {
            char *more = format_text("%s%s%d", list, *list ? ", " : "", i);
            free(list);
            list = more;
        }
    char *text = missing ? format_text("; missing here: rank%s %s%s", missing > 1 ? "s" : "", list,
                                       missing > 8 ? ", ..." : "")
                         : format_text("%s", "");
    free(list);
    return text;
}

/* The ranks' files become one. The prof of rank 0 then reports on the job, the others are
 * silent. */
static void report_job(struct run *r, const char *program, const struct launched *l, FILE *out)
{
    struct job *j = &r->job;
    unsigned others;
    bool late = !job_commit(j, &others);
    if (others)
        fprintf(stderr, "prof: processes that rank %d started wrote %u profile%s: %s/%d.*.prof\n",
                j->rank, others, others > 1 ? "s" : "", j->folder, j->rank);
    if (late)
        fprintf(stderr, "prof: rank %d ended later than rank 0 could wait: %s is not in %s\n",
                j->rank, j->files[j->rank], j->output);
    if (j->rank % JOB_GROUP)
        return;
    job_wait(j);
    struct merge all = { .files = j->files, .quiet = true, .rank = j->rank / JOB_GROUP,
                         .size = (j->size - 1) / JOB_GROUP + 1, .group = JOB_GROUP,
                         .there = job_claim };
    int failed = merge_files(&all, j->size, j->output, 1, true);
    if (j->rank)
        return;
    job_look(j);
    if (!j->count) {
        no_profile(r, program, l);
        job_remove(j);
        return;
    }
    char *missing = missing_ranks(j), *shown = shown_path(j->output);
    if (!failed) {
        job_remove(j);
        if (out)
            report_files(&j->output, 1, &r->options, out);
        const char *quiet = launch_value(r->settings, r->setting_count, "PROF_QUIET");
        if (!quiet || strcmp(quiet, "1"))
            fprintf(stderr, "%sprof: wrote %s, of %d rank%s%s\n", out == stderr ? "\n" : "", shown,
                    j->count, j->count == 1 ? "" : "s", missing);
        if (r->view)
            view_open(j->output);
    }
    free(missing);
    free(shown);
}

static const char usage[] =
    "usage: prof run [options] [--] PROGRAM [arguments]\n"
    "Runs PROGRAM under libprof and reports on stderr; its exit status, or the signal\n"
    "that ends it, becomes prof's.\n"
    "  -o, --output FILE     the profile (PROGRAM.PID.prof); %e program, %p pid, %h\n"
    "                        host, %r rank, %t time; under mpirun the file of all\n"
    "                        ranks, with %e alone\n"
    "  -c, --clock CLOCK     PROF_CLOCK: tsc, wall, virtual, instructions, cycles,\n"
    "                        ...\n"
    "  -b, --burden BURDEN   PROF_BURDEN: auto, cilkview, or a number of ns\n"
    "  -e, --env KEY=VALUE   any other setting for the program; may be repeated\n"
    "      --whatif SPEC     NAME=FACTOR[,FACTOR...][;NAME=...]: what the span would\n"
    "                        be if functions, FUNCTION@FILE:LINE or regions cost\n"
    "                        1/FACTOR of what they cost\n"
    "      --delay SPEC      NAME=FACTOR[;NAME=...]: make these really cost FACTOR\n"
    "                        times as much\n"
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
        case 'c': run_set(r, format_text("PROF_CLOCK=%s", optarg)); break;
        case 'b': run_set(r, format_text("PROF_BURDEN=%s", optarg)); break;
        case OPT_WHATIF: r->whatif = optarg; break;
        case OPT_DELAY: r->delay = optarg; break;
        case OPT_DAG: run_set(r, format_text("PROF_DAG=%s", optarg ? optarg : "64m")); break;
        case 'e':
            if (!run_set_any(r, optarg))
                return 0;
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
static char *set_up(struct run *r, char *const *command, const char *library)
{
    char asan[32];
    r->reached = reach_report(command[0], asan);
    const char *preload = launch_value(r->settings, r->setting_count, "LD_PRELOAD");
    if (r->reached != NOT_TO_BE_PRELOADED)
        run_set(r, format_text("LD_PRELOAD=%s%s%s%s%s", asan, *asan ? ":" : "", library,
                                   preload && *preload ? ":" : "", preload ? preload : ""));
    run_set(r, format_text("PROF_OUTPUT=%s", r->pattern));
    run_set(r, format_text("PROF_RUN=%d", (int)getpid()));
    if (r->job.size)
        run_set(r, format_text("PROF_RANKS=%s", r->job.folder));
    char *specs = format_text("%s%s%s", r->whatif ? r->whatif : "",
                              r->whatif && r->delay ? ";" : "", r->delay ? r->delay : "");
    char *code = 0;
    if (*specs && r->reached != NOT_TO_BE_PRELOADED)
        code = whatif_spec_code(specs, command[0]);
    free(specs);
    if (r->whatif)
        run_set(r, format_text("PROF_WHATIF=%s", r->whatif));
    if (r->delay)
        run_set(r, format_text("PROF_DELAY=%s", r->delay));
    if (code)
        run_set(r, format_text("PROF_WHATIF_CODE=%s", code));
    return code;
}

/* Where the report goes: *OUT, NULL: nowhere. False after a line on stderr. */
static bool open_report(struct run *r, FILE **out)
{
    *out = r->report ? stderr : NULL;
    if (r->report && r->report_to) {
        if (!output_allowed(r->report_to))
            return false;
        *out = fopen(r->report_to, "we");
        if (!*out) {
            fprintf(stderr, "prof: %s: %s\n", r->report_to, strerror(errno));
            return false;
        }
    }
    if (*out)
        options_output(&r->options, *out);
    return true;
}

/* The name of the program's profile: in a job it is the rank's. */
static char *choose_pattern(struct run *r, const char *program)
{
    const char *named = launch_value(r->settings, r->setting_count, "PROF_OUTPUT");
    const char *output = r->output ? r->output : named;
    int rank, size;
    if (!job_rank(&rank, &size))
        return written_pattern(output);
    if (job_new(&r->job, rank, size, output, program))
        return job_pattern(&r->job);
    /* no folder for the job: a file for each rank */
    char *own = format_text("%s.%d.prof", output && *output ? output : "%e.job.prof", rank),
         *pattern = written_pattern(own);
    free(own);
    return pattern;
}

int run_program(struct run *r, char **command, const struct launch_setup *setup)
{
    struct launched l;
    FILE *out;
    int status;
    char *library = library_find();
    if (!library)
        return 2;
    if (!open_report(r, &out)) {
        library_done(library);
        return 2;
    }
    r->pattern = choose_pattern(r, command[0]);
    char *code = set_up(r, command, library);
    clock_gettime(CLOCK_REALTIME_COARSE, &r->start);    /* the clock of file times */
    int error = launch(command, r->settings, setup, &l);
    if (error) {
        fprintf(stderr, "prof: cannot start a process: %s\n", strerror(-error));
        status = 2;
    } else if (l.error) {
        status = reach_report_not_started(command[0], l.error);
        if (r->job.size)
            job_not_started(&r->job);
    } else {
        if (r->job.size)
            report_job(r, command[0], &l, out);
        else
            report(r, command[0], &l, out);
        status = -1;
    }
    if (code)
        unlink(code);
    free(code);
    if (out && out != stderr && fclose(out))
        fprintf(stderr, "prof: %s: %s\n", r->report_to, strerror(errno));
    for (unsigned i = 0; i < r->setting_count; i++)
        free(r->settings[i]);
    free(r->pattern);
    job_free(&r->job);
    library_done(library);
    return status < 0 ? launch_end_like(&l) : status;
}

int run_main(int argc, char **argv)
{
    struct run r = { .report = true };
    int status;
    options_defaults(&r.options, stderr);
    int at = parse(argc, argv, &r, &status), rank, size;
    if (at && job_is_launcher(argv[at]) && !job_rank(&rank, &size))
        fprintf(stderr, "prof: %s starts a job: to profile it as one, run %s ... prof run -- "
                        "PROGRAM\n", argv[at], argv[at]);
    return at ? run_program(&r, argv + at, 0) : status;
}
