/* comm.h - communicators, and which rank of the job a member is.
 *
 * Ranks must agree on a communicator's number, because companion messages (companion.h) name it.
 * The member of rank 0 chooses it, and tells the others where the communicator is made. A
 * communicator that was made in another way has none: its messages have no companions.
 */
#ifndef AGENTS_MPI_COMM_H
#define AGENTS_MPI_COMM_H

#include <stdbool.h>
#include <stdint.h>
#include "words.h"

struct comm {
    struct comm *next;
    word handle;                /* 0: the entry is free */
    uint64_t id;
    int size, rank;
    int peers;                  /* of the ranks that messages go to: of the other group, if INTER */
    bool inter;
    int *world;                 /* the job's rank of each peer; NULL: its rank */
    int room;                   /* of `world` */
    uint32_t uses;              /* requests that name the entry: it is not used anew */
};

/* [hook] NULL: not known, so a dependence is not seen, and the span is a lower bound. Lock-free. */
struct comm *comm_of_message(word handle) __attribute__((noinline));
/* [hook] A communicator was made; all its members call this. World: MPI_COMM_WORLD, of id 1. */
void comm_learn(word handle, bool world) __attribute__((noinline));
void comm_forget(word handle);
/* [hook] Is it GOOD for all members of HANDLE? All of them call this. */
bool comm_all(word handle, bool inter, bool good);
/* [hook] The job's rank of peer RANK of C; -1: there is none. */
static inline int comm_peer(const struct comm *c, int rank)
{
    return (unsigned)rank >= (unsigned)c->peers ? -1 : c->world ? c->world[rank] : rank;
}

/* [hook] The type of a struct point, and the reduction point_max. Made when the job begins. */
extern word comm_point_type, comm_point_op;
bool comm_start(void);
void comm_stop(void);

#endif
