/* whatif.c - `prof whatif`: which code you should change first, by a profile (whatif/proposals.c)
 * or by runs of the program (whatif/search.c). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/whatif_candidates.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "launch/job.h"
#include "layout/options.h"
#include "profile/newest.h"
#include "whatif/advice.h"

static const char usage[] =
    "usage: prof whatif [options] [FILE]\n"
    "       prof whatif [options] -- PROGRAM [arguments]\n"
    "Which code to change first. From a profile: candidates, what each could bring at\n"
    "most, and the scenarios tried in that run (prof run --whatif). With a program:\n"
    "runs it, tries each candidate and every two of the first six together, and goes\n"
    "on from the best until the target is reached.\n"
    "  -t, --target N       parallelism wanted (10 for each processor that is online)\n"
    "  -x, --factor F       how much less a candidate costs, or how parallel it\n"
    "                       becomes (16)\n"
    "  -f, --function NAME  a candidate, instead of those that the profile proposes:\n"
    "                       a function, FUNCTION@FILE:LINE, @FILE:LINE or an\n"
    "                       annotated region; may be repeated\n"
    "      --validate[=K]   also a slow-down experiment: candidates are made K times\n"
    "                       slower (2) for real, and what was measured then stands\n"
    "                       next to what a scenario predicted\n"
    "  -n, --pairs N        pairs of runs, normal and slowed, in that experiment (3)\n"
    "      --json           for programs; JSON.md describes it\n"
    "  -h, --help           this\n";

static bool parse_number(const char *option, const char *text, double low, double high,
                         double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (*text && !*end && *value >= low && *value <= high)
        return true;
    fprintf(stderr, "prof: --%s %s: a number from %g to %g is expected\n", option, text, low, high);
    return false;
}

enum { OPT_JSON = 256, OPT_VALIDATE };

static const struct option longs[] = {
    { "validate", optional_argument, 0, OPT_VALIDATE },
    { "pairs", required_argument, 0, 'n' },
    { "target", required_argument, 0, 't' },
    { "factor", required_argument, 0, 'x' },
    { "function", required_argument, 0, 'f' },
    { "json", no_argument, 0, OPT_JSON },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

/* Reads the options. Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct advice *a)
{
    double pairs;
    int c;
    while ((c = arguments_next(argc, argv, "+t:x:f:n:h", longs)) != -1) {
        switch (c) {
        case 't':
            if (!parse_number("target", optarg, 1, 1e9, &a->target))
                return 2;
            break;
        case 'x':
            if (!parse_number("factor", optarg, 1.001, 1000, &a->factor))
                return 2;
            break;
        case 'f':
            if (a->name_count == TRIED || !*optarg) {
                fprintf(stderr, "prof: --function: %s\n",
                        *optarg ? "at most 16" : "a name is missing");
                return 2;
            }
            a->names[a->name_count++] = optarg;
            break;
        case OPT_JSON: a->json = true; break;
        case OPT_VALIDATE:
            if (!parse_number("validate", optarg ? optarg : "2", 1.01, 100, &a->slower))
                return 2;
            break;
        case 'n':
            if (!parse_number("pairs", optarg, 1, 1000, &pairs))
                return 2;
            a->pairs = pairs;
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    return -1;
}

int whatif_main(int argc, char **argv)
{
    struct options o;
    options_defaults(&o, stdout);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct advice a = {
        .target = 10.0 * (processors > 0 ? processors : 1), .factor = 16, .options = o, .pairs = 3
    };
    bool separated = false;
    for (int i = 1; i < argc && !separated; i++)
        separated = !strcmp(argv[i], "--");
    int status = parse(argc, argv, &a);
    if (status >= 0)
        return status;
    bool command = separated && optind > 1 && !strcmp(argv[optind - 1], "--");
    if (command && optind == argc) {
        fputs("prof: which program? (prof whatif [options] -- PROGRAM [arguments])\n", stderr);
        return 2;
    }
    int rank, size;
    if (command && job_is_launcher(argv[optind])) {
        fprintf(stderr, "prof: %s starts a job, and prof whatif does not know jobs: it would "
                        "profile %s itself\n", argv[optind], argv[optind]);
        status = 2;
    } else if (command && job_rank(&rank, &size)) {
        fputs("prof: prof whatif does not know jobs: it runs no program as a rank\n", stderr);
        status = 2;
    } else if (command) {
        a.command = argv + optind;
        status = advice_run(&a);
    } else if (argc - optind > 1) {
        fputs("prof: one profile, or -- PROGRAM [arguments]\n", stderr);
        status = 2;
    } else {
        char *newest = optind < argc ? 0 : profile_newest("whatif");
        const char *file = optind < argc ? argv[optind] : newest;
        status = file ? advice_file(&a, file) : 2;
        free(newest);
    }
    whatif_candidates_free(a.candidates, a.count);
    return status;
}
