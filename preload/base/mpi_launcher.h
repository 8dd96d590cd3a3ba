/* mpi_launcher.h - what the launcher of a job of several processes (mpirun, srun) states of this
 * one. Read once at start-up from the environment: Open MPI and PMIx, MPICH's Hydra, Slurm. */
#ifndef PRELOAD_BASE_MPI_LAUNCHER_H
#define PRELOAD_BASE_MPI_LAUNCHER_H

#include <stdint.h>

extern struct launcher {
    int rank, size;             /* -1, 0: not known */
    int local_size;             /* ranks on this host; 0: not known */
    uint64_t job;               /* the same in all ranks of a job on this host, and in no other job;
                                 * 0: not known */
    uint64_t everywhere;        /* the same on all hosts of the job */
} launcher;

/* [init] */
void launcher_setup(char *const *environment);

#endif
