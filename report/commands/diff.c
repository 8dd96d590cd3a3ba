/* diff.c - `prof diff`: what changed between two sets of profiles (diff/diff.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "diff/diff.h"
#include "layout/options.h"
#include "layout/output_file.h"
#include "symbols/module_files.h"

static const char usage[] =
    "usage: prof diff [options] A B\n"
    "       prof diff [options] A... -- B...\n"
    "What changed from A to B, by function and by call path. Several files on a side\n"
    "are runs of one program: their spread shows which changes are real.\n"
    "      --full          all tables, not one screen; so do -n, -a, --all-frames,\n"
    "                      --physical and --unfolded\n"
    "  -M, --metric M      what leads the tables: span (default), work, idleness,\n"
    "                      overhead, blocked, tasks\n"
    "  -s, --sort KEY      rows by change (default), relative change, a, b, name\n"
    "  -n, --limit N       rows (%d)\n"
    "  -a, --all           all rows\n"
    "  -p, --paths         with --json, --csv: the call paths, too\n"
    "      --all-frames    also the C++ library's functions, and those of libc that\n"
    "                      wait; --json, --csv have them always\n"
    "      --physical      with the frames of the runtime\n"
    "      --unfolded      with every frame of recursive functions\n"
    "      --overhead PART functions whose names hold PART are overhead, too\n"
    "                      (repeatable)\n"
    "      --symbols DIR   look for modules there, too (repeatable)\n"
    "      --json, --csv   for programs; DIFF.md describes them\n"
    "  -o, --output FILE   write there; - is stdout\n"
    "  -h, --help          this\n";

static int diff(char **const files[2], const unsigned counts[2], const struct diff_wish *w,
                FILE *out)
{
    struct diff d;
    int status = diff_new(&d, files, counts, w->o);
    if (d.comparable) {
        if (w->o->form == FORM_JSON)
            diff_json(&d, w, out);
        else if (w->o->form == FORM_CSV)
            diff_csv(&d, w, out);
        else
            diff_text(&d, w, out);
    }
    diff_free(&d);
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "prof: cannot write the comparison: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}

static bool choose_metric(const char *name, struct diff_wish *w)
{
    for (unsigned k = 0; k < DIFF_METRICS; k++)
        if (!strcmp(name, diff_metrics[k])) {
            w->metric = k;
            return true;
        }
    fprintf(stderr,
            "prof: --metric %s: the metrics are span, work, idleness, overhead, blocked, tasks\n",
            name);
    return false;
}

static bool check_sort(const char *key)
{
    static const char *const keys[] = { "change", "relative", "a", "b", "name" };
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!strcmp(key, keys[i]))
            return true;
    fprintf(stderr, "prof: --sort %s: the keys are change, relative, a, b, name\n", key);
    return false;
}

enum { OPT_PHYSICAL = 256, OPT_OVERHEAD, OPT_UNFOLDED, OPT_JSON, OPT_CSV, OPT_SYMBOLS,
       OPT_ALL_FRAMES, OPT_FULL };

/* The command line. */
struct arguments {
    struct options options;
    struct diff_wish wish;
    const char **overhead;      /* patterns, NULL-terminated */
    unsigned overhead_count;
    const char *output;
    char **files[2];            /* of each side */
    unsigned counts[2];
};

/* Reads the options of one part of the command line. Moves its files to its end, from *FIRST on.
 * Returns 0 to go on. */
static int parse(int argc, char **argv, struct arguments *a, int *first)
{
    static const struct option longs[] = {
        { "metric", required_argument, 0, 'M' },
        { "sort", required_argument, 0, 's' },
        { "limit", required_argument, 0, 'n' },
        { "all", no_argument, 0, 'a' },
        { "paths", no_argument, 0, 'p' },
        { "full", no_argument, 0, OPT_FULL },
        { "all-frames", no_argument, 0, OPT_ALL_FRAMES },
        { "physical", no_argument, 0, OPT_PHYSICAL },
        { "unfolded", no_argument, 0, OPT_UNFOLDED },
        { "overhead", required_argument, 0, OPT_OVERHEAD },
        { "symbols", required_argument, 0, OPT_SYMBOLS },
        { "json", no_argument, 0, OPT_JSON },
        { "csv", no_argument, 0, OPT_CSV },
        { "output", required_argument, 0, 'o' },
        { "help", no_argument, 0, 'h' },
        { 0 },
    };
    int c;
    optind = 0;
    while ((c = arguments_next(argc, argv, "M:s:n:apo:h", longs)) != -1) {
        a->options.full |= c == OPT_FULL || c == 'n' || c == 'a' || c == OPT_ALL_FRAMES ||
                           c == OPT_PHYSICAL || c == OPT_UNFOLDED;
        switch (c) {
        case OPT_FULL: break;
        case 'M':
            if (!choose_metric(optarg, &a->wish))
                return 2;
            break;
        case 's': a->wish.sort = optarg; break;
        case 'n':
            if (!options_number(optarg, &a->options.limit)) {
                fprintf(stderr, "prof: --limit %s: not a number of rows\n", optarg);
                return 2;
            }
            break;
        case 'a': a->options.limit = 0; break;
        case 'p': a->options.paths = true; break;
        case OPT_ALL_FRAMES: a->options.all_frames = true; break;
        case OPT_PHYSICAL: a->options.physical = true; break;
        case OPT_UNFOLDED: a->options.unfolded = true; break;
        case OPT_OVERHEAD:
            a->overhead[a->overhead_count++] = optarg;
            break;
        case OPT_JSON: case OPT_CSV:
            if (!options_form(&a->options, c == OPT_JSON ? FORM_JSON : FORM_CSV))
                return 2;
            break;
        case OPT_SYMBOLS:
            if (!files_add_folder(optarg))
                return 2;
            break;
        case 'o': a->output = optarg; break;
        case 'h': printf(usage, (int)a->options.limit); return 1;
        default: return 2;
        }
    }
    *first = optind;
    return 0;
}

/* Reads A... -- B...: one part after the other, so both may have options. */
static int parse_sides(int argc, char **argv, struct arguments *a)
{
    int dashes = 1, first, status;
    while (dashes < argc && strcmp(argv[dashes], "--"))
        dashes++;
    if ((status = parse(dashes, argv, a, &first)))
        return status;
    a->files[0] = argv + first;
    a->counts[0] = dashes - first;
    if (dashes < argc) {
        argv[dashes] = argv[0];
        if ((status = parse(argc - dashes, argv + dashes, a, &first)))
            return status;
        a->files[1] = argv + dashes + first;
        a->counts[1] = argc - dashes - first;
    } else if (a->counts[0] == 2) {
        a->files[1] = a->files[0] + 1;
        a->counts[0] = a->counts[1] = 1;
    }
    if (a->counts[0] && a->counts[1])
        return 0;
    fputs("prof: diff takes two FILEs, or A... -- B...\n", stderr);
    return 2;
}

int diff_main(int argc, char **argv)
{
    struct arguments a = { .wish = { .o = &a.options, .metric = DIFF_SPAN, .sort = "change" } };
    a.overhead = format_memory(calloc(argc + 1, sizeof *a.overhead));
    options_defaults(&a.options, stdout);
    a.options.overhead = a.overhead;
    int status = parse_sides(argc, argv, &a);
    if (!status && !check_sort(a.wish.sort))
        status = 2;
    struct options *o = &a.options;
    o->in_program = o->fold_waits = o->form == FORM_TEXT && !o->all_frames && !o->physical &&
                                    !o->unfolded;
    if (!status) {
        struct output out;
        status = output_open(&out, &a.options, a.output)
                     ? output_close(&out, diff(a.files, a.counts, &a.wish, out.stream))
                     : 2;
    } else if (status == 1) {
        status = 0;             /* --help */
    }
    free(a.overhead);
    return status;
}
