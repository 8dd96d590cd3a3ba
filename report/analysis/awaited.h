/* awaited.h - which ranks of a job others waited for in MPI: late senders, and those that came last
 * to a collective operation. */
#ifndef REPORT_ANALYSIS_AWAITED_H
#define REPORT_ANALYSIS_AWAITED_H

#include <stddef.h>
#include <stdint.h>
#include "analysis/causes.h"
#include "analysis/summary.h"

struct awaited_rank {
    uint32_t rank;              /* in MPI_COMM_WORLD */
    uint64_t count, cost;       /* waits for it; their time */
};

struct awaited {
    struct awaited_rank *ranks; /* the longest waits first */
    size_t count;
    size_t *by_rank;            /* the same, as indexes of `ranks`, ascending by rank */
    uint64_t waits;             /* all waits for other ranks; some may be for ranks not known */
};

/* Those of R, a row of M->calls; NULL: of all of them. */
void awaited_of(struct awaited *a, const struct summary *m, const struct row *r);
/* Those of all calls at PLACE but MPI_Init and MPI_Finalize. */
void awaited_at(struct awaited *a, const struct summary *m, const struct place *place);
/* The index of RANK, which A has. */
size_t awaited_index(const struct awaited *a, uint32_t rank);
void awaited_free(struct awaited *a);

#endif
