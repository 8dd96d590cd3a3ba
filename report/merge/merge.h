/* merge.h - many profiles into one, in parallel.
 *
 * Each thread adds a share of the files one after the other, so it holds one sum and one file at a
 * time. Then neighbouring sums are joined. Memory grows with the number of threads and the size of
 * the result, not with the number of files. By merge/sum.h the result does not depend on the
 * number of threads.
 */
#ifndef REPORT_MERGE_MERGE_H
#define REPORT_MERGE_MERGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MERGE_THREADS = 16,         /* at most */
    MERGE_PATIENCE = 20
};

struct merge {
    char **files;
    uint32_t mode;              /* LPF_MERGE_...; 0: chosen by the first file */
    bool quiet;                 /* no line about the output */
    int rank, size;             /* of the processes that merge together (tree.h); 0, 0: it is one */
    /* Of these processes, 0: each takes an equal part of the files, all of which are there. Else
     * each takes so many, and those of a process that has not begun within MERGE_PATIENCE s are
     * taken by the one that waits for it. A file is left out without a line if THERE returns false,
     * which is called right before the file is summed. */
    int group;
    bool (*there)(const char *file);
    /* private: what the first file has, and all files must have */
    char *clock;
    bool time;
};

/* Writes the sum of COUNT files to OUTPUT, and prints that. KEEP_GOING: leaves out files that
 * cannot be read. Returns prof's exit status. */
int merge_files(struct merge *all, int count, const char *output, int threads, bool keep_going);

#endif
