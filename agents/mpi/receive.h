/* receive.h - receives that have completed. [hook] all functions. */
#ifndef AGENTS_MPI_RECEIVE_H
#define AGENTS_MPI_RECEIVE_H

#include "companion.h"

/* P has completed with STATUS: the call's strand goes on after the message's sender. */
void receive_done(struct call *call, struct posted *p, const void *status);

#endif
