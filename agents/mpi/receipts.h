/* receipts.h - late receivers: how long sends waited until the receives of their messages were
 * posted.
 *
 * A sender knows how long its call took, its receiver when it posted the receive. Clocks of one
 * host compare, and the ranks of a host share the file that counts them (start.c). There the
 * receiver leaves a receipt for each message. The sender counts its wait as JOB_SENT first. Once it
 * finds the receipts, it counts as JOB_LATE_RECEIVER what was before the receive, and the rest as
 * JOB_TRANSFER. A send that ended before the receive was posted did not wait for it. What no
 * receipt tells of stays JOB_SENT: messages to other hosts, those that a matched probe took, and
 * receipts that others have overwritten.
 *
 * [hook] all functions. Several threads may call them.
 */
#ifndef AGENTS_MPI_RECEIPTS_H
#define AGENTS_MPI_RECEIPTS_H

#include "point.h"

/* In the file of the host. Several ranks write it at once. */
struct receipt {
    uint64_t key;               /* of the message: its sender and when it was sent */
    uint64_t posted;            /* ticks */
    uint64_t check;             /* of both, for readers that come meanwhile */
    uint64_t reserved;
};
enum { RECEIPTS = 8192 };

struct idle_sum;

/* What was counted as idle: its cost, and where dag/idle.h counts the interval (NULL: nowhere). */
struct sent_idle {
    uint64_t cost;
    struct idle_sum *in;
};

/* TABLE: of RECEIPTS entries; stays mapped. */
void receipts_use(struct receipt *table);
/* This rank has received the message that SENT was sent with, by a receive posted at POSTED. */
void receipts_leave(const struct point *sent, uint64_t posted);

/* C, which ends at END, waited for messages to be received since FROM, and that has been counted as
 * JOB_SENT. Returns where the caller stores what it counts as idle for this, or NULL. */
struct sent_idle *receipts_await(const struct call *c, uint64_t from, uint64_t end);
/* Counts anew what receipts tell of the waits of TH. NOW: ticks. ALL: the job ends. */
void receipts_take(struct thread *th, uint64_t now, bool all);

#endif
