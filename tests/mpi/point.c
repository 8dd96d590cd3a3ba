/* point.c - messages from one rank to another: patterns of programs, probes, modes of sending,
 * sizes and types. requests.c has those that complete in any order. oracle.h states how the cases
 * are watched.
 *   point [--list | CASE... | outside]
 * Where the order of messages is fixed, each rank computes the S of all ranks by the rules alone,
 * and asserts that the carried S are the same. The others are as executed.
 */
#include "by_rules.h"

/* A token goes round; each rank costs something before it has the token, and with it. */
static void ring(void)
{
    none_yet();
    for (int lap = 0; lap < 3; lap++) {
        all_step(2 * lap);
        if (rank > 0)
            recv_s(previous(rank), 7, WORLD);
        step(2 * lap + 1);
        send_s(next(rank), 7, WORLD);
        if (rank == 0)
            recv_s(previous(rank), 7, WORLD);
        for (int r = 0; r < ranks; r++) {
            if (r > 0)
                s[r] = larger(s[r], s[r - 1]);
            s[r] += cost_of(r, 2 * lap + 1);
        }
        s[0] = larger(s[0], s[ranks - 1]);
        AS_COMPUTED();
    }
}

/* The same costs everywhere: the formula is closed. Lap after lap the token's path is the longest:
 * each rank has the token for C, and nothing else costs. */
static void token(void)
{
    enum { LAPS = 4, C = 100 };

    for (int lap = 0; lap < LAPS; lap++) {
        if (rank > 0)
            recv_s(rank - 1, 0, WORLD);
        cost(C);
        send_s(next(rank), 0, WORLD);
        if (rank == 0)
            recv_s(ranks - 1, 0, WORLD);
    }
    CHECK_EQUAL(now(), rank == 0 ? LAPS * C * ranks : (LAPS - 1) * C * ranks + C * (rank + 1));
}

/* Neighbours on a line exchange their borders while they compute what is inside. */
static void halo_line(void)
{
    none_yet();
    for (int i = 0; i < 4; i++) {
        int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        int right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
        int64_t in[2] = { -1, -1 }, out, sent[RANKS_MAX];
        MPI_Request requests[4];

        all_step(2 * i);
        memcpy(sent, s, sizeof sent);
        out = oracle_s;
        MPI_Irecv(&in[0], 1, S_TYPE, left, 1, WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, S_TYPE, right, 2, WORLD, &requests[1]);
        MPI_Isend(&out, 1, S_TYPE, right, 1, WORLD, &requests[2]);
        MPI_Isend(&out, 1, S_TYPE, left, 2, WORLD, &requests[3]);
        all_step(2 * i + 1);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        take(in[0]);
        take(in[1]);
        for (int r = 0; r < ranks; r++) {
            if (r > 0)
                s[r] = larger(s[r], sent[r - 1]);
            if (r < ranks - 1)
                s[r] = larger(s[r], sent[r + 1]);
        }
        AS_COMPUTED();
    }
}

/* The same on a grid, a torus in one dimension, with the borders of 1 KB. */
static void halo_grid(void)
{
    enum { COUNT = 128 };
    int dims[2] = { 0, 0 }, periods[2] = { 1, 0 };
    static int64_t in[4][COUNT], out[COUNT];
    MPI_Comm grid;

    none_yet();
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid); /* all S are equal here */
    for (int i = 0; i < 4; i++) {
        MPI_Request requests[8];
        int n = 0, from, to;
        int64_t sent[RANKS_MAX];
        MPI_Status statuses[8];

        all_step(2 * i);
        memcpy(sent, s, sizeof sent);
        for (int k = 0; k < COUNT; k++)
            out[k] = oracle_s;
        memset(in, -1, sizeof in);
        for (int d = 0; d < 4; d++) {
            MPI_Cart_shift(grid, d / 2, d % 2 ? 1 : -1, &from, &to);
            MPI_Irecv(in[d], COUNT, S_TYPE, from, d, grid, &requests[n++]);
            MPI_Isend(out, COUNT, S_TYPE, to, d, grid, &requests[n++]);
        }
        all_step(2 * i + 1);
        MPI_Waitall(n, requests, statuses);
        for (int d = 0; d < 4; d++) {
            MPI_Cart_shift(grid, d / 2, d % 2 ? 1 : -1, &from, &to);
            if (from != MPI_PROC_NULL)
                CHECK_EQUAL(statuses[2 * d].MPI_SOURCE, from);
            CHECK_EQUAL(in[d][0], in[d][COUNT - 1]);
            take(in[d][0]);
        }
        for (int r = 0; r < ranks; r++)
            for (int d = 0; d < 4; d++) {
                int at[2], other;

                MPI_Cart_coords(grid, r, 2, at);
                at[d / 2] += d % 2 ? -1 : 1;
                if (d / 2 == 1 && (at[1] < 0 || at[1] >= dims[1]))
                    continue;
                MPI_Cart_rank(grid, at, &other);
                s[r] = larger(s[r], sent[other]);
            }
        AS_COMPUTED();
    }
    MPI_Comm_free(&grid);
}

/* Rank 0 gives tasks to whoever is ready: the tag of a task is its number. As executed. */
static void farm(void)
{
    enum { STOP = 1000 };
    int tasks = 4 * ranks, given = 0, done = 0;
    int64_t sum = 0;

    if (rank > 0) {
        for (;;) {
            MPI_Status status;
            int64_t m;

            MPI_Recv(&m, 1, S_TYPE, 0, MPI_ANY_TAG, WORLD, &status);
            take(m);
            if (status.MPI_TAG == STOP)
                break;
            cost(cost_of(0, status.MPI_TAG));
            send_s(0, status.MPI_TAG, WORLD);
        }
        return;
    }
    for (int r = 1; r < ranks; r++)
        send_s(r, given++, WORLD);
    while (done < tasks) {
        MPI_Status status;
        int64_t m;

        MPI_Recv(&m, 1, S_TYPE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
        take(m);
        sum += status.MPI_TAG;
        done++;
        cost(3);
        send_s(status.MPI_SOURCE, given < tasks ? given++ : STOP, WORLD);
    }
    CHECK_EQUAL(sum, (int64_t)tasks * (tasks - 1) / 2);
}

/* Items pass through stages, one stage a rank. */
static void pipeline(void)
{
    none_yet();
    for (int item = 0; item < 8; item++) {
        if (rank > 0)
            recv_s(rank - 1, item, WORLD);
        step(item);
        if (rank < ranks - 1)
            send_s(rank + 1, item, WORLD);
        for (int r = 0; r < ranks; r++)
            s[r] = (r > 0 ? larger(s[r], s[r - 1]) : s[r]) + cost_of(r, item);
        AS_COMPUTED();
    }
}

/* Sendrecv and Sendrecv_replace: round, to the right with open ends, and to oneself. */
static void exchange(void)
{
    none_yet();
    for (int i = 0; i < 3; i++) {
        int64_t out, in, sent[RANKS_MAX];
        int right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
        int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        MPI_Status status;

        all_step(3 * i);
        memcpy(sent, s, sizeof sent);
        out = oracle_s;
        MPI_Sendrecv(&out, 1, S_TYPE, next(rank), 5, &in, 1, S_TYPE, previous(rank), 5, WORLD,
                     &status);
        CHECK_EQUAL(status.MPI_SOURCE, previous(rank));
        take(in);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[previous(r)]);
        AS_COMPUTED();

        all_step(3 * i + 1);
        memcpy(sent, s, sizeof sent);
        in = oracle_s;
        MPI_Sendrecv_replace(&in, 1, S_TYPE, right, 6, left, 6, WORLD, MPI_STATUS_IGNORE);
        take(in);
        for (int r = 1; r < ranks; r++)
            s[r] = larger(s[r], sent[r - 1]);
        AS_COMPUTED();

        all_step(3 * i + 2);
        in = out = oracle_s;
        MPI_Sendrecv(&out, 1, S_TYPE, rank, 8, &in, 1, S_TYPE, MPI_ANY_SOURCE, 8, WORLD, &status);
        CHECK_EQUAL(status.MPI_SOURCE, rank);
        CHECK_EQUAL(in, out);
        AS_COMPUTED();
    }
}

/* A probe that found a message takes the message's S: what costs before the receive is behind it.
 * All steps are fixed, so the S of a probed message is known before its receive. */
static void probe(void)
{
    none_yet();
    for (int kind = 0; kind < 6; kind++) {
        int64_t m = -1, sent[RANKS_MAX];
        MPI_Status status;
        MPI_Message message;
        MPI_Request request;
        int flag = 0, count, from = previous(rank), tag = 40 + kind;

        all_step(10 * kind);
        memcpy(sent, s, sizeof sent);
        if (rank % 2)           /* ahead of the probe for some, behind it for others */
            send_s(next(rank), tag, WORLD);
        else {
            int64_t out = oracle_s;

            MPI_Isend(&out, 1, S_TYPE, next(rank), tag, WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        switch (kind) {
        case 0:
            MPI_Probe(from, tag, WORLD, &status);
            break;
        case 1:
            MPI_Probe(MPI_ANY_SOURCE, tag, WORLD, &status);
            break;
        case 2:
        case 3:
            while (!flag)
                MPI_Iprobe(kind == 2 ? from : MPI_ANY_SOURCE, tag, WORLD, &flag, &status);
            break;
        case 4:
            MPI_Mprobe(MPI_ANY_SOURCE, tag, WORLD, &message, &status);
            break;
        case 5:
            while (!flag)
                MPI_Improbe(from, tag, WORLD, &flag, &message, &status);
            break;
        }
        CHECK_EQUAL(status.MPI_SOURCE, from);
        CHECK_EQUAL(status.MPI_TAG, tag);
        MPI_Get_count(&status, S_TYPE, &count);
        CHECK_EQUAL(count, 1);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[previous(r)]);
        take(base + sent[from]);
        all_step(10 * kind + 1);

        /* a message between the probe and the receive carries what the probe took */
        memcpy(sent, s, sizeof sent);
        send_s(previous(rank), 60, WORLD);
        recv_s(next(rank), 60, WORLD);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[next(r)]);
        AS_COMPUTED();

        if (kind < 4)
            MPI_Recv(&m, 1, S_TYPE, status.MPI_SOURCE, tag, WORLD, MPI_STATUS_IGNORE);
        else if (kind == 4)
            MPI_Mrecv(&m, 1, S_TYPE, &message, &status);
        else {
            MPI_Imrecv(&m, 1, S_TYPE, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        take(m);
        AS_COMPUTED();
        all_step(10 * kind + 2);
    }
}

/* An Mrecv has its message, whatever other receives of the same kind come first. */
static void matched(void)
{
    none_yet();
    all_step(0);
    if (rank % 2 == 1) {
        for (int k = 0; k < 3; k++) {
            cost(1000);
            send_s(rank - 1, 8, WORLD);
        }
    } else if (rank < ranks - 1) {
        MPI_Message first, second;
        int64_t m;

        MPI_Mprobe(rank + 1, 8, WORLD, &first, MPI_STATUS_IGNORE);
        take(base + cost_of(rank + 1, 0) + 1000);
        cost(100);
        MPI_Mprobe(rank + 1, 8, WORLD, &second, MPI_STATUS_IGNORE);
        take(base + cost_of(rank + 1, 0) + 2000);
        cost(100);
        recv_s(rank + 1, 8, WORLD);
        CHECK_EQUAL(now(), cost_of(rank + 1, 0) + 3000);
        MPI_Mrecv(&m, 1, S_TYPE, &second, MPI_STATUS_IGNORE);
        CHECK_EQUAL(m - base, cost_of(rank + 1, 0) + 2000);
        MPI_Mrecv(&m, 1, S_TYPE, &first, MPI_STATUS_IGNORE);
        CHECK_EQUAL(m - base, cost_of(rank + 1, 0) + 1000);
    }
}

/* All modes of sending. An Ssend does not take its receiver's S. The buffer of Bsend has exactly
 * the size that the standard asks for. */
static void modes(void)
{
    int64_t in[8], out[8];
    MPI_Request receives[8], sends[3];
    void *detached;
    int size, each;
    char *attached;

    none_yet();
    MPI_Pack_size(1, S_TYPE, WORLD, &each);
    size = 2 * (each + MPI_BSEND_OVERHEAD);
    attached = malloc(size);
    MPI_Buffer_attach(attached, size);
    for (int k = 0; k < 7; k++)
        MPI_Irecv(&in[k], 1, S_TYPE, previous(rank), k, WORLD, &receives[k]);
    barrier(WORLD);             /* for Rsend */
    for (int k = 0; k < 7; k++) {
        all_step(k);
        out[k] = oracle_s;
        switch (k) {
        case 0: MPI_Send(&out[k], 1, S_TYPE, next(rank), k, WORLD); break;
        case 1: MPI_Bsend(&out[k], 1, S_TYPE, next(rank), k, WORLD); break;
        case 2: MPI_Ssend(&out[k], 1, S_TYPE, next(rank), k, WORLD); break;
        case 3: MPI_Rsend(&out[k], 1, S_TYPE, next(rank), k, WORLD); break;
        case 4: MPI_Issend(&out[k], 1, S_TYPE, next(rank), k, WORLD, &sends[0]); break;
        case 5: MPI_Ibsend(&out[k], 1, S_TYPE, next(rank), k, WORLD, &sends[1]); break;
        case 6: MPI_Irsend(&out[k], 1, S_TYPE, next(rank), k, WORLD, &sends[2]); break;
        }
        AS_COMPUTED();
    }
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    AS_COMPUTED();
    for (int k = 0; k < 7; k++) {
        int64_t sent[RANKS_MAX];

        for (int r = 0; r < ranks; r++) {
            sent[r] = 0;
            for (int j = 0; j <= k; j++)
                sent[r] += cost_of(r, j);
        }
        MPI_Wait(&receives[k], MPI_STATUS_IGNORE);
        take(in[k]);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[previous(r)]);
        AS_COMPUTED();
    }
    MPI_Buffer_detach(&detached, &size);
    CHECK(detached == attached);
    free(attached);
}

/* Messages to oneself, in all usual ways. */
static void oneself(void)
{
    int64_t in = -1, out;
    MPI_Request requests[2];
    MPI_Status status;

    none_yet();
    all_step(0);
    out = oracle_s;
    MPI_Irecv(&in, 1, S_TYPE, rank, 1, WORLD, &requests[0]);
    MPI_Isend(&out, 1, S_TYPE, rank, 1, WORLD, &requests[1]);
    all_step(1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_EQUAL(in, out);
    AS_COMPUTED();
    out = oracle_s;
    MPI_Isend(&out, 1, S_TYPE, 0, 2, MPI_COMM_SELF, &requests[0]);
    MPI_Probe(0, 2, MPI_COMM_SELF, &status);
    all_step(2);
    MPI_Recv(&in, 1, S_TYPE, 0, 2, MPI_COMM_SELF, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK_EQUAL(in, out);
    barrier(MPI_COMM_SELF);
    AS_COMPUTED();
}

/* Nobody sends, nobody receives. */
static void nobody(void)
{
    int64_t m = 77;
    MPI_Request requests[3];
    MPI_Status status;
    MPI_Message message;
    int flag, count, index;

    step(0);
    MPI_Send(&m, 1, S_TYPE, MPI_PROC_NULL, 0, WORLD);
    MPI_Recv(&m, 1, S_TYPE, MPI_PROC_NULL, 0, WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Get_count(&status, S_TYPE, &count);
    CHECK_EQUAL(count, 0);
    MPI_Sendrecv(&m, 1, S_TYPE, MPI_PROC_NULL, 0, &m, 1, S_TYPE, MPI_PROC_NULL, 0, WORLD, &status);
    MPI_Probe(MPI_PROC_NULL, 0, WORLD, &status);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, WORLD, &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mprobe(MPI_PROC_NULL, 0, WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&m, 1, S_TYPE, &message, &status);
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Irecv(&m, 1, S_TYPE, MPI_PROC_NULL, 0, WORLD, &requests[0]);
    MPI_Isend(&m, 1, S_TYPE, MPI_PROC_NULL, 0, WORLD, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Recv_init(&m, 1, S_TYPE, MPI_PROC_NULL, 0, WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Request_free(&requests[0]);
    MPI_Wait(&requests[0], &status);    /* a null request */
    MPI_Testany(3, requests, &index, &flag, &status);
    CHECK(flag && index == MPI_UNDEFINED);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    CHECK_EQUAL(m, 77);
    CHECK_EQUAL(now(), cost_of(rank, 0));
}

/* Messages of all sizes: eager ones and those that wait for their receive. A message of no bytes
 * carries S, too: its S is known, because the order is fixed. */
static void sizes(void)
{
    static const int counts[] = { 0, 1, 2, 63, 512, 1023, 4096, 8200, 32768, 131072 };
    enum { N = sizeof counts / sizeof *counts };
    int64_t *in = malloc(8 * (131072 + 1)), *out = malloc(8 * 131072);

    none_yet();
    for (int i = 0; i < N; i++) {
        int n = counts[i], got;
        MPI_Request request;
        MPI_Status status;
        int64_t sent[RANKS_MAX];

        all_step(2 * i);
        memcpy(sent, s, sizeof sent);
        for (int k = 0; k < n; k++)
            out[k] = oracle_s + k;
        in[n] = -7;
        MPI_Isend(out, n, S_TYPE, next(rank), 1, WORLD, &request);
        all_step(2 * i + 1);
        MPI_Recv(in, n + 1, S_TYPE, previous(rank), 1, WORLD, &status); /* room for one more */
        MPI_Get_count(&status, S_TYPE, &got);
        CHECK_EQUAL(got, n);
        CHECK_EQUAL(in[n], -7);
        for (int k = 0; k < n; k++)
            CHECK_EQUAL(in[k], base + sent[previous(rank)] + k);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        take(base + sent[previous(rank)]);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[previous(r)]);
        AS_COMPUTED();
    }
    free(in);
    free(out);
}

/* Derived types, packed data, a displacement from MPI_BOTTOM. */
static void types(void)
{
    enum { N = 16 };
    int64_t in[2 * N], out[2 * N], sent[RANKS_MAX];
    MPI_Datatype every_second, bottom, pair;
    MPI_Aint at[2];
    int lengths[2] = { 1, 1 }, position = 0, got;
    MPI_Datatype members[2] = { S_TYPE, S_TYPE };
    MPI_Status status;
    MPI_Request request;
    char packed[64];

    none_yet();
    MPI_Type_vector(N, 1, 2, S_TYPE, &every_second);
    MPI_Type_commit(&every_second);
    all_step(0);
    memcpy(sent, s, sizeof sent);
    for (int k = 0; k < 2 * N; k++) {
        out[k] = k % 2 ? -1 : oracle_s;
        in[k] = -5;
    }
    MPI_Isend(out, 1, every_second, next(rank), 1, WORLD, &request);
    MPI_Recv(in, N, S_TYPE, previous(rank), 1, WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get_elements(&status, every_second, &got);
    CHECK_EQUAL(got, N);
    for (int k = 0; k < 2 * N; k++)
        CHECK_EQUAL(in[k], k < N ? base + sent[previous(rank)] : -5);
    take(in[0]);
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], sent[previous(r)]);
    AS_COMPUTED();
    MPI_Type_free(&every_second);

    all_step(1);
    memcpy(sent, s, sizeof sent);
    MPI_Get_address(&out[3], &at[0]);
    MPI_Get_address(&out[9], &at[1]);
    MPI_Type_create_struct(2, lengths, at, members, &bottom);
    MPI_Type_commit(&bottom);
    out[3] = oracle_s;
    out[9] = -oracle_s;
    MPI_Isend(MPI_BOTTOM, 1, bottom, next(rank), 2, WORLD, &request);
    MPI_Recv(packed, sizeof packed, MPI_PACKED, previous(rank), 2, WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Unpack(packed, sizeof packed, &position, in, 2, S_TYPE, WORLD);
    CHECK_EQUAL(in[0], base + sent[previous(rank)]);
    CHECK_EQUAL(in[1], -in[0]);
    take(in[0]);
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], sent[previous(r)]);
    AS_COMPUTED();
    MPI_Type_free(&bottom);

    /* a type that is freed while its message is on the way */
    all_step(2);
    memcpy(sent, s, sizeof sent);
    out[0] = oracle_s;
    out[1] = 1;
    MPI_Type_contiguous(2, S_TYPE, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(in, 1, pair, previous(rank), 3, WORLD, &request);
    MPI_Send(out, 1, pair, next(rank), 3, WORLD);
    MPI_Type_free(&pair);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(in[0], base + sent[previous(rank)]);
    take(in[0]);
    for (int r = 0; r < ranks; r++)
        s[r] = larger(s[r], sent[previous(r)]);
    AS_COMPUTED();
}

/* The largest tag, and wildcards of the tag: messages are received in the order of sending. */
static void tags(void)
{
    int *bound, found;
    int64_t sent[3][RANKS_MAX], out[3];
    MPI_Request sends[3];

    none_yet();
    MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &bound, &found);
    CHECK(found);
    for (int k = 0; k < 3; k++) {
        all_step(k);
        memcpy(sent[k], s, sizeof sent[k]);
        out[k] = oracle_s;
        MPI_Isend(&out[k], 1, S_TYPE, next(rank), k == 0 ? *bound : k == 1 ? 0 : *bound - 1, WORLD,
                  &sends[k]);
    }
    for (int k = 0; k < 3; k++) {
        static const int order[3] = { 1, 0, 2 };
        MPI_Status status;
        int64_t m;

        MPI_Recv(&m, 1, S_TYPE, previous(rank), k == 0 ? 0 : MPI_ANY_TAG, WORLD, &status);
        CHECK_EQUAL(m - base, sent[order[k]][previous(rank)]);
        CHECK_EQUAL(status.MPI_TAG, order[k] == 0 ? *bound : order[k] == 1 ? 0 : *bound - 1);
        take(m);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[order[k]][previous(r)]);
        AS_COMPUTED();
        all_step(10 + k);
    }
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
}

/* Many messages that nobody expects yet, received from the last tag to the first. */
static void unexpected(void)
{
    enum { N = 400 };
    static int64_t out[N];
    static MPI_Request sends[N];
    int64_t first, sum = 0;

    none_yet();
    for (int k = 0; k < N; k++) {
        step(k);
        out[k] = oracle_s;
        MPI_Isend(&out[k], 1, S_TYPE, next(rank), k, WORLD, &sends[k]);
    }
    first = now();
    for (int k = 0; k < N; k++)
        sum += cost_of(previous(rank), k);
    for (int k = N - 1; k >= 0; k--) {
        CHECK_EQUAL(recv_s(previous(rank), k, WORLD) - base, sum);
        sum -= cost_of(previous(rank), k);
        if (k == N - 1)
            first = now();
        cost(1);
    }
    CHECK_EQUAL(now(), first + N);
    MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
}

/* A receive too small for its message is an error of the program's, natively and with libprof. */
static void truncated(void)
{
    int64_t out[4] = { 0 }, in[1];
    int error, class;

    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    if (rank % 2 == 1)
        MPI_Send(out, 4, S_TYPE, rank - 1, 1, WORLD);
    else if (rank < ranks - 1) {
        error = MPI_Recv(in, 1, S_TYPE, rank + 1, 1, WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(error, &class);
        CHECK_EQUAL(class, MPI_ERR_TRUNCATE);
    }
    barrier(WORLD);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
    error = MPI_SUCCESS;
    step(0);
    if (rank % 2 == 1)
        send_s(rank - 1, 1, WORLD);
    else if (rank < ranks - 1)
        recv_s(rank + 1, 1, WORLD);
}

/* Costs before MPI_Init and after MPI_Finalize. */
static int outside(int argc, char **argv)
{
    cost(1000);                 /* everywhere the same: `base` is */
    start_ranks(&argc, &argv, MPI_THREAD_SINGLE);
    base = oracle_s;
    ring();
    return end_ranks(10 + 7 * (ranks - rank));
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        TEST(ring), TEST(token), TEST(halo_line), TEST(halo_grid), TEST(farm), TEST(pipeline),
        TEST(exchange), TEST(probe), TEST(matched), TEST(modes), TEST(oneself), TEST(nobody),
        TEST(sizes), TEST(types), TEST(tags), TEST(unexpected), TEST(truncated), { NULL, NULL }
    };

    if (argc == 2 && !strcmp(argv[1], "outside"))
        return outside(argc, argv);
    return run_tests(argc, argv, tests);
}
