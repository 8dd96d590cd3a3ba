/* report.c - `prof report`: reads options and files, and prints the report in one of three
 * forms. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/report_forms.h"
#include "layout/options.h"
#include "layout/output_file.h"
#include "layout/pager.h"
#include "profile/newest.h"
#include "symbols/module_files.h"

static const char usage[] =
    "usage: prof report [options] [FILE...]\n"
    "Shows profiles; without FILE the newest *.prof in the current directory.\n"
    "      --full          all sections, not one screen; all options down to -M,\n"
    "                      --effort and --frames include it\n"
    "  -s, --sort KEY      order of the spawn sites; --sort '?' lists the keys\n"
    "  -m, --measure KIND  Cilkprof's measurements: default, top, topcaller, local,\n"
    "                      all\n"
    "  -n, --limit N       rows of sites (%d)\n"
    "  -a, --all           all rows\n"
    "      --raw           one row for each spawn site, even where source lines are\n"
    "                      the same\n"
    "  -p, --paths         the call paths from the program down, with all metrics\n"
    "  -c, --callers       the functions with their callers\n"
    "  -l, --lines         the source lines that samples hit\n"
    "  -M, --metric M      what call paths are sorted by: span, work, idleness,\n"
    "                      overhead, blocked, own\n"
    "      --timeline      without --full: also what the threads did over the run\n"
    "      --ranks         of an MPI job: one line a rank, the unusual ones first\n"
    "      --rank K        of an MPI job: rank K alone\n"
    "      --all-frames    without --full: also the C++ library's functions\n"
    "      --physical      with the frames of the runtime\n"
    "      --effort        percentages of the effort (work and idleness) instead of\n"
    "                      each total\n"
    "      --unfolded      with every frame of recursive functions\n"
    "      --overhead PART functions whose names hold PART are overhead, too\n"
    "                      (repeatable)\n"
    "      --symbols DIR   look for modules and source there, too (repeatable)\n"
    "      --frames        the inlined frames behind each site\n"
    "      --json          for programs; JSON.md describes it\n"
    "      --csv           one line a site\n"
    "      --totals        with --csv: one line a program\n"
    "      --cilkscale     CSV with Cilkscale's columns: one line a region, the\n"
    "                      program last\n"
    "  -o, --output FILE   write the report there; - is stdout\n"
    "      --color WHEN    auto (default), always, never\n"
    "      --links WHEN    without --full: places are links (OSC 8); WHEN as above\n"
    "      --no-pager      on a terminal: not through PROF_PAGER, PAGER or less\n"
    "  -h, --help          this\n";

/* Shows the report in a pager. Returns prof's exit status. */
static int page_report(char **files, int count, const struct options *o)
{
    char *text = 0;
    size_t size;
    FILE *out = format_memory(open_memstream(&text, &size));
    int status = report_files(files, count, o, out);
    fclose(out);
    format_memory(text);
    if (size && pager_show(text, size)) {
        fprintf(stderr, "prof: cannot write the report: %s\n", strerror(errno));
        status = 2;
    }
    free(text);
    return status;
}

static int write_report(char **files, int count, struct options *o, const char *path)
{
    struct output out;
    bool screen = count == 1 && !o->full; /* it fits one */
    if (!path && o->pager && o->form == FORM_TEXT && !screen && pager_wanted())
        return page_report(files, count, o);
    if (!output_open(&out, o, path))
        return 2;
    return output_close(&out, report_files(files, count, o, out.stream));
}

/* Reports FILES, or the newest profile in the current directory if there are none. */
static int report(char **files, int count, struct options *o, const char *output)
{
    if (o->totals && o->form != FORM_CSV) {
        fprintf(stderr, "prof: --totals is for --csv; the other forms hold the totals anyway\n");
        return 2;
    }
    if ((o->ranks || o->one_rank) && o->form != FORM_TEXT) {
        fprintf(stderr, "prof: --ranks and --rank are for text; JSON has the ranks in \"job\"\n");
        return 2;
    }
    if (count)
        return write_report(files, count, o, output);
    char *newest = profile_newest("report");
    if (!newest)
        return 2;
    int status = write_report(&newest, 1, o, output);
    free(newest);
    return status;
}

enum {
    OPT_JSON = 256,
    OPT_CSV,
    OPT_RAW,
    OPT_TOTALS,
    OPT_FRAMES,
    OPT_PHYSICAL,
    OPT_OVERHEAD,
    OPT_UNFOLDED,
    OPT_EFFORT,
    OPT_NO_PAGER,
    OPT_CILKSCALE,
    OPT_SYMBOLS,
    OPT_FULL,
    OPT_ALL_FRAMES,
    OPT_TIMELINE,
    OPT_COLOR,
    OPT_LINKS,
    OPT_RANKS,
    OPT_RANK
};

static const struct option longs[] = {
    { "full", no_argument, 0, OPT_FULL },
    { "all-frames", no_argument, 0, OPT_ALL_FRAMES },
    { "ranks", no_argument, 0, OPT_RANKS },
    { "rank", required_argument, 0, OPT_RANK },
    { "timeline", no_argument, 0, OPT_TIMELINE },
    { "color", required_argument, 0, OPT_COLOR },
    { "links", required_argument, 0, OPT_LINKS },
    { "sort", required_argument, 0, 's' },
    { "measure", required_argument, 0, 'm' },
    { "limit", required_argument, 0, 'n' },
    { "all", no_argument, 0, 'a' },
    { "json", no_argument, 0, OPT_JSON },
    { "csv", no_argument, 0, OPT_CSV },
    { "raw", no_argument, 0, OPT_RAW },
    { "totals", no_argument, 0, OPT_TOTALS },
    { "symbols", required_argument, 0, OPT_SYMBOLS },
    { "frames", no_argument, 0, OPT_FRAMES },
    { "output", required_argument, 0, 'o' },
    { "paths", no_argument, 0, 'p' },
    { "callers", no_argument, 0, 'c' },
    { "lines", no_argument, 0, 'l' },
    { "metric", required_argument, 0, 'M' },
    { "physical", no_argument, 0, OPT_PHYSICAL },
    { "overhead", required_argument, 0, OPT_OVERHEAD },
    { "unfolded", no_argument, 0, OPT_UNFOLDED },
    { "effort", no_argument, 0, OPT_EFFORT },
    { "no-pager", no_argument, 0, OPT_NO_PAGER },
    { "cilkscale", no_argument, 0, OPT_CILKSCALE },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

/* Is C an option of the tables that only the full report has? */
static bool asks_for_full(int c)
{
    return (c < 128 && strchr("smnapclM", c)) || c == OPT_FULL || c == OPT_RAW ||
           c == OPT_EFFORT || c == OPT_FRAMES;
}

/* Reads the options. OVERHEAD has room for as many names as there are arguments. Returns -1 to go
 * on, else an exit status. */
static int parse(int argc, char **argv, struct options *o, const char **overhead,
                 const char **output)
{
    unsigned patterns = 0;
    bool limited = false;
    int c;
    while ((c = arguments_next(argc, argv, "s:m:n:ao:pclM:h", longs)) != -1) {
        o->full |= asks_for_full(c);
        switch (c) {
        case OPT_FULL: break;
        case OPT_ALL_FRAMES: o->all_frames = true; break;
        case OPT_RANKS: o->ranks = true; break;
        case OPT_RANK:
            if (!options_number(optarg, &o->rank)) {
                fprintf(stderr, "prof: --rank %s: not the number of a rank\n", optarg);
                return 2;
            }
            o->one_rank = true;
            break;
        case OPT_TIMELINE: o->timeline = true; break;
        case OPT_COLOR: case OPT_LINKS:
            if (!terminal_when(c == OPT_COLOR ? "--color" : "--links", optarg,
                               c == OPT_COLOR ? &o->want_color : &o->want_links))
                return 2;
            break;
        case 's': o->sort = optarg; break;
        case 'm': o->measure = optarg; break;
        case 'n':
            if (!options_number(optarg, &o->limit)) {
                fprintf(stderr, "prof: --limit %s: not a number of rows\n", optarg);
                return 2;
            }
            limited = true;
            break;
        case 'a': o->limit = 0; break;
        case OPT_CILKSCALE:
            o->cilkscale = true; /* fall through */
        case OPT_JSON: case OPT_CSV:
            if (!options_form(o, c == OPT_JSON ? FORM_JSON : FORM_CSV))
                return 2;
            break;
        case OPT_RAW: o->raw = true; break;
        case OPT_TOTALS: o->totals = true; break;
        case OPT_FRAMES: o->frames = true; break;
        case 'p': o->paths = true; break;
        case 'c': o->callers = true; break;
        case 'l': o->lines = true; break;
        case 'M': o->metric = optarg; break;
        case OPT_NO_PAGER: o->pager = false; break;
        case OPT_EFFORT: o->effort = true; break;
        case OPT_UNFOLDED: o->unfolded = true; break;
        case OPT_PHYSICAL: o->physical = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case OPT_SYMBOLS:
            if (!files_add_folder(optarg))
                return 2;
            break;
        case 'o': *output = optarg; break;
        case 'h': printf(usage, OPTIONS_LIMIT); return 0;
        default: return 2;
        }
    }
    if (o->ranks && !limited)
        o->limit = 0;
    return -1;
}

int report_main(int argc, char **argv)
{
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead)), *output = 0;
    struct options o;
    options_defaults(&o, stdout);
    o.pager = true;
    o.overhead = overhead;
    int status = parse(argc, argv, &o, overhead, &output);
    options_output(&o, stdout);
    if (status < 0)
        status = options_check(&o) ? report(argv + optind, argc - optind, &o, output) : 2;
    free(overhead);
    return status;
}
