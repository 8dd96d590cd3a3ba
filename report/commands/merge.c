/* merge.c - `prof merge`: many profiles into one (merge/merge.h). */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands/arguments.h"
#include "commands/commands.h"
#include "launch/job.h"
#include "layout/options.h"
#include "merge/folder.h"
#include "merge/merge.h"
#include "profile/profile.h"

static const char usage[] =
    "usage: prof merge [options] -o OUT FILE...\n"
    "Adds profiles into one that every command of prof reads. A folder stands for\n"
    "its files *.prof.\n"
    "  -o, --output OUT    the file\n"
    "      --as KIND       job: ranks of an MPI job, which has one critical path\n"
    "                      (default, if the first file is a rank of a whole job)\n"
    "                      processes (else the default): a process tree. Work is\n"
    "                      summed; the span is the longest process's\n"
    "                      runs: of one program, one after the other. Everything is\n"
    "                      summed, so shares are of an average run\n"
    "  -k, --keep-going    leave out files that cannot be read, and do not fail\n"
    "  -j, --jobs N        threads, 16 at most (default: one for each processor)\n"
    "      --mpi           merge together with the other processes of this job:\n"
    "                      mpirun -n 8 prof merge --mpi -o OUT FOLDER\n"
    "  -h, --help          this\n";

/* The processes of this job, which a launcher has started. */
static bool together(struct merge *all)
{
    if (job_rank(&all->rank, &all->size))
        return true;
    fputs("prof: --mpi: no launcher has started this as one of several processes (mpirun -n 8 prof "
          "merge --mpi ...)\n",
          stderr);
    return false;
}

int merge_main(int argc, char **argv)
{
    enum { OPT_AS = 256, OPT_MPI };
    static const struct option longs[] = {
        { "output", required_argument, 0, 'o' }, { "as", required_argument, 0, OPT_AS },
        { "keep-going", no_argument, 0, 'k' },   { "jobs", required_argument, 0, 'j' },
        { "mpi", no_argument, 0, OPT_MPI },      { "help", no_argument, 0, 'h' },
        { 0 },
    };
    struct merge all = { 0 };
    const char *output = 0;
    size_t threads = 0;
    bool keep_going = false;
    int c;
    while ((c = arguments_next(argc, argv, "o:kj:h", longs)) != -1) {
        switch (c) {
        case 'o': output = optarg; break;
        case OPT_AS:
            if (strcmp(optarg, "processes") && strcmp(optarg, "runs") && strcmp(optarg, "job")) {
                fprintf(stderr, "prof: --as %s: the kinds are job, processes, runs\n", optarg);
                return 2;
            }
            all.mode = *optarg == 'r'   ? LPF_MERGE_RUNS
                       : *optarg == 'j' ? LPF_MERGE_JOB
                                        : LPF_MERGE_PROCESSES;
            break;
        case 'k': keep_going = true; break;
        case 'j':
            if (!options_number(optarg, &threads) || !threads) {
                fprintf(stderr, "prof: --jobs %s: not a number of threads\n", optarg);
                return 2;
            }
            break;
        case OPT_MPI:
            if (!together(&all))
                return 2;
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    if (!output || optind == argc) {
        fprintf(stderr, "prof: merge needs %s\n", output ? "a FILE" : "--output OUT");
        return 2;
    }
    if (!threads)               /* of several processes, each has a processor of its own */
        threads = all.size > 1 || sysconf(_SC_NPROCESSORS_ONLN) < 1
                      ? 1
                      : sysconf(_SC_NPROCESSORS_ONLN);
    int count, status = 2;
    char **files = all.files = folder_files(argv + optind, argc - optind, &count);
    if (files)
        status = merge_files(&all, count, output,
                             threads < MERGE_THREADS ? (int)threads : MERGE_THREADS, keep_going);
    for (int i = 0; files && i < count; i++)
        free(files[i]);
    free(files);
    return status;
}
