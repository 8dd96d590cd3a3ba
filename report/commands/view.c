/* view.c - `prof view`: shows a profile as a page in a browser (view/view.h). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "layout/options.h"
#include "profile/newest.h"
#include "symbols/module_files.h"
#include "view/view.h"

static const char usage[] =
    "usage: prof view [options] [FILE]\n"
    "Writes a profile as a page for a browser; without FILE the newest *.prof in the\n"
    "current directory.\n"
    "  -o, --output PAGE   write there; - is stdout (default: FILE's name with .html,\n"
    "                      here)\n"
    "      --open          also open the page in a browser: BROWSER, or the desktop's\n"
    "                      default\n"
    "      --serve         do not write it, but serve it to this machine until\n"
    "                      interrupted\n"
    "      --physical      with the frames of the runtime\n"
    "      --all-frames    also the C++ library's functions\n"
    "      --unfolded      with every frame of recursive functions\n"
    "      --overhead PART functions whose names hold PART are overhead, too\n"
    "                      (repeatable)\n"
    "      --symbols DIR   look for modules and source there, too (repeatable)\n"
    "      --bench FILE    with the trials of prof bench (its JSON)\n"
    "      --no-source     without lines of the program's source\n"
    "      --diff BEFORE   with what changed since that profile: colours of the flame\n"
    "                      graph, and words\n"
    "  -h, --help          this\n";

enum {
    OPT_SERVE = 256,
    OPT_OPEN,
    OPT_PHYSICAL,
    OPT_ALL_FRAMES,
    OPT_UNFOLDED,
    OPT_OVERHEAD,
    OPT_NO_SOURCE,
    OPT_DIFF,
    OPT_BENCH,
    OPT_SYMBOLS
};

static const struct option longs[] = {
    { "output", required_argument, 0, 'o' },
    { "serve", no_argument, 0, OPT_SERVE },
    { "open", no_argument, 0, OPT_OPEN },
    { "physical", no_argument, 0, OPT_PHYSICAL },
    { "all-frames", no_argument, 0, OPT_ALL_FRAMES },
    { "unfolded", no_argument, 0, OPT_UNFOLDED },
    { "overhead", required_argument, 0, OPT_OVERHEAD },
    { "no-source", no_argument, 0, OPT_NO_SOURCE },
    { "diff", required_argument, 0, OPT_DIFF },
    { "symbols", required_argument, 0, OPT_SYMBOLS },
    { "bench", required_argument, 0, OPT_BENCH },
    { "help", no_argument, 0, 'h' },
    { 0 },
};

int view_main(int argc, char **argv)
{
    const char **overhead = format_memory(calloc(argc + 1, sizeof *overhead));
    unsigned patterns = 0;
    struct view_way w = { .source = true };
    struct options o;
    int c;
    options_defaults(&o, stdout);
    o.columns = true;
    while ((c = arguments_next(argc, argv, "o:h", longs)) != -1) {
        switch (c) {
        case 'o': w.output = optarg; break;
        case OPT_SERVE: w.serve = true; break;
        case OPT_OPEN: w.open = true; break;
        case OPT_PHYSICAL: o.physical = true; break;
        case OPT_ALL_FRAMES: o.all_frames = true; break;
        case OPT_UNFOLDED: o.unfolded = true; break;
        case OPT_OVERHEAD: overhead[patterns++] = optarg; break;
        case OPT_SYMBOLS:
            if (!files_add_folder(optarg)) {
                free(overhead);
                return 2;
            }
            break;
        case OPT_NO_SOURCE: w.source = false; break;
        case OPT_DIFF: w.before = optarg; break;
        case OPT_BENCH: w.bench = optarg; break;
        case 'h': fputs(usage, stdout); free(overhead); return 0;
        default: free(overhead); return 2;
        }
    }
    o.overhead = overhead;
    int status = 2;
    char *newest = 0;
    if (!view_is_built())
        ;
    else if (argc - optind > 1)
        fputs("prof: view takes one FILE\n", stderr);
    else if (w.serve && w.output)
        fputs("prof: either --serve or --output\n", stderr);
    else if (w.open && (w.serve || (w.output && !strcmp(w.output, "-"))))
        fputs("prof: --open is for a page that is written to a file\n", stderr);
    else if (optind < argc || (newest = profile_newest("view")))
        status = view_page(newest ? newest : argv[optind], &o, &w);
    free(newest);
    free(overhead);
    return status;
}
