/* operations.h - all collective operations, blocking and not, with S as their payload; and
 * the rules of what they do to S.
 */
#ifndef TESTS_MPI_OPERATIONS_H
#define TESTS_MPI_OPERATIONS_H

#include "oracle.h"

/* What each operation does to S. */
enum kind { EVERYBODY, FROM_ROOT, TO_ROOT, UP_TO, BELOW };

static int64_t highest(const int64_t *of, int from, int to)
{
    int64_t m = INT64_MIN;

    for (int r = from; r < to; r++)
        m = larger(m, of[r]);
    return m;
}

/* What an operation of these N ranks brings to rank R. IN: the S that went in. */
static int64_t rule_for(enum kind kind, const int64_t *in, int n, int root, int r)
{
    switch (kind) {
    case EVERYBODY: return highest(in, 0, n);
    case FROM_ROOT: return in[root];
    case TO_ROOT: return r == root ? highest(in, 0, n) : in[r];
    case UP_TO: return highest(in, 0, r + 1);
    case BELOW: return r > 0 ? highest(in, 0, r) : in[r];
    }
    return 0;
}

/* The operations, blocking and not. Each sends S, wherever it sends something. LAPS elements a
 * rank, or 1 + r of rank r for those with a v. */
enum operation {
    BARRIER, ALLREDUCE, ALLREDUCE_IN_PLACE, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW,
    REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, BCAST, SCATTER, SCATTERV, GATHER, GATHERV, REDUCE, SCAN,
    EXSCAN, OPERATIONS
};
static const enum kind kind_of[OPERATIONS] = {
    EVERYBODY, EVERYBODY, EVERYBODY, EVERYBODY, EVERYBODY, EVERYBODY, EVERYBODY, EVERYBODY,
    EVERYBODY, EVERYBODY, FROM_ROOT, FROM_ROOT, FROM_ROOT, TO_ROOT, TO_ROOT, TO_ROOT, UP_TO, BELOW
};

struct flight {             /* one operation: its buffers must live until it completes */
    enum operation operation;
    int root;
    int64_t in[RANKS_MAX];  /* the caller's */
    int64_t *out, *got;
    int counts[RANKS_MAX], places[RANKS_MAX], ones[RANKS_MAX], at[RANKS_MAX], bytes[RANKS_MAX];
    MPI_Datatype types[RANKS_MAX];
    MPI_Request request;
    int carries;            /* how many elements of `got` have an S */
};

static struct flight *start(enum operation operation, int root, int unit, int nonblocking,
                            MPI_Comm comm)
{
    struct flight *f = calloc(1, sizeof *f);
    int total = 0, me, n, room;
    int64_t *in, *out;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    room = unit * n * (n + 1) + 5 * unit + 1;

    f->operation = operation;
    f->root = root;
    f->request = MPI_REQUEST_NULL;
    f->out = out = malloc(sizeof *out * room);
    f->got = in = malloc(sizeof *in * room);
    for (int i = 0; i < room; i++) {
        out[i] = oracle_s;
        in[i] = -1;
    }
    for (int r = 0; r < n; r++) {
        f->counts[r] = unit * (1 + r);
        f->places[r] = total;
        total += unit * (1 + r);
        f->ones[r] = unit;
        f->at[r] = unit * r;
        f->bytes[r] = unit * (int)sizeof(int64_t) * r;
        f->types[r] = S_TYPE;
    }
#define START(name, Name, ...)                                                                     \
    (nonblocking ? MPI_I##name(__VA_ARGS__, comm, &f->request) : MPI_##Name(__VA_ARGS__, comm))
    switch (operation) {
    case BARRIER: {
        in[0] = hidden_maximum(comm);
        f->carries = 1;
        if (nonblocking)
            MPI_Ibarrier(comm, &f->request);
        else
            MPI_Barrier(comm);
        break;
    }
    case ALLREDUCE:
        START(allreduce, Allreduce, out, in, 3 * unit, S_TYPE, MPI_MAX);
        f->carries = 3 * unit;
        break;
    case ALLREDUCE_IN_PLACE:
        memcpy(in, out, unit * sizeof *in);
        START(allreduce, Allreduce, MPI_IN_PLACE, in, unit, S_TYPE, MPI_MAX);
        f->carries = unit;
        break;
    case ALLGATHER:
        START(allgather, Allgather, out, 2 * unit, S_TYPE, in, 2 * unit, S_TYPE);
        f->carries = 2 * unit * n;
        break;
    case ALLGATHERV:
        START(allgatherv, Allgatherv, out, unit * (1 + me), S_TYPE,
              in, f->counts, f->places, S_TYPE);
        f->carries = total;
        break;
    case ALLTOALL:
        START(alltoall, Alltoall, out, unit, S_TYPE, in, unit, S_TYPE);
        f->carries = unit * n;
        break;
    case ALLTOALLV:     /* 1 + r units to rank r; so 1 + me of each come here */
        for (int r = 0; r < n; r++) {
            f->ones[r] = unit * (1 + me);
            f->at[r] = r * unit * (1 + me);
        }
        START(alltoallv, Alltoallv, out, f->counts, f->places, S_TYPE, in, f->ones, f->at, S_TYPE);
        f->carries = n * unit * (1 + me);
        break;
    case ALLTOALLW:
        START(alltoallw, Alltoallw, out, f->ones, f->bytes, f->types,
              in, f->ones, f->bytes, f->types);
        f->carries = unit * n;
        break;
    case REDUCE_SCATTER:
        START(reduce_scatter, Reduce_scatter, out, in, f->counts, S_TYPE, MPI_MAX);
        f->carries = unit * (1 + me);
        break;
    case REDUCE_SCATTER_BLOCK:
        START(reduce_scatter_block, Reduce_scatter_block, out, in, 2 * unit, S_TYPE, MPI_MAX);
        f->carries = 2 * unit;
        break;
    case BCAST:
        if (me == root)
            memcpy(in, out, 5 * unit * sizeof *in);
        START(bcast, Bcast, in, 5 * unit, S_TYPE, root);
        f->carries = 5 * unit;
        break;
    case SCATTER:
        START(scatter, Scatter, out, 2 * unit, S_TYPE, in, 2 * unit, S_TYPE, root);
        f->carries = 2 * unit;
        break;
    case SCATTERV:
        START(scatterv, Scatterv, out, f->counts, f->places, S_TYPE,
              in, unit * (1 + me), S_TYPE, root);
        f->carries = unit * (1 + me);
        break;
    case GATHER:
        START(gather, Gather, out, 2 * unit, S_TYPE, in, 2 * unit, S_TYPE, root);
        f->carries = me == root ? 2 * unit * n : 0;
        break;
    case GATHERV:
        START(gatherv, Gatherv, out, unit * (1 + me), S_TYPE,
              in, f->counts, f->places, S_TYPE, root);
        f->carries = me == root ? total : 0;
        break;
    case REDUCE:
        START(reduce, Reduce, out, in, 4 * unit, S_TYPE, MPI_MAX, root);
        f->carries = me == root ? 4 * unit : 0;
        break;
    case SCAN:
        START(scan, Scan, out, in, 2 * unit, S_TYPE, MPI_MAX);
        f->carries = 2 * unit;
        break;
    case EXSCAN:
        START(exscan, Exscan, out, in, 2 * unit, S_TYPE, MPI_MAX);
        f->carries = me > 0 ? 2 * unit : 0;
        break;
    case OPERATIONS: break;
    }
    return f;
}

/* The operation has completed: take what it brought. */
static void completed(struct flight *f)
{
    for (int i = 0; i < f->carries; i++)
        CHECK(f->got[i] >= base);
    CHECK(f->got[f->carries] == -1 || f->operation == BCAST);
    for (int i = 0; i < f->carries; i++)
        take(f->got[i]);
    free(f->out);
    free(f->got);
}

#endif
