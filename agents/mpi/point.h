/* point.h - a point of the job's dag, as ranks send it to each other; and the call of MPI that a
 * strand is in. [hook] all functions.
 */
#ifndef AGENTS_MPI_POINT_H
#define AGENTS_MPI_POINT_H

#include <stdbool.h>
#include <stdint.h>
#include "dag/job.h"
#include "unwind/path.h"

struct task;
struct thread;

/* The same bytes in every rank: eight words. Lengths are in units of the clock. */
struct point {
    uint64_t S, L, K, D, T;     /* of the longest path to it (dag/task.h, dag/lengths.h) */
    uint64_t when;              /* ticks */
    uint32_t rank, stretch;     /* where it is: in the job, and in that rank's route (route.h) */
    uint32_t host;              /* ticks of one kernel compare */
    uint32_t hosts : 1;         /* ranks of several hosts took part: their ticks do not compare */
    uint32_t last : 31;         /* the rank that `when` is of; not known if `hosts` */
};
enum { POINT_WORDS = sizeof(struct point) / 8 };

/* The first word of a user-defined reduction: INOUT = max(IN, INOUT), for each length. */
void point_max(const struct point *in, struct point *inout);

enum { CALL_SENT = 8 };

/* One call of MPI, by a strand that is paused in it. */
struct call {
    struct thread *th;          /* NULL: the thread is not recorded */
    struct task *strand;        /* NULL: no strand runs, so there is nothing to measure */
    struct path_point from;
    const char *name;           /* "MPI_Send" */
    uint64_t ready;             /* ticks when what it waits for was there; 0: not known */
    bool ready_known;           /* `ready` can be: only ranks of this host take part */
    uint32_t last;              /* the rank that made it ready, if `ready` is known */
    enum job_cause cause;
    uint64_t announced;         /* when companion_send sent its companion (struct point) */
    /* Messages that it waited for to be taken, by when they were sent (struct point); of more than
     * CALL_SENT only the number. */
    uint32_t sent_count;
    uint64_t sent[CALL_SENT];
};

/* Not inline: some hundred hooks would have a copy each. */
#define CALL_SHARED __attribute__((noinline))

/* False: pass the call through. The thread is in another call already, or the job has not begun. */
bool call_begin(struct call *c, struct path_point from, const char *name, enum job_cause cause)
    CALL_SHARED;
/* The same of MPI_Init: the job has not begun yet. */
bool call_begin_first(struct call *c, struct path_point from, const char *name);
void call_end(struct call *c) CALL_SHARED;
/* The point that the paused strand is at. */
void call_point(const struct call *c, struct point *p);
/* When C began, in ticks. */
uint64_t call_since(const struct call *c);
/* The call waited until the message that was sent at WHEN was taken. */
static inline void call_sent(struct call *c, uint64_t when)
{
    if (c->sent_count < CALL_SENT)
        c->sent[c->sent_count] = when;
    c->sent_count++;
}
/* The strand goes on after P. */
void call_after(struct call *c, const struct point *p) CALL_SHARED;

/* [any] This host's number. Written once, when the job begins. */
extern uint32_t point_host;

#endif
