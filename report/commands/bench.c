/* bench.c - `prof bench`: how a program scales, and what limits it. It reads the options, then runs
 * trials (bench/trials.c) or loads a saved bench (bench/file.c). From these it derives the figures
 * (bench/factored.c) and prints them in one of the forms.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "bench/bench.h"
#include "bench/job_scaling.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "layout/options.h"

enum { DEFAULT_ROUNDS = 5, MAX_SETTINGS = 64 };

struct arguments {
    struct bench bench;
    struct bench_how how;
    const char *from;
    char *settings[MAX_SETTINGS];
    const char *workers;        /* the value of -n */
    const char *processors;     /* of -P */
    bool trials;                /* -t was given */
    bool chosen;                /* the numbers of workers were */
    bool one;                   /* with a 1 in it */
    bool mpi;
    const char *launcher;
};

static const char usage[] =
    "usage: prof bench [options] [--] PROGRAM [arguments]\n"
    "       prof bench --mpi [options] [--] PROGRAM [arguments]\n"
    "       prof bench [options] --from FILE\n"
    "Runs PROGRAM with several numbers of workers, and shows how it scales and what\n"
    "it loses its time to.\n"
    "  -n, --workers LIST      numbers of workers: 1,2,4 or 1-4 (1, 2, 4, ... up to\n"
    "                          the cores); {P} in the arguments stands for the number\n"
    "  -t, --trials N          trials of each kind (5)\n"
    "  -P, --processors LIST   until the next release: --workers, and -n is --trials\n"
    "      --baseline CMD      a shell command: the best sequential program for the\n"
    "                          same task\n"
    "      --elision CMD       a shell command: the program with its parallel\n"
    "                          constructs taken out\n"
    "      --copies            also as many copies of the one-worker program at once\n"
    "                          as there are workers: separates memory bandwidth from\n"
    "                          sharing; only for programs that do not disturb each\n"
    "                          other ({COPY} in the arguments is the copy's number\n"
    "                          from 0, {COPIES} how many there are)\n"
    "      --work-by-p         the program's work depends on {P}: for each P also\n"
    "                          with one worker, as T_1 of that P\n"
    "      --control HOW       what sets the number of workers: runtime (oneTBB,\n"
    "                          OpenMP), affinity, none\n"
    "  -e, --env KEY=VALUE     a setting for all trials; may be repeated\n"
    "  -o, --output BASE       write BASE.json, BASE.gnuplot, and a profile for each\n"
    "                          P, BASE.pP.prof\n"
    "      --json, --csv, --gnuplot  on stdout, instead of the text\n"
    "      --from FILE         of an earlier bench's JSON, instead of running\n"
    "      --mpi               PROGRAM is an MPI job, P its numbers of ranks: its\n"
    "                          times, and POP's efficiencies (with -n, -t, -o,\n"
    "                          --json; --work-by-p: the job's work grows with P)\n"
    "      --launcher CMD      shell words that start the ranks (mpirun -n {P})\n"
    "  -h, --help              this\n";

static int wrong(const char *option, const char *value, const char *what)
{
    char *clean = format_clean(value);
    fprintf(stderr, "prof: %s %s: %s\n", option, clean, what);
    free(clean);
    return 2;
}

static int compare_p(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Sorts the numbers of workers, removes duplicates and adds 1, because all figures need T_1. */
static void order_processors(struct bench *b)
{
    unsigned n = 0;
    b->p[b->p_count++] = 1;
    qsort(b->p, b->p_count, sizeof b->p[0], compare_p);
    for (unsigned i = 0; i < b->p_count; i++)
        if (!n || b->p[i] != b->p[n - 1])
            b->p[n++] = b->p[i];
    b->p_count = n;
}

/* Reads TEXT, numbers and ranges with commas between them. False: it is not that. */
static bool parse_processors(const char *text, struct bench *b)
{
    b->p_count = 0;
    for (const char *c = text;;) {
        char *end;
        unsigned long from = strtoul(c, &end, 10), to = from;
        if (end == c || *c < '0' || *c > '9')
            return false;
        if (*end == '-') {
            c = end + 1;
            to = strtoul(c, &end, 10);
            if (end == c || *c < '0' || *c > '9')
                return false;
        }
        if (from < 1 || to < from || to > BENCH_MAX_P ||
            to - from >= BENCH_PROCESSORS - 1 - b->p_count)
            return false;
        while (from <= to)
            b->p[b->p_count++] = from++;
        if (!*end)
            break;
        if (*end != ',')
            return false;
        c = end + 1;
    }
    return true;
}

static void default_processors(struct bench *b)
{
    cpu_set_t set;
    unsigned cores = sched_getaffinity(0, sizeof set, &set) ? 2 : CPU_COUNT(&set);
    for (unsigned p = 1; p < cores; p *= 2)
        b->p[b->p_count++] = p;
    b->p[b->p_count++] = cores;
    order_processors(b);
}

enum {
    OPT_BASELINE = 256,
    OPT_ELISION,
    OPT_COPIES,
    OPT_WORK_BY_P,
    OPT_CONTROL,
    OPT_FROM,
    OPT_MPI,
    OPT_LAUNCHER,
    OPT_JSON,
    OPT_CSV,
    OPT_GNUPLOT
};

static const struct option longs[] = {
    { "workers", required_argument, 0, 'n' },
    { "trials", required_argument, 0, 't' },
    { "processors", required_argument, 0, 'P' },
    { "baseline", required_argument, 0, OPT_BASELINE },
    { "elision", required_argument, 0, OPT_ELISION },
    { "copies", no_argument, 0, OPT_COPIES },
    { "work-by-p", no_argument, 0, OPT_WORK_BY_P },
    { "control", required_argument, 0, OPT_CONTROL },
    { "env", required_argument, 0, 'e' },
    { "output", required_argument, 0, 'o' },
    { "from", required_argument, 0, OPT_FROM },
    { "mpi", no_argument, 0, OPT_MPI },
    { "launcher", required_argument, 0, OPT_LAUNCHER },
    { "json", no_argument, 0, OPT_JSON },
    { "csv", no_argument, 0, OPT_CSV },
    { "gnuplot", no_argument, 0, OPT_GNUPLOT },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

static const char mpi_alone[] =
    "prof: --mpi goes with -n, -t, -o, --json, --launcher and --work-by-p alone\n";

/* May the options of A be combined? If not, prints a line. PROGRAM: the command line names one. */
static bool check_together(const struct arguments *a, bool program)
{
    const struct bench *b = &a->bench;
    if (program == (a->from != 0)) {
        fputs(a->from ? "prof: either --from or a program\n"
                      : "prof: which program? (prof bench [options] -- PROGRAM [arguments])\n",
              stderr);
        return false;
    }
    if (a->from && (a->chosen || b->baseline || b->elision || a->how.copies || a->how.one)) {
        fputs("prof: --from shows what was measured: it takes no other trials\n", stderr);
        return false;
    }
    if (a->mpi ? b->baseline || b->elision || a->how.copies || a->how.control ||
                     a->how.setting_count || a->from
               : a->launcher != 0) {
        fputs(a->mpi ? mpi_alone : "prof: --launcher goes with --mpi\n",
              stderr);
        return false;
    }
    return true;
}

static bool parse_rounds(const char *text, struct bench *b)
{
    char *end;
    b->rounds = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && strlen(text) <= 4 && b->rounds >= 1 &&
           b->rounds <= BENCH_ROUNDS;
}

static bool take_rounds(const char *text, struct bench *b)
{
    return parse_rounds(text, b) ||
           !wrong("--trials", text, "a number from 1 to 1000 is expected");
}

static bool take_workers(const char *option, const char *text, struct arguments *a)
{
    struct bench *b = &a->bench;
    if (!parse_processors(text, b))
        return !wrong(option, text,
                      "numbers from 1 to 1024 like 1,2,4 or 1-4 are expected, at most 63 of them");
    a->chosen = true;
    a->one = false;
    for (unsigned i = 0; i < b->p_count; i++)
        a->one |= b->p[i] == 1;
    order_processors(b);
    return true;
}

/* Takes -n and -P. -n once was the number of trials, and -P that of workers: with -P, it still is.
 * A line says so where somebody may mean that. Goes with the next release. */
static bool take_numbers(struct arguments *a)
{
    const char *n = a->workers, *p = a->processors;
    if (p) {
        fputs("prof: -P goes with the next release: -n is for the numbers of workers, -t for the "
              "trials (with -P, -n still is)\n", stderr);
        return take_workers("--processors", p, a) && (!n || take_rounds(n, &a->bench));
    }
    if (n && !a->trials && !a->from && !strpbrk(n, ",-"))
        fprintf(stderr, "prof: -n is the number of workers, -t that of trials (%u)\n",
                a->bench.rounds);
    return !n || take_workers("--workers", n, a);
}

static void set_text(char **to, const char *text)
{
    free(*to);
    *to = format_text("%s", text);
}

/* Reads the options. Returns 0 to go on, else 1 + an exit status. */
static int parse(int argc, char **argv, struct arguments *a, int *form)
{
    struct bench *b = &a->bench;
    int c;
    b->rounds = DEFAULT_ROUNDS;
    a->how.settings = a->settings;
    while ((c = arguments_next(argc, argv, "+n:t:P:e:o:h", longs)) != -1) {
        switch (c) {
        case 'n': a->workers = optarg; break;
        case 'P': a->processors = optarg; break;
        case 't':
            if (!take_rounds(optarg, b))
                return 1 + 2;
            a->trials = true;
            break;
        case 'e':
            if (!strchr(optarg, '=') || *optarg == '=')
                return 1 + wrong("--env", optarg, "KEY=VALUE is expected");
            if (a->how.setting_count == MAX_SETTINGS)
                return 1 + wrong("--env", optarg, "that are too many settings");
            a->settings[a->how.setting_count++] = optarg;
            break;
        case OPT_CONTROL:
            if (strcmp(optarg, "runtime") && strcmp(optarg, "affinity") && strcmp(optarg, "none"))
                return 1 + wrong("--control", optarg, "runtime, affinity or none is expected");
            a->how.control = optarg;
            break;
        case OPT_BASELINE: set_text(&b->baseline, optarg); break;
        case OPT_ELISION: set_text(&b->elision, optarg); break;
        case OPT_COPIES: a->how.copies = true; break;
        case OPT_WORK_BY_P: a->how.one = true; break;
        case OPT_FROM: a->from = optarg; break;
        case OPT_MPI: a->mpi = true; break;
        case OPT_LAUNCHER: a->launcher = optarg; break;
        case OPT_JSON: case OPT_CSV: case OPT_GNUPLOT:
            if (*form && *form != c) {
                fputs("prof: JSON, CSV or gnuplot: one of the three\n", stderr);
                return 1 + 2;
            }
            *form = c;
            break;
        case 'o': a->how.output = optarg; break;
        case 'h': fputs(usage, stdout); return 1;
        default: return 1 + 2;
        }
    }
    *form = *form ? *form - OPT_JSON + 1 : 0;
    return take_numbers(a) && check_together(a, optind < argc) ? 0 : 1 + 2;
}

static void take_command(struct bench *b, char **argv, int count)
{
    b->command = format_memory(calloc(count + 1, sizeof *b->command));
    for (int i = 0; i < count; i++) {
        b->command[i] = format_text("%s", argv[i]);
        b->placeholder |= strstr(argv[i], "{P}") != 0;
    }
}

static void print_json(const struct factored *f, FILE *out)
{
    json_t *j = bench_json(f->bench);
    json_object_set_new(j, "derived", factored_json(f));
    json_dumpf(j, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fputc('\n', out);
    json_decref(j);
}

static int write_file(const struct factored *f, const char *base, const char *suffix,
                      void (*print)(const struct factored *, FILE *))
{
    char *name = format_text("%s.%s", base, suffix);
    FILE *out = fopen(name, "we");
    int status = 0;
    if (out)
        print(f, out);
    if (!out || fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: %s: %s\n", name, strerror(errno));
        status = 2;
    }
    if (out)
        fclose(out);
    free(name);
    return status;
}

static bool has_profiles(const struct bench *b)
{
    for (size_t i = 0; i < b->trial_count; i++)
        if (b->trials[i].has_profile)
            return true;
    return false;
}

static int print(const struct factored *f, int form, const char *output)
{
    static void (*const forms[])(const struct factored *, FILE *) = { 0, print_json, bench_csv,
                                                                      bench_gnuplot };
    int status = 0;
    if (output)
        status = write_file(f, output, "json", print_json) |
                 write_file(f, output, "gnuplot", bench_gnuplot);
    if (form) {
        forms[form](f, stdout);
    } else {
        struct options o;
        options_defaults(&o, stdout);
        bench_text(f, &o, stdout);
    }
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "prof: cannot write the report: %s\n", strerror(errno));
        status = 2;
    }
    if (output && !status)
        fprintf(stderr, "prof: wrote %s.json, %s.gnuplot%s\n", output, output,
                has_profiles(f->bench) ? ", and the profiles next to them" : "");
    return status;
}

/* An MPI job. FORM: 0, or JSON. */
static int bench_ranks(struct arguments *a, char **command, int form)
{
    struct job_scaling b = { .command = command,
                             .launcher = a->launcher ? a->launcher : "mpirun -n {P}",
                             .output = a->how.output, .rounds = a->bench.rounds,
                             .weak = a->how.one,
                             .count = a->bench.p_count };
    cpu_set_t set;
    b.cpus = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    unsigned first = a->chosen && !a->one && b.count > 1;   /* a job may need more than one */
    b.count -= first;
    for (unsigned i = 0; i < b.count; i++)
        b.points[i].p = a->bench.p[i + first];
    int status = job_scaling_run(&b);
    if (!status && form) {
        json_t *j = job_scaling_json(&b);
        json_dumpf(j, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        putchar('\n');
        json_decref(j);
    } else if (!status) {
        struct options o;
        options_defaults(&o, stdout);
        job_scaling_text(&b, &o, stdout);
    }
    job_scaling_free(&b);
    if (!status && (fflush(stdout) || ferror(stdout))) {
        fprintf(stderr, "prof: cannot write the report: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}

int bench_main(int argc, char **argv)
{
    struct arguments a = { .from = 0 };
    struct bench *b = &a.bench;
    int form = 0, status = parse(argc, argv, &a, &form);
    if (status) {
        bench_free(b);
        return status - 1;
    }
    if (a.mpi) {
        if (!b->p_count)
            default_processors(b);
        if (form > 1)
            fputs(mpi_alone, stderr);
        status = form > 1 ? 2 : bench_ranks(&a, argv + optind, form);
        bench_free(b);
        return status;
    }
    if (a.from) {
        status = bench_load(b, a.from) ? 2 : 0;
    } else {
        if (!b->p_count)
            default_processors(b);
        take_command(b, argv + optind, argc - optind);
        status = bench_trials(b, &a.how);
        if (!status && !b->trial_count) {
            fputs("prof: there was no trial\n", stderr);
            status = b->interrupted ? 130 : 2;
        }
    }
    if (!status) {
        struct factored f;
        factored_new(&f, b);
        status = print(&f, form, a.how.output);
        factored_free(&f);
        status = status ? status : b->interrupted ? 130 : 0;
    }
    bench_free(b);
    return status;
}
