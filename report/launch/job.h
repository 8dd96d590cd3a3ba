/* job.h - prof run as a rank of a job: mpirun -n 4 prof run -o job.prof -- ./app. Each rank's
 * program leaves a file in the folder job.prof.ranks. The profs make one file of them. */
#ifndef REPORT_LAUNCH_JOB_H
#define REPORT_LAUNCH_JOB_H

#include <stdbool.h>

/* Each prof of a rank that is a multiple of this merges the files of so many ranks. These profs add
 * their sums in pairs, in a tree (merge/tree.h). */
enum { JOB_GROUP = 16 };

struct job {
    int rank, size;
    char *output;               /* the job's file, absolute */
    char *folder;
    char **files;               /* by rank */
    bool *here;                 /* by rank: it has left a file */
    int count;                  /* of those that have */
};

/* Did a launcher start prof as one of several ranks? By its environment: Open MPI and PMIx, Hydra,
 * Slurm. */
bool job_rank(int *rank, int *size);
/* Is PROGRAM a launcher of jobs (mpirun, srun), with or without a suffix such as ".mpich"? */
bool job_is_launcher(const char *program);
/* Sets *J for the program COMMAND. OUTPUT: the job's file, in which %e and %% are as in
 * PROF_OUTPUT; NULL or empty: "%e.job.prof". Makes the folder, and removes this rank's file of an
 * earlier job. False after a line on stderr: there can be no folder. */
bool job_new(struct job *j, int rank, int size, const char *output, const char *command);
/* The pattern of PROF_OUTPUT for this rank's program, with %e and %p: it may be a script that
 * starts the rank, or may start others. The caller frees it. */
char *job_pattern(const struct job *j);
/* The program has ended. Of the profiles of its processes the rank's own becomes R.prof; those
 * without anything in them go, and *OTHERS stay. False: the prof that waits for this rank had given
 * up, so the file will not be merged. R.end decides that: whoever of the two makes it is first. */
bool job_commit(const struct job *j, unsigned *others);
/* Waits until all ranks of this one's group have ended, but for 10 s at most. */
void job_wait(const struct job *j);
/* Has the rank whose R.prof is FILE ended, and left it? If not, it will be late: no prof waits. */
bool job_claim(const char *file);
/* Sets j->here and j->count. */
void job_look(struct job *j);
/* There is no such program. Removes what job_new has made, unless other ranks use it. */
void job_not_started(const struct job *j);
/* Removes the ranks' files, and the folder if it is empty then. */
void job_remove(const struct job *j);
void job_free(struct job *j);

#endif
