/* job.h - a process that is a rank of a job: of several processes that exchange messages. The
 * agent (agents/mpi) writes it, the writer reads it. */
#ifndef PRELOAD_DAG_JOB_H
#define PRELOAD_DAG_JOB_H

#include <stdbool.h>
#include <stdint.h>

/* What a call of the message library waited for. */
enum job_cause {
    JOB_LATE_SENDER,            /* a receive: the message's sender had not come to its send */
    JOB_COLLECTIVE,             /* others had not come to the collective operation */
    JOB_LATE_RECEIVER,          /* a send: the receiver had not come to its receive */
    JOB_SENT,                   /* a send: a late receiver or the transfer, not told apart (yet) */
    JOB_TRANSFER,               /* none of these: transfers, and the library's own work */
    JOB_CAUSES
};

extern struct job {
    bool joined;                /* its paths and the other ranks' are one dag, until MPI_Finalize */
    bool was_joined;            /* the same, and stays */
    bool finished;              /* the ranks have agreed on the job's critical path */
    uint32_t rank, size;        /* size 0: it is none, or MPI has not been started */
    uint64_t span;              /* of the job, if finished; cost */
    uint64_t calls;             /* of the library */
    /* places at which the job's path goes on in another rank, and tasks are a part of it before:
     * its split there is in proportion */
    uint64_t left_among_tasks;
    uint64_t ticks[JOB_CAUSES]; /* of strands inside calls */
    /* the agent's, or NULL: samples of NODE hit a part, which ended at S, of the strand that begins
     * the process's path. [hook] */
    void (*sampled)(uint64_t S, uint32_t node, uint32_t weight, uint64_t squares);
} job;

/* [writer] Do the other ranks take part in the job's critical path, but have not told how? */
static inline bool job_is_cut(void)
{
    return job.was_joined && !job.finished && job.size > 1;
}

/* [hook] Ticks that strands were in calls so far. */
static inline uint64_t job_in_calls(void)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < JOB_CAUSES; i++)
        all += __atomic_load_n(&job.ticks[i], __ATOMIC_RELAXED);
    return all;
}

#endif
