/* ranks.h - the ranks of a job, compared: which behave alike, and in which functions each was. */
#ifndef REPORT_ANALYSIS_RANKS_H
#define REPORT_ANALYSIS_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include "analysis/paths.h"

/* Two ranks are alike if their work, and their time in MPI for each of the causes, differ by at
 * most this share of the time of the rank whose threads lived longest. */
#define RANKS_ALIKE 0.05
/* And their work by at most this share of the work of the rank that has most: a run may be long
 * because its ranks wait. */
#define RANKS_ALIKE_WORK 0.1

struct rank_group {
    uint32_t like;              /* index of its first rank: all others are like that */
    uint32_t count;             /* ranks */
    double work, mpi, threads;  /* ns, sums: work; time in MPI; lifetimes of threads */
    uint64_t calls;
};

struct rank_groups {
    struct rank_group *groups;  /* the largest first; of equal ones, that of the lower index */
    size_t count;
    uint32_t *of;               /* by index of a rank: its group */
};

void ranks_group(struct rank_groups *g, const struct profile *p);
void ranks_free(struct rank_groups *g);
/* The ranks of group I, "0-3, 7", in a new string: the numbers in MPI_COMM_WORLD. MOST: bytes;
 * "..." stands for what is left. 0: all. */
char *ranks_in_words(const struct rank_groups *g, const struct profile *p, size_t i, size_t most);

/* Samples of a rank in a function. */
struct rank_part {
    uint32_t rank;              /* index in the profile's ranks */
    uint32_t function;          /* index in T's functions */
    uint64_t samples;           /* their weight */
};
/* Those that T's profile lists, *COUNT of them, in a new array, ascending by rank, then by
 * function. libprof's are left out. What of a rank's samples is in none hit functions that are not
 * known. */
struct rank_part *ranks_functions(const struct paths *t, size_t *count);

/* What group I does otherwise than group 0, the largest: the function whose share of its samples is
 * larger for sure (95 %, and whatever functions the samples hit that are not known). */
struct rank_difference {
    uint32_t function;          /* index in T's functions */
    double least;               /* its share of the group's samples, at least */
    double most;                /* of those of group 0, at most */
};
/* False: no function is known to differ by 0.05 or more. */
bool ranks_differ(const struct rank_groups *g, const struct paths *t, const struct rank_part *parts,
                  size_t count, size_t i, struct rank_difference *d);

#endif
