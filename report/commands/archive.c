/* archive.c - `prof archive`: one file for another machine (archive/pack.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/pack.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "profile/newest.h"
#include "symbols/module_files.h"

static const char usage[] =
    "usage: prof archive [options] [FILE]\n"
    "Packs a profile, its modules with their symbols, and the program's source into\n"
    "one file for another machine; without FILE the newest *.prof in the current\n"
    "directory.\n"
    "  -o, --output FILE   write there; - is stdout (default: FILE's name with\n"
    "                      .tar.gz, here)\n"
    "      --no-source     without the program's source\n"
    "      --symbols DIR   look for modules there, too (repeatable)\n"
    "  -h, --help          this\n";

int archive_main(int argc, char **argv)
{
    enum { OPT_NO_SOURCE = 256, OPT_SYMBOLS };
    static const struct option longs[] = {
        { "output", required_argument, 0, 'o' },
        { "no-source", no_argument, 0, OPT_NO_SOURCE },
        { "symbols", required_argument, 0, OPT_SYMBOLS },
        { "help", no_argument, 0, 'h' },
        { 0 },
    };
    const char *output = 0;
    bool source = true;
    int c;
    while ((c = arguments_next(argc, argv, "o:h", longs)) != -1) {
        switch (c) {
        case 'o': output = optarg; break;
        case OPT_NO_SOURCE: source = false; break;
        case OPT_SYMBOLS:
            if (!files_add_folder(optarg))
                return 2;
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    int status = 2;
    char *newest = 0;
    if (argc - optind > 1)
        fputs("prof: archive takes one FILE (prof merge makes one of several)\n", stderr);
    else if (output && !strcmp(output, "-") && isatty(STDOUT_FILENO))
        fputs("prof: an archive is binary: give --output, or a pipe\n", stderr);
    else if (optind < argc || (newest = profile_newest("archive")))
        status = archive_pack(newest ? newest : argv[optind], output, source);
    free(newest);
    return status;
}
