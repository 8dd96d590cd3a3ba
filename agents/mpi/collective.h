/* collective.h - collective operations: libprof's own, beside the program's, finds the longest path
 * of those that the program's waits for. It is made on the program's communicator, right before the
 * program's: so all members make both in the same order. [hook] all functions. */
#ifndef AGENTS_MPI_COLLECTIVE_H
#define AGENTS_MPI_COLLECTIVE_H

#include "requests.h"

/* The members of COMM meet. ROOT: as the program gave it. */
void collective_meet(struct call *call, enum collective kind, int root, word comm) CALL_SHARED;
/* R, which the program has started before, has completed. */
void collective_done(struct call *call, struct request *r);

#endif
