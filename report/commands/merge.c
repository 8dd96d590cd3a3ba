/* merge.c - `prof merge`: many profiles into one (merge/merge.h). */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "commands/arguments.h"
#include "commands/commands.h"
#include "merge/merge.h"
#include "output/options.h"
#include "profile/profile.h"

static const char usage[] =
    "usage: prof merge [options] -o OUT FILE...\n"
    "Adds profiles into one that every command of prof reads.\n"
    "  -o, --output OUT    the file\n"
    "      --as KIND       processes (default): a process tree or MPI ranks. Work is\n"
    "                      summed; the span is the longest process's\n"
    "                      runs: of one program, one after the other. Everything is\n"
    "                      summed, so shares are of an average run\n"
    "  -k, --keep-going    leave out files that cannot be read, and do not fail\n"
    "  -j, --jobs N        threads (default: one for each processor)\n"
    "  -h, --help          this\n";

int merge_main(int argc, char **argv)
{
    enum { OPT_AS = 256 };
    static const struct option longs[] = {
        { "output", required_argument, 0, 'o' }, { "as", required_argument, 0, OPT_AS },
        { "keep-going", no_argument, 0, 'k' },   { "jobs", required_argument, 0, 'j' },
        { "help", no_argument, 0, 'h' },         { 0 },
    };
    struct merge all = { .mode = LPF_MERGE_PROCESSES };
    const char *output = 0;
    size_t threads = sysconf(_SC_NPROCESSORS_ONLN) > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    bool keep_going = false;
    int c;
    while ((c = arguments_next(argc, argv, "o:kj:h", longs)) != -1) {
        switch (c) {
        case 'o': output = optarg; break;
        case OPT_AS:
            if (strcmp(optarg, "processes") && strcmp(optarg, "runs")) {
                fprintf(stderr, "prof: --as %s: the kinds are processes, runs\n", optarg);
                return 2;
            }
            all.mode = *optarg == 'r' ? LPF_MERGE_RUNS : LPF_MERGE_PROCESSES;
            break;
        case 'k': keep_going = true; break;
        case 'j':
            if (!options_number(optarg, &threads) || !threads) {
                fprintf(stderr, "prof: --jobs %s: not a number of threads\n", optarg);
                return 2;
            }
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    if (!output || optind == argc) {
        fprintf(stderr, "prof: merge needs %s\n", output ? "a FILE" : "--output OUT");
        return 2;
    }
    all.files = argv + optind;
    return merge_files(&all, argc - optind, output,
                       threads < MERGE_THREADS ? (int)threads : MERGE_THREADS, keep_going);
}
