/* companion.h - companion messages: each message of the program has one of libprof's, which
 * carries the point that its sender was at.
 *
 * A companion goes out before its message, on a communicator of libprof's own, so no receive of the
 * program can match it. All companions from one rank to another form one stream, in the order of
 * the sends. A receive of the program that has completed knows its message's sender, tag and
 * communicator. Messages of one sender, tag and communicator do not overtake each other (MPI 4.0,
 * 3.5). So the receive that was posted first gets the first such companion. A receive that
 * completes while an earlier one of the same kind is open leaves the first companion to that one.
 *
 * Wildcards: an open receive of any sender or tag may have been posted before the one that
 * completes. If it could take that message, MPI has already given it an earlier one. The agent asks
 * MPI which. If MPI does not know yet, the companions may be exchanged: the profile's note "MPI
 * wildcard receives" counts these.
 *
 * The alternative is to send the point within the message, by a derived datatype. That takes a
 * type for each message, and it changes what MPI_Get_count and a probe report.
 *
 * [hook] all functions. Several threads may call them; those that send messages of one tag and
 * communicator to one rank at the same time have no order that MPI knows, and the companions'
 * order may be the other one.
 */
#ifndef AGENTS_MPI_COMPANION_H
#define AGENTS_MPI_COMPANION_H

#include <stdbool.h>
#include <stdint.h>
#include "comm.h"
#include "point.h"

/* Tags on libprof's communicator. */
enum { COMPANION_POINT = 1, COMPANION_STEP };

/* A receive that the program has posted. */
struct posted {
    struct posted *older, *newer;       /* in its list, in the order of posting */
    uint64_t order;             /* of posting */
    uint64_t when;              /* the same, in ticks: when the call began */
    struct comm *comm;
    int source, tag;            /* the job's rank; -1: any. mpi.any_tag: any */
    word request;               /* 0: none, a receive that blocks */
    bool abandoned;             /* MPI_Request_free: nobody will learn that it completed */
};

bool companion_start(void);
/* Before the job ends: no companion is on its way any more. */
void companion_stop(void);
/* The call sends a message to peer DEST of C, and call->announced becomes when. False: there is no
 * companion. */
bool companion_send(struct call *call, const struct comm *c, int dest, int tag) CALL_SHARED;
/* The send failed. */
void companion_retract(struct call *call, const struct comm *c, int dest, int tag);
/* P, a receive from peer SOURCE of C, is posted by CALL. False: it has no companion
 * (MPI_PROC_NULL). */
bool companion_post(const struct call *call, struct posted *p, struct comm *c, int source, int tag)
    CALL_SHARED;
/* P is not posted any more. */
void companion_withdraw(struct posted *p);
/* P has completed with a message of rank SOURCE (of the job) and TAG. *POINT becomes its
 * companion's, and P is withdrawn. False: there is none. */
bool companion_take(struct posted *p, int source, int tag, struct point *point);
/* A probe found such a message, which a receive that is posted now would get. */
bool companion_peek(struct comm *c, int source, int tag, struct point *point);
/* P was abandoned, and its companion has come: P may be freed. requests.c has it. */
void companion_abandoned(struct posted *p);
/* libprof's communicator. */
word companion_comm(void);

/* receive.c: P has completed with STATUS: the call's strand goes on after the message's sender. */
void receive_done(struct call *call, struct posted *p, const void *status);

#endif
