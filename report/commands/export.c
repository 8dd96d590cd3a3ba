/* export.c - `prof export`: profiles for other tools. docs/EXPORTS.md describes the formats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "base/progress.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "export/export.h"
#include "layout/options.h"
#include "layout/output_file.h"
#include "profile/newest.h"
#include "profile/profile.h"
#include "symbols/module_files.h"

static const char usage[] =
    "usage: prof export [options] [FILE]\n"
    "Writes a profile for another tool; without FILE the newest *.prof in the current\n"
    "directory.\n"
    "  -f, --format F      folded: one line a call path, for flamegraph.pl, inferno,\n"
    "                      speedscope\n"
    "                      pprof: all metrics, for pprof and what reads its files\n"
    "                      speedscope: all metrics, JSON for speedscope\n"
    "                      callgrind: all metrics, for KCachegrind and\n"
    "                      callgrind_annotate\n"
    "                      firefox: all metrics, JSON for the Firefox Profiler\n"
    "                      gnuplot: the bounds on speedup, a script with its data\n"
    "  -M, --metric M      span (default), work, idleness, overhead, blocked, own:\n"
    "                      the one of a folded file, the first of others\n"
    "      --physical      with the frames of the runtime\n"
    "      --overhead PART functions whose names hold PART are overhead, too\n"
    "                      (repeatable)\n"
    "      --symbols DIR   look for modules there, too (repeatable)\n"
    "  -o, --output FILE   write there; - is stdout\n"
    "  -h, --help          this\n";

static int export_file(const char *file, const struct export_format *f, const struct options *o,
                       FILE *out)
{
    struct profile p;
    struct summary m;
    struct paths t;
    struct export_tree e;
    if (profile_open(&p, file))
        return 2;
    summary_new(&m, &p, false);
    paths_new(&t, &m, o->physical, false, o->overhead);
    progress_done();
    export_tree_new(&e, &t, o->metric);
    int r = f->write(&e, out);
    if (fflush(out) || ferror(out))
        r = -1;
    if (r)
        fprintf(stderr, "prof: cannot write the export: %s\n", strerror(errno));
    export_tree_free(&e);
    paths_free(&t);
    summary_free(&m);
    profile_close(&p);
    return r ? 2 : 0;
}

int export_main(int argc, char **argv)
{
    enum { OPT_PHYSICAL = 256, OPT_OVERHEAD, OPT_SYMBOLS };
    static const struct option longs[] = {
        { "format", required_argument, 0, 'f' },
        { "metric", required_argument, 0, 'M' },
        { "physical", no_argument, 0, OPT_PHYSICAL },
        { "overhead", required_argument, 0, OPT_OVERHEAD },
        { "symbols", required_argument, 0, OPT_SYMBOLS },
        { "output", required_argument, 0, 'o' },
        { "help", no_argument, 0, 'h' },
        { 0 },
    };
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead)), *output = 0,
               *name = "folded";
    unsigned patterns = 0;
    struct options o;
    int c;
    options_defaults(&o, stdout);
    while ((c = arguments_next(argc, argv, "f:M:o:h", longs)) != -1) {
        switch (c) {
        case 'f': name = optarg; break;
        case 'M': o.metric = optarg; break;
        case OPT_PHYSICAL: o.physical = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case OPT_SYMBOLS:
            if (!files_add_folder(optarg)) {
                free(overhead);
                return 2;
            }
            break;
        case 'o': output = optarg; break;
        case 'h': fputs(usage, stdout); free(overhead); return 0;
        default: free(overhead); return 2;
        }
    }
    o.overhead = overhead;
    int status = 2;
    char *newest = 0;
    const struct export_format *f = export_format(name);
    if (!f) {
        /* export_format has printed why */
    } else if (argc - optind > 1) {
        fputs("prof: export takes one FILE\n", stderr);
    } else if (f->binary && !output && isatty(STDOUT_FILENO)) {
        fprintf(stderr, "prof: %s is binary: give --output, or a pipe\n", f->name);
    } else if (options_check(&o) && (optind < argc || (newest = profile_newest("export")))) {
        struct output out;
        if (output_open(&out, &o, output))
            status = output_close(&out,
                                  export_file(newest ? newest : argv[optind], f, &o, out.stream));
    }
    free(newest);
    free(overhead);
    return status;
}
