/* check.c - `prof check`: a gate for continuous integration (check/check.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "check/check.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "layout/options.h"
#include "layout/output_file.h"
#include "profile/newest.h"
#include "symbols/module_files.h"

/* The exit status of each verdict is stated at its end, and in docs/man/prof-check.1. */
static const char usage[] =
    "usage: prof check [options] [FILE...]\n"
    "       prof check [options] BASELINE... -- FILE...\n"
    "Checks figures of a profile, for continuous integration. Several files are runs\n"
    "of one program: their noise decides. Without FILE, the newest *.prof here.\n"
    "  -r, --require WHAT  a figure, an operator (< <= > >= == !=) and a value, such\n"
    "                      as 'parallelism >= 8', 'idle < 20%', 'span <= 30ms',\n"
    "                      'work(quicksort) < 30%' (repeatable)\n"
    "  -b, --baseline FILE a run to compare with (repeatable)\n"
    "  -m, --max-regression WHAT\n"
    "                      how much worse than the baseline: 5% (of work, span and\n"
    "                      elapsed), or of one figure: span=5% (repeatable)\n"
    "      --allow-unknown what is not known is no failure\n"
    "      --list          the figures: what they are, and in which unit\n"
    "  -f, --format NAME   text (default), markdown, junit, github, json\n"
    "      --overhead PART functions whose names hold PART are overhead, too\n"
    "                      (repeatable)\n"
    "      --symbols DIR   look for modules there, too (repeatable)\n"
    "  -o, --output FILE   write there; - is stdout\n"
    "      --color WHEN    auto (default), always, never\n"
    "  -h, --help          this\n"
    "Exit status: 0: all is met. 1: something is not, or is a regression. 2: an\n"
    "option is wrong, or a file cannot be read. 3: whether all is met is not known.\n";

static const char *const formats[] = { "text", "markdown", "junit", "github", "json" };
enum { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JUNIT, FORMAT_GITHUB, FORMAT_JSON, FORMATS };

/* The command line. */
struct arguments {
    struct options options;
    struct check check;
    const char **overhead;      /* patterns, NULL-terminated */
    unsigned overhead_count;
    char **baseline;            /* of --baseline, then those before "--" */
    unsigned baseline_count, format;
    bool allow_unknown, limited;
    const char *output;
};

static void list(void)
{
    static const char *const units[] = {
        [FIGURE_COST] = "time",        [FIGURE_TIME] = "time",   [FIGURE_WORKER_TIME] = "time, %",
        [FIGURE_COUNT] = "number",     [FIGURE_RATIO] = "number",
    };
    printf("%-26s%-9s%s\n", "figure", "unit", "meaning");
    for (unsigned i = 0; i < FIGURES; i++)
        printf("%-26s%-9s%s\n", figure_kinds[i].name, units[figure_kinds[i].unit],
               figure_kinds[i].meaning);
    fputs("\nTimes have a unit: ns, us, ms, s, min. % is a share of the worker time. With a\n"
          "clock that counts no time, costs (work, span, strand, grain, ...) are numbers\n"
          "without a unit. work, span, overhead, idle, blocked and tasks are also those of\n"
          "a function, without what it calls: work(quicksort); there, % is a share of the\n"
          "program's. Less is better, except for parallelism, strand, grain and POP's\n"
          "figures. The idle time of a job is without its time in MPI.\n",
          stdout);
}

/* Prints why TEXT, the value of OPTION, is wrong. */
static void complain(const char *option, const char *text, const char *why, const char *unknown)
{
    char *clean = format_clean(text), *reason = format_clean(why);
    const char *meant = unknown ? arguments_meant(unknown, &figure_kinds[0].name, FIGURES,
                                                  sizeof figure_kinds[0])
                                : 0;
    if (!strcmp(text, "?")) {
        fprintf(stderr, "prof: --%s ?: the figures are ", option);
        for (unsigned i = 0; i < FIGURES; i++)
            fprintf(stderr, "%s%s", i ? ", " : "", figure_kinds[i].name);
        fputc('\n', stderr);
    } else {
        fprintf(stderr, "prof: --%s '%s': %s%s%s%s\n", option, clean, reason,
                meant ? "; did you mean " : "", meant ? meant : "",
                meant     ? "?"
                : unknown ? " (prof check --list lists them)"
                          : "");
    }
    free(clean);
    free(reason);
}

static bool ask(struct arguments *a, bool limit, const char *text)
{
    char *unknown = 0, *why;
    if (!strcmp(text, "?"))
        why = format_text("?");
    else
        why = limit ? check_limit(&a->check, text, &unknown)
                    : check_require(&a->check, text, &unknown);
    a->limited |= limit;
    if (why)
        complain(limit ? "max-regression" : "require", text, why, unknown);
    bool good = !why;
    free(why);
    free(unknown);
    return good;
}

static bool choose_format(const char *name, unsigned *format)
{
    for (*format = 0; *format < FORMATS; ++*format)
        if (!strcmp(name, formats[*format]))
            return true;
    char *clean = format_clean(name);
    fprintf(stderr, "prof: --format %s: the formats are text, markdown, junit, github, json\n",
            clean);
    free(clean);
    return false;
}

enum { OPT_ALLOW = 256, OPT_LIST, OPT_OVERHEAD, OPT_SYMBOLS, OPT_COLOR };

static const struct option longs[] = {
    { "require", required_argument, 0, 'r' },
    { "baseline", required_argument, 0, 'b' },
    { "max-regression", required_argument, 0, 'm' },
    { "allow-unknown", no_argument, 0, OPT_ALLOW },
    { "list", no_argument, 0, OPT_LIST },
    { "format", required_argument, 0, 'f' },
    { "overhead", required_argument, 0, OPT_OVERHEAD },
    { "symbols", required_argument, 0, OPT_SYMBOLS },
    { "output", required_argument, 0, 'o' },
    { "color", required_argument, 0, OPT_COLOR },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

/* Reads the options of one part of the command line. Moves its files to its end, from *FIRST on.
 * Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct arguments *a, int *first)
{
    int c;
    optind = 0;
    while ((c = arguments_next(argc, argv, "r:b:m:f:o:h", longs)) != -1) {
        switch (c) {
        case 'r': case 'm':
            if (!ask(a, c == 'm', optarg))
                return 2;
            break;
        case 'b': a->baseline[a->baseline_count++] = optarg; break;
        case OPT_ALLOW: a->allow_unknown = true; break;
        case OPT_LIST: list(); return 0;
        case 'f':
            if (!choose_format(optarg, &a->format))
                return 2;
            break;
        case OPT_OVERHEAD:
            a->overhead[a->overhead_count++] = optarg;
            break;
        case OPT_SYMBOLS:
            if (!files_add_folder(optarg))
                return 2;
            break;
        case 'o': a->output = optarg; break;
        case OPT_COLOR:
            if (!terminal_when("--color", optarg, &a->options.want_color))
                return 2;
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    *first = optind;
    return -1;
}

/* Reads BASELINE... -- FILE..., or FILE... alone. */
static int parse_sides(int argc, char **argv, struct arguments *a)
{
    struct check_side *side = a->check.side;
    int dashes = 1, first, status;
    while (dashes < argc && strcmp(argv[dashes], "--"))
        dashes++;
    if ((status = parse(dashes, argv, a, &first)) >= 0)
        return status;
    side[CHECK_RUNS].files = argv + first;
    side[CHECK_RUNS].count = dashes - first;
    if (dashes < argc) {
        for (int i = first; i < dashes; i++)
            a->baseline[a->baseline_count++] = argv[i];
        argv[dashes] = argv[0];
        if ((status = parse(argc - dashes, argv + dashes, a, &first)) >= 0)
            return status;
        side[CHECK_RUNS].files = argv + dashes + first;
        side[CHECK_RUNS].count = argc - dashes - first;
    }
    side[CHECK_BASELINE].files = a->baseline;
    side[CHECK_BASELINE].count = a->baseline_count;
    const char *wrong =
        a->limited && !a->baseline_count
            ? "--max-regression compares with a --baseline: which?"
        : !a->limited && a->baseline_count
            ? "how much worse than the --baseline may it be? --max-regression 5%"
        : !a->check.count
            ? "what shall be checked? --require 'parallelism >= 8'; prof check --list lists the "
              "figures"
            : 0;
    if (wrong)
        fprintf(stderr, "prof: %s\n", wrong);
    return wrong ? 2 : -1;
}

static int write_verdicts(const struct arguments *a, FILE *out)
{
    static const int statuses[] = { [CHECK_MET] = 0, [CHECK_NOT_MET] = 1, [CHECK_UNKNOWN] = 3 };
    const struct check *c = &a->check;
    switch (a->format) {
    case FORMAT_MARKDOWN: check_markdown(c, out); break;
    case FORMAT_JUNIT: check_junit(c, a->allow_unknown, out); break;
    case FORMAT_GITHUB: check_github(c, out); break;
    case FORMAT_JSON: check_json(c, out); break;
    default: check_text(c, &a->options, out); break;
    }
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the verdicts: %s\n", strerror(errno));
        return 2;
    }
    enum check_verdict v = check_all(c);
    return v == CHECK_UNKNOWN && a->allow_unknown ? 0 : statuses[v];
}

static int check(struct arguments *a)
{
    struct check_side *runs = &a->check.side[CHECK_RUNS];
    char *newest = 0;
    struct output out;
    int status = 2;
    if (!runs->count) {
        if (!(newest = profile_newest("check")))
            return 2;
        runs->files = &newest;
        runs->count = 1;
    }
    options_output(&a->options, stdout);
    if (output_open(&out, &a->options, a->output)) {
        if (check_run(&a->check, &a->options))
            status = write_verdicts(a, out.stream);
        status = output_close(&out, status);
    }
    free(newest);
    return status;
}

int check_main(int argc, char **argv)
{
    struct arguments a = { 0 };
    a.overhead = format_memory(calloc(argc + 1, sizeof *a.overhead));
    a.baseline = format_memory(calloc(argc + 1, sizeof *a.baseline));
    options_defaults(&a.options, stdout);
    a.options.overhead = a.overhead;
    int status = parse_sides(argc, argv, &a);
    if (status < 0)
        status = check(&a);
    check_free(&a.check);
    free(a.overhead);
    free(a.baseline);
    return status;
}
