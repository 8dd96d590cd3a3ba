/* collective.c - collective operations. oracle.h states how the cases are watched.
 *   collective [--list | CASE...]
 * All orders are fixed. So each rank computes the S of all ranks by the rules alone (s[]), and
 * asserts that the S that the operations carried are the same.
 */
#include "by_rules.h"
#include "operations.h"

static void rule(enum kind kind, const int64_t *in, int root)
{
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], rule_for(kind, in, ranks, root, r));
}

static struct flight *start_all(enum operation operation, int root, int nonblocking)
{
    struct flight *f = start(operation, root, 1, nonblocking, WORLD);

    memcpy(f->in, s, sizeof f->in);
    return f;
}

/* The same as `completed` by the rules, for all ranks; F is no longer needed. */
static void by_rule(struct flight *f)
{
    rule(kind_of[f->operation], f->in, f->root);
    free(f);
}

static void blocking(enum operation operation)
{
    none_yet();
    for (int root = 0; root < ranks; root += ranks > 4 ? 3 : 1) {
        struct flight *f;

        all_step(root);
        f = start_all(operation, root, 0);
        completed(f);
        by_rule(f);
        AS_COMPUTED();
    }
}

/* What costs between the start and the wait is beside the operation. */
static void beside(enum operation operation)
{
    none_yet();
    for (int root = 0; root < ranks; root += ranks > 4 ? 3 : 1) {
        struct flight *f;

        all_step(2 * root);
        f = start_all(operation, root, 1);
        all_step(2 * root + 1);
        AS_COMPUTED();
        MPI_Wait(&f->request, MPI_STATUS_IGNORE);
        completed(f);
        by_rule(f);
        AS_COMPUTED();
    }
}

#define OPERATION(name, operation)                                                                 \
    static void name(void)                                                                         \
    {                                                                                              \
        blocking(operation);                                                                       \
    }                                                                                              \
    static void i##name(void)                                                                      \
    {                                                                                              \
        beside(operation);                                                                         \
    }
OPERATION(barriers, BARRIER)
OPERATION(allreduce, ALLREDUCE)
OPERATION(allreduce_in_place, ALLREDUCE_IN_PLACE)
OPERATION(allgather, ALLGATHER)
OPERATION(allgatherv, ALLGATHERV)
OPERATION(alltoall, ALLTOALL)
OPERATION(alltoallv, ALLTOALLV)
OPERATION(alltoallw, ALLTOALLW)
OPERATION(reduce_scatter, REDUCE_SCATTER)
OPERATION(reduce_scatter_block, REDUCE_SCATTER_BLOCK)
OPERATION(bcast, BCAST)
OPERATION(scatter, SCATTER)
OPERATION(scatterv, SCATTERV)
OPERATION(gather, GATHER)
OPERATION(gatherv, GATHERV)
OPERATION(reduce, REDUCE)
OPERATION(scan, SCAN)
OPERATION(exscan, EXSCAN)

/* Several operations in flight, completed in another order, with messages among them. */
static void in_flight(void)
{
    enum { FLIGHTS = 6 };

    none_yet();
    for (int round = 0; round < 4; round++) {
        struct flight *f[FLIGHTS];
        MPI_Request requests[FLIGHTS + 2];
        int64_t in = -1, out, sent[RANKS_MAX];
        int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;

        for (int k = 0; k < FLIGHTS; k++) {
            all_step(20 * round + k);
            f[k] = start_all((enum operation)((5 * round + 3 * k + 1) % OPERATIONS), k % ranks, 1);
            requests[k] = f[k]->request;
            if (k == 2) {
                all_step(20 * round + 10);
                memcpy(sent, s, sizeof sent);
                out = oracle_s;
                MPI_Irecv(&in, 1, S_TYPE, previous, 3, WORLD, &requests[FLIGHTS]);
                MPI_Isend(&out, 1, S_TYPE, next, 3, WORLD, &requests[FLIGHTS + 1]);
            }
        }
        all_step(20 * round + 11);
        if (round % 2) {                /* the last one first */
            for (int k = FLIGHTS - 1; k >= 0; k--) {
                int flag = 0;

                if (k % 2)
                    MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
                else
                    while (!flag)
                        MPI_Test(&requests[k], &flag, MPI_STATUS_IGNORE);
                completed(f[k]);
                by_rule(f[k]);
                AS_COMPUTED();
                all_step(20 * round + 12 + k);
            }
            MPI_Waitall(2, &requests[FLIGHTS], MPI_STATUSES_IGNORE);
            take(in);
        } else {
            MPI_Waitall(FLIGHTS + 2, requests, MPI_STATUSES_IGNORE);
            take(in);
            for (int k = 0; k < FLIGHTS; k++) {
                completed(f[k]);
                by_rule(f[k]);
            }
        }
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[(r + ranks - 1) % ranks]);
        AS_COMPUTED();
    }
}

/* Collective requests and messages, completed by Waitany and by Testsome, as executed: between two
 * completions something costs. */
static void in_any_order(void)
{
    enum { FLIGHTS = 5 };

    for (int round = 0; round < 3; round++) {
        struct flight *f[FLIGHTS];
        MPI_Request requests[FLIGHTS + 2];
        int64_t in = -1, out;
        int left = FLIGHTS + 2, next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;

        for (int k = 0; k < FLIGHTS; k++) {
            step(20 * round + k);
            f[k] = start_all((enum operation)((7 * round + 4 * k) % OPERATIONS), k % ranks, 1);
            requests[k] = f[k]->request;
        }
        out = oracle_s;
        MPI_Irecv(&in, 1, S_TYPE, previous, 3, WORLD, &requests[FLIGHTS]);
        MPI_Isend(&out, 1, S_TYPE, next, 3, WORLD, &requests[FLIGHTS + 1]);
        while (left > 0) {
            int which[FLIGHTS + 2], count = 1;

            if (round == 1)
                MPI_Testsome(FLIGHTS + 2, requests, &count, which, MPI_STATUSES_IGNORE);
            else
                MPI_Waitany(FLIGHTS + 2, requests, which, MPI_STATUS_IGNORE);
            for (int i = 0; i < count; i++) {
                if (which[i] < FLIGHTS) {
                    completed(f[which[i]]);
                    free(f[which[i]]);
                } else if (which[i] == FLIGHTS)
                    take(in);
            }
            for (int i = 0; i < count; i++)
                cost(10 + which[i]);
            left -= count;
        }
    }
}

/* Large vectors: other algorithms than for small ones. */
static void large(void)
{
    enum { COUNT = 40000 };
    int64_t *out = malloc(sizeof *out * COUNT * 2), *in = malloc(sizeof *in * COUNT * 2);
    int64_t before[RANKS_MAX];

    none_yet();
    all_step(0);
    memcpy(before, s, sizeof before);
    for (int i = 0; i < COUNT; i++)
        out[i] = oracle_s + i;
    MPI_Allreduce(out, in, COUNT, S_TYPE, MPI_MAX, WORLD);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(in[i], in[0] + i);
    take(in[0]);
    rule(EVERYBODY, before, 0);
    AS_COMPUTED();

    all_step(1);
    memcpy(before, s, sizeof before);
    for (int i = 0; i < COUNT; i++)
        in[i] = rank == ranks - 1 ? oracle_s + i : -1;
    MPI_Bcast(in, COUNT, S_TYPE, ranks - 1, WORLD);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(in[i], in[0] + i);
    take(in[0]);
    rule(FROM_ROOT, before, ranks - 1);
    AS_COMPUTED();

    all_step(2);
    memcpy(before, s, sizeof before);
    for (int i = 0; i < COUNT; i++)
        out[i] = oracle_s;
    MPI_Alltoall(out, COUNT / ranks, S_TYPE, in, COUNT / ranks, S_TYPE, WORLD);
    for (int r = 0; r < ranks; r++) {
        CHECK_EQUAL(in[r * (COUNT / ranks)], base + before[r]);
        take(in[r * (COUNT / ranks)]);
    }
    rule(EVERYBODY, before, 0);
    AS_COMPUTED();
    free(out);
    free(in);
}

static void maximum(void *in, void *out, int *n, MPI_Datatype *type)
{
    const int64_t *from = in;
    int64_t *to = out;

    (void)type;
    for (int i = 0; i < *n; i++)
        to[i] = larger(from[i], to[i]);
}

/* An operation of the program's. What it costs inside MPI is the strand's, too, but how often it
 * runs is MPI's affair. So it costs nothing here. */
static void own_operation(void)
{
    MPI_Op op;

    none_yet();
    MPI_Op_create(maximum, 1, &op);
    for (int i = 0; i < 3; i++) {
        int64_t m, before[RANKS_MAX];

        all_step(i);
        memcpy(before, s, sizeof before);
        if (i == 0)
            MPI_Allreduce(&oracle_s, &m, 1, S_TYPE, op, WORLD);
        else if (i == 1)
            MPI_Scan(&oracle_s, &m, 1, S_TYPE, op, WORLD);
        else
            MPI_Reduce(&oracle_s, &m, 1, S_TYPE, op, 0, WORLD);
        if (i < 2 || rank == 0)
            take(m);
        rule(i == 0 ? EVERYBODY : i == 1 ? UP_TO : TO_ROOT, before, 0);
        AS_COMPUTED();
    }
    MPI_Op_free(&op);
}

/* The same on one rank alone: nothing changes S. */
static void alone(void)
{
    int64_t m = -1, before;

    step(0);
    before = oracle_s;
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Allreduce(&before, &m, 1, S_TYPE, MPI_MAX, MPI_COMM_SELF);
    CHECK_EQUAL(m, before);
    MPI_Bcast(&m, 1, S_TYPE, 0, MPI_COMM_SELF);
    MPI_Gather(MPI_IN_PLACE, 1, S_TYPE, &m, 1, S_TYPE, 0, MPI_COMM_SELF);
    MPI_Exscan(&before, &m, 1, S_TYPE, MPI_MAX, MPI_COMM_SELF);
    CHECK_EQUAL(oracle_s, before);
}

/* MPI_IN_PLACE, where the operations have it. */
static void in_place(void)
{
    int64_t v[2 * RANKS_MAX], before[RANKS_MAX];
    int root = ranks - 1;

    none_yet();
    for (int i = 0; i < 7; i++) {
        enum kind kind = EVERYBODY;
        int carries = ranks;

        all_step(i);
        memcpy(before, s, sizeof before);
        for (int r = 0; r < 2 * ranks; r++)
            v[r] = i == 0 && r != rank ? -1 : oracle_s;
        switch (i) {
        case 0:
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, S_TYPE, WORLD);
            break;
        case 1:
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, S_TYPE, WORLD);
            break;
        case 2:
            MPI_Gather(rank == root ? MPI_IN_PLACE : v, 1, S_TYPE, v, 1, S_TYPE, root, WORLD);
            kind = TO_ROOT;
            break;
        case 3:
            MPI_Scatter(v, 1, S_TYPE, rank == root ? MPI_IN_PLACE : v, 1, S_TYPE, root, WORLD);
            kind = FROM_ROOT;
            carries = 1;
            break;
        case 4:
            MPI_Reduce(rank == root ? MPI_IN_PLACE : v, v, 1, S_TYPE, MPI_MAX, root, WORLD);
            kind = TO_ROOT;
            carries = 1;
            break;
        case 5:
            MPI_Scan(MPI_IN_PLACE, v, 1, S_TYPE, MPI_MAX, WORLD);
            kind = UP_TO;
            carries = 1;
            break;
        case 6:
            MPI_Reduce_scatter_block(MPI_IN_PLACE, v, 1, S_TYPE, MPI_MAX, WORLD);
            carries = 1;
            break;
        }
        for (int k = 0; k < carries; k++)
            take(v[k]);
        rule(kind, before, root);
        AS_COMPUTED();
    }
}

/* A closed formula: the costs fall with the rank, and each operation lets through what it must. */
static void formulas(void)
{
    int64_t own = 100 * (ranks - rank), m = -1, first = 100 * ranks;

    cost(own);
    m = oracle_s;
    MPI_Reduce(rank == ranks - 1 ? MPI_IN_PLACE : &m, &m, 1, S_TYPE, MPI_MAX, ranks - 1, WORLD);
    if (rank == ranks - 1)
        take(m);
    CHECK_EQUAL(now(), rank == ranks - 1 ? first : own);
    MPI_Scan(&oracle_s, &m, 1, S_TYPE, MPI_MAX, WORLD);
    take(m);
    CHECK_EQUAL(now(), first);
    cost(rank);
    MPI_Exscan(&oracle_s, &m, 1, S_TYPE, MPI_MAX, WORLD);
    if (rank > 0)
        take(m);
    CHECK_EQUAL(now(), first + rank);
    m = oracle_s;
    MPI_Bcast(&m, 1, S_TYPE, ranks / 2, WORLD);
    take(m);
    CHECK_EQUAL(now(), first + larger(rank, ranks / 2));
    barrier(WORLD);
    CHECK_EQUAL(now(), first + ranks - 1);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
#define BOTH(name) TEST(name), TEST(i##name)
        BOTH(barriers), BOTH(allreduce), BOTH(allreduce_in_place), BOTH(allgather),
        BOTH(allgatherv), BOTH(alltoall), BOTH(alltoallv), BOTH(alltoallw), BOTH(reduce_scatter),
        BOTH(reduce_scatter_block), BOTH(bcast), BOTH(scatter), BOTH(scatterv), BOTH(gather),
        BOTH(gatherv), BOTH(reduce), BOTH(scan), BOTH(exscan), TEST(in_flight),
        TEST(in_any_order), TEST(large), TEST(own_operation), TEST(alone), TEST(in_place),
        TEST(formulas), { NULL, NULL }
    };

    return run_tests(argc, argv, tests);
}
