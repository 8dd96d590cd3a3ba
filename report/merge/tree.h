/* tree.h - several processes merge together, as a launcher of MPI jobs starts them. Each sums a
 * share of the files. Then they add their sums in pairs, in as many rounds as the number of
 * processes has bits, and process 0 has the whole. They need no MPI: a sum goes through a file
 * beside the output, so the processes may be on several hosts that share that folder. */
#ifndef REPORT_MERGE_TREE_H
#define REPORT_MERGE_TREE_H

#include <stdbool.h>

struct sum;

struct tree {
    int rank, size;             /* this process, and how many there are */
    char *folder;               /* of the sums: OUTPUT.parts */
    int taken, failed;          /* files in this process's sum; files left out */
    char token[64];             /* of this process, and of no earlier one */
    /* s from tree_new on, for processes to begin; 0: as long as for all else */
    int patience;
    long long start;
};

/* Makes the folder. False, after a line on stderr: it cannot be made. */
bool tree_new(struct tree *t, int rank, int size, const char *output);
/* Adds to SUM those of the processes that this one waits for. A process is MISSING that has not
 * begun within t->patience, and has failed if it left no sum. Then this calls MISSING, which may be
 * NULL, for it and those that it waits for: FIRST to END - 1. False, after a line on stderr:
 * MISSING is NULL, or has returned false. */
bool tree_join(struct tree *t, struct sum *sum,
               bool (*missing)(void *context, int first, int end, struct sum *sum), void *context);
/* Leaves SUM for the process that waits for this one, until it is taken. FAILED: there is none, and
 * it must not wait. False, after a line on stderr: it cannot be written. */
bool tree_leave(struct tree *t, struct sum *sum, bool failed);
/* Process 0: removes the folder. */
void tree_free(struct tree *t);

#endif
