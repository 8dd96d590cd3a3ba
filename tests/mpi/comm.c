/* comm.c - communicators. oracle.h states how the cases are watched.
 *   comm [--list | CASE...]
 * libprof's rules say nothing of MPI_Intercomm_create, MPI_Intercomm_merge, MPI_Cart_create,
 * MPI_Comm_create_group and MPI_Comm_free. So all S are equal where these are called (but for
 * MPI_Comm_free, which lets nothing through), and the collective operations of
 * inter-communicators are called with equal S, too.
 */
#include "by_rules.h"

/* By the rules: an operation of everybody, among the ranks of WORLD with this color. */
static void among(int (*color)(int))
{
    int64_t most[RANKS_MAX];

    for (int r = 0; r < ranks; r++) {
        most[r] = 0;
        for (int q = 0; q < ranks; q++)
            if (color(q) == color(r))
                most[r] = larger(most[r], s[q]);
    }
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], most[r]);
}

static int all(int r)
{
    (void)r;
    return 0;
}

static int odd(int r)
{
    return r % 2;
}

static int quarter(int r)
{
    return r % 2 + 2 * (r / 2 % 2);
}

/* The new communicator of SPLIT, with the maximum over COMM, as the rules have it. */
static MPI_Comm split(MPI_Comm comm, int color, int key)
{
    MPI_Comm made;

    take_maximum(comm);
    MPI_Comm_split(comm, color, key, &made);
    return made;
}

static void sum_up(MPI_Comm comm)
{
    int64_t m = -1;

    MPI_Allreduce(&oracle_s, &m, 1, S_TYPE, MPI_MAX, comm);
    take(m);
}

/* A split of a split: each takes the maximum over its parent, and operations stay inside. */
static void nested(void)
{
    MPI_Comm half, part;
    int n;

    none_yet();
    all_step(0);
    half = split(WORLD, odd(rank), -rank);      /* the ranks in reverse */
    among(all);
    AS_COMPUTED();
    all_step(1);
    sum_up(half);
    among(odd);
    AS_COMPUTED();
    all_step(2);
    part = split(half, rank / 2 % 2, rank);
    among(odd);
    AS_COMPUTED();
    all_step(3);
    barrier(part);
    among(quarter);
    AS_COMPUTED();

    /* one tag on three communicators: the messages do not mix */
    MPI_Comm_size(part, &n);
    {
        MPI_Comm comms[3] = { part, half, WORLD };
        MPI_Request requests[6];
        int64_t in[3], out[3], before[3][RANKS_MAX];

        for (int k = 0; k < 3; k++) {
            int me;

            MPI_Comm_rank(comms[k], &me);
            MPI_Comm_size(comms[k], &n);
            all_step(4 + k);
            memcpy(before[k], s, sizeof before[k]);
            out[k] = oracle_s;
            MPI_Isend(&out[k], 1, S_TYPE, (me + 1) % n, 1, comms[k], &requests[k]);
        }
        for (int k = 2; k >= 0; k--) {
            int me;

            MPI_Comm_rank(comms[k], &me);
            MPI_Comm_size(comms[k], &n);
            MPI_Irecv(&in[k], 1, S_TYPE, k == 1 ? MPI_ANY_SOURCE : (me + n - 1) % n,
                      k == 2 ? MPI_ANY_TAG : 1, comms[k], &requests[3 + k]);
        }
        all_step(7);
        MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < 3; k++)
            take(in[k]);
        CHECK_EQUAL(in[2] - base, before[2][(rank + ranks - 1) % ranks]);
    }
    MPI_Comm_free(&part);
    MPI_Comm_free(&half);
}

/* Ranks with MPI_UNDEFINED get no communicator, but they take part. */
static void undefined(void)
{
    MPI_Comm some;

    none_yet();
    all_step(0);
    some = split(WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0);
    among(all);
    AS_COMPUTED();
    all_step(1);
    CHECK((some == MPI_COMM_NULL) == (rank == 0));
    if (rank > 0)
        barrier(some);
    for (int r = 2; r < ranks; r++)
        s[1] = larger(s[1], s[r]);
    for (int r = 2; r < ranks; r++)
        s[r] = s[1];
    AS_COMPUTED();
    if (rank > 0)
        MPI_Comm_free(&some);
}

static void duplicate(void)
{
    MPI_Comm copy, again;
    int64_t in[2] = { -1, -1 }, out[2], before[2][RANKS_MAX];
    int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Request request;

    none_yet();
    all_step(0);
    take_maximum(WORLD);
    MPI_Comm_dup(WORLD, &copy);
    among(all);
    AS_COMPUTED();
    all_step(1);
    take_maximum(copy);
    MPI_Comm_dup(copy, &again);
    among(all);
    AS_COMPUTED();
    all_step(2);

    /* the first message is on the copy, the first receive is on the original */
    memcpy(before[0], s, sizeof s);
    out[0] = oracle_s;
    MPI_Isend(&out[0], 1, S_TYPE, next, 0, again, &request);
    all_step(3);
    memcpy(before[1], s, sizeof s);
    send_s(next, 0, WORLD);
    MPI_Recv(&in[1], 1, S_TYPE, previous, 0, WORLD, MPI_STATUS_IGNORE);
    take(in[1]);
    CHECK_EQUAL(in[1] - base, before[1][previous]);
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], before[1][(r + ranks - 1) % ranks]);
    AS_COMPUTED();
    MPI_Recv(&in[0], 1, S_TYPE, MPI_ANY_SOURCE, MPI_ANY_TAG, again, MPI_STATUS_IGNORE);
    CHECK_EQUAL(in[0] - base, before[0][previous]);
    take(in[0]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    AS_COMPUTED();
    all_step(4);
    MPI_Comm_free(&copy);       /* nothing passes here */
    AS_COMPUTED();
    sum_up(again);
    among(all);
    AS_COMPUTED();
    MPI_Comm_free(&again);
}

/* MPI_Comm_create is an operation of the whole parent. */
static void create(void)
{
    MPI_Group group, evens;
    MPI_Comm comm;
    int members[RANKS_MAX], n = 0;

    for (int r = 0; r < ranks; r += 2)
        members[n++] = r;
    none_yet();
    all_step(0);
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, n, members, &evens);
    take_maximum(WORLD);
    MPI_Comm_create(WORLD, evens, &comm);
    among(all);
    AS_COMPUTED();
    all_step(1);
    if (rank % 2 == 0) {
        barrier(comm);
        MPI_Comm_free(&comm);
        for (int r = 0; r < ranks; r += 2)
            s[rank] = larger(s[rank], s[r]);
    } else
        CHECK(comm == MPI_COMM_NULL);
    AS_COMPUTED();
    MPI_Group_free(&evens);
    MPI_Group_free(&group);
}

/* MPI_Comm_create_group is an operation of its members; all S are equal. */
static void create_group(void)
{
    MPI_Group group, evens;
    MPI_Comm comm;
    int range[1][3] = { { 0, ranks - 1, 2 } };

    MPI_Comm_group(WORLD, &group);
    MPI_Group_range_incl(group, 1, range, &evens);
    if (rank % 2 == 0) {
        MPI_Comm_create_group(WORLD, evens, 9, &comm);
        step(0);
        sum_up(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&evens);
    MPI_Group_free(&group);
}

/* Communicators come and go; MPI gives their handles again. The messages of the last one do not
 * count for the next one. */
static void again_and_again(void)
{
    int64_t held = -1;
    MPI_Request request;

    none_yet();
    MPI_Irecv(&held, 1, S_TYPE, (rank + ranks - 1) % ranks, 2, WORLD, &request);
    for (int i = 0; i < 12; i++) {
        MPI_Comm comm = split(WORLD, i % 3 == 0 ? 0 : odd(rank), i % 2 ? rank : -rank);
        int me, n;

        among(all);
        all_step(i);
        MPI_Comm_rank(comm, &me);
        MPI_Comm_size(comm, &n);
        if (i % 2) {
            if (me > 0)
                recv_s(me - 1, 2, comm);
            cost(5);
            if (me < n - 1)
                send_s(me + 1, 2, comm);
        } else
            sum_up(comm);
        MPI_Comm_free(&comm);
        barrier(WORLD);
        for (int r = 0; r < ranks; r++)
            s[r] = now();
    }
    all_step(20);
    send_s((rank + 1) % ranks, 2, WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    take(held);
    {
        int64_t before[RANKS_MAX];

        memcpy(before, s, sizeof s);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], before[(r + ranks - 1) % ranks]);
    }
    AS_COMPUTED();
}

/* A communicator that is freed while a message of it is on the way. */
static void freed_early(void)
{
    MPI_Comm comm;
    int64_t in = -1, out, before[RANKS_MAX];
    MPI_Request requests[2];

    none_yet();
    MPI_Comm_dup(WORLD, &comm);
    all_step(0);
    memcpy(before, s, sizeof s);
    out = oracle_s;
    MPI_Irecv(&in, 1, S_TYPE, (rank + ranks - 1) % ranks, 2, comm, &requests[0]);
    MPI_Isend(&out, 1, S_TYPE, (rank + 1) % ranks, 2, comm, &requests[1]);
    MPI_Comm_free(&comm);
    all_step(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    take(in);
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], before[(r + ranks - 1) % ranks]);
    AS_COMPUTED();
}

/* Two halves, and messages between them: a rank is a rank of the other group. */
static void intercomm(void)
{
    MPI_Comm half = split(WORLD, odd(rank), rank), inter, whole;
    int me, others, remote;

    MPI_Intercomm_create(half, 0, WORLD, rank % 2 ? 0 : 1, 4, &inter);
    MPI_Comm_rank(inter, &me);
    MPI_Comm_remote_size(inter, &remote);
    none_yet();
    for (int i = 0; i < 3; i++) {
        int64_t in = -1, before[RANKS_MAX];
        MPI_Status status;

        all_step(i);
        memcpy(before, s, sizeof s);
        /* with the same place of the other group, where there is one */
        if (me < remote) {
            int64_t out = oracle_s;
            int other = rank % 2 ? rank - 1 : rank + 1;
            MPI_Request request;

            MPI_Isend(&out, 1, S_TYPE, me, 3, inter, &request);
            if (i == 1)
                MPI_Probe(me, 3, inter, &status);
            MPI_Recv(&in, 1, S_TYPE, i == 2 ? MPI_ANY_SOURCE : me, 3, inter, &status);
            CHECK_EQUAL(status.MPI_SOURCE, me);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK_EQUAL(in - base, before[other]);
            take(in);
        }
        for (int r = 0; r < ranks; r++) {
            int other = r % 2 ? r - 1 : r + 1;

            if (other < ranks)
                s[r] = larger(s[r], before[other]);
        }
        AS_COMPUTED();
    }
    barrier(WORLD);
    {
        int64_t mine = oracle_s, theirs = -1;

        MPI_Barrier(inter);
        MPI_Allreduce(&mine, &theirs, 1, S_TYPE, MPI_MAX, inter);
        CHECK_EQUAL(theirs, mine);
    }
    MPI_Intercomm_merge(inter, rank % 2, &whole);
    MPI_Comm_size(whole, &others);
    CHECK_EQUAL(others, ranks);
    for (int r = 0; r < ranks; r++)
        s[r] = now();
    all_step(10);
    {
        int last;

        /* the odd half is behind the even one: a token from the first to the last */
        MPI_Comm_rank(whole, &me);
        last = ranks - 1;
        if (me > 0)
            recv_s(me - 1, 1, whole);
        cost(2);
        if (me < last)
            send_s(me + 1, 1, whole);
        if (me == last) {
            int64_t token = 0;

            for (int half_of = 0; half_of < 2; half_of++)
                for (int r = half_of; r < ranks; r += 2)
                    token = larger(token, s[r]) + 2;
            CHECK_EQUAL(now(), token);
        }
    }
    sum_up(whole);
    MPI_Comm_free(&whole);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Ranks of a communicator that has another order, and rank 0 alone in one of its own. */
static void turned(void)
{
    MPI_Comm comm = split(WORLD, 0, -rank);
    int me;
    int64_t m;

    MPI_Comm_rank(comm, &me);
    CHECK_EQUAL(me, ranks - 1 - rank);
    none_yet();
    all_step(0);
    MPI_Scan(&oracle_s, &m, 1, S_TYPE, MPI_MAX, comm);  /* from the last rank to the first */
    take(m);
    for (int r = ranks - 2; r >= 0; r--)
        s[r] = larger(s[r], s[r + 1]);
    AS_COMPUTED();
    all_step(1);
    m = oracle_s;
    MPI_Bcast(&m, 1, S_TYPE, 0, comm);                  /* the root is the last rank of WORLD */
    take(m);
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], s[ranks - 1]);
    AS_COMPUTED();
    all_step(2);
    m = oracle_s;
    MPI_Reduce(me == 1 ? MPI_IN_PLACE : &m, &m, 1, S_TYPE, MPI_MAX, 1, comm);
    if (me == 1) {
        take(m);
        for (int r = 0; r < ranks; r++)
            s[rank] = larger(s[rank], s[r]);
    }
    AS_COMPUTED();
    MPI_Comm_free(&comm);
}

/* Operations of two communicators that overlap, in flight at once. */
static void overlapping(void)
{
    MPI_Comm half = split(WORLD, odd(rank), 0);
    MPI_Request requests[3];
    int64_t in[3] = { -1, -1, -1 }, out[3], most = 0, most_of_half = 0, root = 0;

    none_yet();
    all_step(0);
    out[0] = oracle_s;
    for (int r = 0; r < ranks; r++)
        most = larger(most, s[r]);
    MPI_Iallreduce(&out[0], &in[0], 1, S_TYPE, MPI_MAX, WORLD, &requests[0]);
    all_step(1);
    out[1] = oracle_s;
    for (int r = rank % 2; r < ranks; r += 2)
        most_of_half = larger(most_of_half, s[r]);
    MPI_Iallreduce(&out[1], &in[1], 1, S_TYPE, MPI_MAX, half, &requests[1]);
    all_step(2);
    in[2] = oracle_s;
    root = s[0];
    MPI_Ibcast(&in[2], 1, S_TYPE, 0, WORLD, &requests[2]);
    all_step(3);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    take(in[1]);
    CHECK_EQUAL(now(), larger(s[rank], most_of_half));
    cost(4);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    take(in[0]);
    take(in[2]);
    CHECK_EQUAL(now(), larger(larger(s[rank], most_of_half) + 4, larger(most, root)));
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        TEST(nested), TEST(undefined), TEST(duplicate), TEST(create), TEST(create_group),
        TEST(again_and_again), TEST(freed_early), TEST(intercomm), TEST(turned),
        TEST(overlapping), { NULL, NULL }
    };

    return run_tests(argc, argv, tests);
}
