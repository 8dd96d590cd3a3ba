/* idle.h - how long a thread waits at a time between two strands, and for what.
 *
 * Each interval of idle time is counted once, where dag/strand.h and engine/between.h find that the
 * time between two strands was idle. It counts for a context, in a bucket by its length. Records
 * are made when the first interval of a context ends on a thread, and never freed. The thread
 * itself writes them, after it has added the interval to its idle time; the writer reads.
 */
#ifndef PRELOAD_DAG_IDLE_H
#define PRELOAD_DAG_IDLE_H

#include <stdint.h>

struct thread;

/* What ended an interval. By context: */
enum idle_kind {
    IDLE_WORK,      /* a strand of the context began on the thread, or became ready */
    IDLE_WAIT,      /* what a strand had waited for in a join, a barrier or a lock: tasks of the
                     * context; where these are not known, the strand is of the context */
    IDLE_CONTEXTS,
    /* of no context: */
    IDLE_START = IDLE_CONTEXTS, /* the thread's first strand began */
    IDLE_END,       /* the thread ended, or none came until the snapshot */
    IDLE_KINDS
};

/* Bucket 0: below 2^(IDLE_LEAST + 1) ns. Bucket B: from 2^(IDLE_LEAST + B) ns up to twice that. The
 * last one has no end. */
#define IDLE_LEAST 6
#define IDLE_BUCKETS 24

struct idle_sum {
    uint64_t count, ticks;
};

struct idle {
    struct idle_sum interval[IDLE_BUCKETS];
    /* IDLE_WORK: from when there was work and the thread was idle until the strand began.
     * IDLE_WAIT: from the end of the last task until the join returned. Both are the runtime's. */
    struct idle_sum latency;
};

/* [any] The bucket of an interval of TICKS. */
unsigned idle_bucket(uint64_t ticks);
/* [any] TH's record of context ID, or of none (IDLE_START, IDLE_END). NULL: there is none. */
struct idle *idle_of(const struct thread *th, uint32_t id, enum idle_kind kind);
/* [hook] An interval of TICKS, now part of TH's idle time, has ended. Without memory, the interval
 * is in no record. */
void idle_add(struct thread *th, uint32_t id, enum idle_kind kind, uint64_t ticks);
/* [hook] The runtime took TICKS of TH's time to start what has begun, or to return. */
void idle_latency(struct thread *th, uint32_t id, enum idle_kind kind, uint64_t ticks);

#endif
