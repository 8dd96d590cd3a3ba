/* requests.c - requests: persistent ones, those that complete in any order, that are cancelled or
 * freed, and which message each receives. oracle.h states how the cases are watched.
 *   requests [--list | CASE...]
 * As in point.c, each rank computes the S of all ranks by the rules alone where the order of
 * messages is fixed.
 */
#include "by_rules.h"

/* Persistent requests of all modes. What a message carries is S at the start, not at the init. */
static void persistent(void)
{
    enum { MODES = 4, ROUNDS = 3 };
    static char attached[MODES * (64 + MPI_BSEND_OVERHEAD)];
    int64_t in[MODES], out[MODES];
    MPI_Request requests[2 * MODES];

    none_yet();
    MPI_Buffer_attach(attached, sizeof attached);
    for (int k = 0; k < MODES; k++)
        MPI_Recv_init(&in[k], 1, S_TYPE, previous(rank), k, WORLD, &requests[k]);
    MPI_Send_init(&out[0], 1, S_TYPE, next(rank), 0, WORLD, &requests[MODES]);
    MPI_Ssend_init(&out[1], 1, S_TYPE, next(rank), 1, WORLD, &requests[MODES + 1]);
    MPI_Bsend_init(&out[2], 1, S_TYPE, next(rank), 2, WORLD, &requests[MODES + 2]);
    MPI_Rsend_init(&out[3], 1, S_TYPE, next(rank), 3, WORLD, &requests[MODES + 3]);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t sent[MODES][RANKS_MAX];

        all_step(20 * i);
        MPI_Startall(MODES, requests);
        barrier(WORLD);         /* Rsend's receive is posted */
        for (int r = 0; r < ranks; r++)
            s[r] = now();       /* a barrier: equal on all ranks */
        for (int k = 0; k < MODES; k++) {
            all_step(20 * i + 1 + k);
            memcpy(sent[k], s, sizeof sent[k]);
            out[k] = oracle_s;
            MPI_Start(&requests[MODES + k]);
        }
        all_step(20 * i + 10);
        for (int k = MODES - 1; k >= 0; k--) {  /* the last one first, in two of the rounds */
            int which = i == 1 ? MODES - 1 - k : k;

            MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
            take(in[which]);
            for (int r = 0; r < ranks; r++)
                s[r] = larger(s[r], sent[which][previous(r)]);
            AS_COMPUTED();
            all_step(20 * i + 11 + k);
        }
        MPI_Waitall(2 * MODES, requests, MPI_STATUSES_IGNORE);  /* half of them are inactive */
        AS_COMPUTED();
    }
    for (int k = 0; k < 2 * MODES; k++)
        MPI_Request_free(&requests[k]);
    {
        void *detached;
        int size;

        MPI_Buffer_detach(&detached, &size);
        CHECK(detached == attached && size == (int)sizeof attached);
    }
}

/* Requests that complete in any order: rank 0 receives two messages of each of the others, and
 * something costs after each completion. Everybody's last message is an answer. */
enum { PER_RANK = 2 };
static int64_t came[RANKS_MAX * PER_RANK];
static MPI_Request coming[RANKS_MAX * PER_RANK];

static int post_all(void)
{
    int n = 0;

    for (int k = 0; k < PER_RANK; k++)
        for (int r = 1; r < ranks; r++, n++) {
            came[n] = -1;
            MPI_Irecv(&came[n], 1, S_TYPE, r, 30, WORLD, &coming[n]);
        }
    return n;
}

static void send_all(void)
{
    for (int k = 0; k < PER_RANK; k++) {
        step(k);
        send_s(0, 30, WORLD);
    }
    recv_s(0, 31, WORLD);
    step(10);
}

static void answer_all(void)
{
    for (int r = 1; r < ranks; r++) {
        cost(1);
        send_s(r, 31, WORLD);
    }
}

/* All N have come. */
static void take_all(int n)
{
    for (int i = 0; i < n; i++)
        take(came[i]);
    cost(50);
    answer_all();
}

static void took(int i, const MPI_Status *status)
{
    CHECK(i >= 0 && i < PER_RANK * (ranks - 1));
    CHECK(came[i] >= 0 && coming[i] == MPI_REQUEST_NULL);
    if (status)
        CHECK_EQUAL(status->MPI_SOURCE, 1 + i % (ranks - 1));
    take(came[i]);
    cost(100 + i);
}

static void waitany(void)
{
    if (rank == 0) {
        int n = post_all(), i;

        for (int k = 0; k < n; k++) {
            MPI_Status status;

            MPI_Waitany(n, coming, &i, k % 2 ? &status : MPI_STATUS_IGNORE);
            took(i, k % 2 ? &status : NULL);
        }
        MPI_Waitany(n, coming, &i, MPI_STATUS_IGNORE);
        CHECK_EQUAL(i, MPI_UNDEFINED);
        answer_all();
    } else
        send_all();
}

static void some(int tested)
{
    if (rank == 0) {
        int n = post_all(), left = n, count, which[RANKS_MAX * PER_RANK];
        MPI_Status statuses[RANKS_MAX * PER_RANK];

        for (int k = 0; left > 0; k++) {
            MPI_Status *at = k % 2 ? statuses : MPI_STATUSES_IGNORE;

            if (tested)
                MPI_Testsome(n, coming, &count, which, at);
            else
                MPI_Waitsome(n, coming, &count, which, at);
            for (int i = 0; i < count; i++)
                take(came[which[i]]);   /* all of them at once, before the first of the costs */
            for (int i = 0; i < count; i++)
                took(which[i], k % 2 ? &statuses[i] : NULL);
            left -= count;
        }
        MPI_Waitsome(n, coming, &count, which, statuses);
        CHECK_EQUAL(count, MPI_UNDEFINED);
        answer_all();
    } else
        send_all();
}

static void waitsome(void)
{
    some(0);
}

static void testsome(void)
{
    some(1);
}

static void testany(void)
{
    if (rank == 0) {
        int n = post_all(), i, flag;

        for (int left = n; left > 0;) {
            MPI_Status status;

            MPI_Testany(n, coming, &i, &flag, left % 2 ? &status : MPI_STATUS_IGNORE);
            if (flag) {
                took(i, left % 2 ? &status : NULL);
                left--;
            } else
                CHECK_EQUAL(i, MPI_UNDEFINED);
        }
        answer_all();
    } else
        send_all();
}

/* Test, and Testall of the rest. */
static void testall(void)
{
    if (rank == 0) {
        int n = post_all(), flag = 0;

        while (!flag)
            MPI_Test(&coming[n / 2], &flag, MPI_STATUS_IGNORE);
        took(n / 2, NULL);
        for (flag = 0; !flag;)
            MPI_Testall(n, coming, &flag, MPI_STATUSES_IGNORE);
        take_all(n);
    } else
        send_all();
}

/* MPI_Request_get_status completes nothing: the wait that follows does. */
static void get_status(void)
{
    if (rank == 0) {
        int n = post_all(), flag = 0;

        while (!flag)
            MPI_Request_get_status(coming[0], &flag, MPI_STATUS_IGNORE);
        MPI_Waitall(n, coming, MPI_STATUSES_IGNORE);
        take_all(n);
    } else
        send_all();
}

/* A cancelled receive takes nothing. The message that comes later goes to the next receive. */
static void cancelled(void)
{
    none_yet();
    for (int i = 0; i < 3; i++) {
        int64_t never = -1, sent[RANKS_MAX];
        MPI_Request request;
        MPI_Status status;
        int flag;

        MPI_Irecv(&never, 1, S_TYPE, i == 1 ? MPI_ANY_SOURCE : previous(rank), 50, WORLD,
                  &request);
        all_step(2 * i);
        MPI_Cancel(&request);
        if (i == 2)
            for (flag = 0; !flag;)
                MPI_Test(&request, &flag, &status);
        else
            MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK(flag && never == -1);
        AS_COMPUTED();
        barrier(WORLD);         /* all have cancelled */
        for (int r = 0; r < ranks; r++)
            s[r] = now();
        all_step(2 * i + 1);
        memcpy(sent, s, sizeof sent);
        send_s(next(rank), 50, WORLD);
        recv_s(previous(rank), 50, WORLD);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[previous(r)]);
        AS_COMPUTED();
        barrier(WORLD);         /* the next receive must not be in the way of this message */
        for (int r = 0; r < ranks; r++)
            s[r] = now();
    }
}

/* Freed requests: the message of a freed send arrives as any other. A freed receive takes a
 * message, but completes nowhere: so it does not change S, and the next receive has the next
 * message. */
static void freed(void)
{
    static int64_t out[4], in[2];
    MPI_Request request;

    none_yet();
    in[0] = in[1] = -1;
    MPI_Irecv(&in[0], 1, S_TYPE, previous(rank), 1, WORLD, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    for (int k = 0; k < 4; k++) {
        all_step(k);
        out[k] = oracle_s;
        MPI_Isend(&out[k], 1, S_TYPE, next(rank), 1 + k / 2, WORLD, &request);
        MPI_Request_free(&request);
    }
    for (int k = 1; k < 4; k++) {
        int64_t sent[RANKS_MAX];

        for (int r = 0; r < ranks; r++) {
            sent[r] = 0;
            for (int j = 0; j <= k; j++)
                sent[r] += cost_of(r, j);
        }
        CHECK_EQUAL(recv_s(previous(rank), 1 + k / 2, WORLD) - base, sent[previous(rank)]);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[previous(r)]);
        AS_COMPUTED();
        all_step(10 + k);
    }
    CHECK(in[0] >= base);       /* it came before those that were received */
    barrier(WORLD);             /* all have their messages: the buffers may be used again */
}

/* Receives that are posted in one order and completed in another. All have the same sender, tag
 * and communicator: messages go to them in the order of posting. */
static void reversed(void)
{
    enum { N = 6 };
    static const int order[N] = { 5, 2, 3, 0, 4, 1 };
    int64_t in[N], out[N], sent[N][RANKS_MAX];
    MPI_Request receives[N], sends[N];

    none_yet();
    for (int k = 0; k < N; k++) {
        in[k] = -1;
        MPI_Irecv(&in[k], 1, S_TYPE, previous(rank), 9, WORLD, &receives[k]);
    }
    for (int k = 0; k < N; k++) {
        all_step(k);
        memcpy(sent[k], s, sizeof sent[k]);
        out[k] = oracle_s;
        MPI_Isend(&out[k], 1, S_TYPE, next(rank), 9, WORLD, &sends[k]);
    }
    for (int k = 0; k < N; k++) {
        int i = turn % 2 ? order[k] : N - 1 - order[k];

        MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
        CHECK_EQUAL(in[i] - base, sent[i][previous(rank)]);
        take(in[i]);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[i][previous(r)]);
        AS_COMPUTED();
        all_step(20 + k);
    }
    MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
}

/* Wildcards among specific receives, of one sender and one tag: a message goes to the first posted
 * receive that fits. */
static void wildcards(void)
{
    enum { N = 8 };
    int64_t in[N], out[N], sent[N][RANKS_MAX];
    MPI_Request receives[N], sends[N];
    MPI_Status statuses[N];

    none_yet();
    for (int k = 0; k < N; k++) {
        in[k] = -1;
        MPI_Irecv(&in[k], 1, S_TYPE, k & 1 ? MPI_ANY_SOURCE : previous(rank),
                  k & 2 ? MPI_ANY_TAG : 3, WORLD, &receives[k]);
    }
    for (int k = 0; k < N; k++) {
        all_step(k);
        memcpy(sent[k], s, sizeof sent[k]);
        out[k] = oracle_s;
        MPI_Isend(&out[k], 1, S_TYPE, next(rank), 3, WORLD, &sends[k]);
    }
    for (int k = N - 1; k >= 0; k -= 2) {       /* some of them, then all the others */
        MPI_Wait(&receives[k], &statuses[k]);
        CHECK_EQUAL(in[k] - base, sent[k][previous(rank)]);
        CHECK_EQUAL(statuses[k].MPI_SOURCE, previous(rank));
        CHECK_EQUAL(statuses[k].MPI_TAG, 3);
        take(in[k]);
        for (int r = 0; r < ranks; r++)
            s[r] = larger(s[r], sent[k][previous(r)]);
        AS_COMPUTED();
        all_step(20 + k);
    }
    MPI_Waitall(N, receives, statuses);
    for (int k = 0; k < N; k += 2) {
        CHECK_EQUAL(statuses[k].MPI_TAG, 3);
        CHECK_EQUAL(in[k] - base, sent[k][previous(rank)]);
        take(in[k]);
    }
    AS_COMPUTED();
    MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
}

/* All ranks send to rank 0; its wildcards and its specific receives share the messages, as
 * executed. Senders send two each, so every receive has its message. */
static void contest(void)
{
    if (rank > 0) {
        for (int k = 0; k < 4; k++) {
            step(k);
            send_s(0, 12, WORLD);
        }
        recv_s(0, 13, WORLD);
        return;
    }
    {
        int n = 0;
        int64_t in[4 * RANKS_MAX];
        MPI_Request requests[4 * RANKS_MAX];

        for (int k = 0; k < 4; k++)     /* n - 1 of any source at first and at last */
            for (int r = 1; r < ranks; r++, n++) {
                in[n] = -1;
                MPI_Irecv(&in[n], 1, S_TYPE, k == 0 || k == 3 ? MPI_ANY_SOURCE : r, 12, WORLD,
                          &requests[n]);
            }
        /* a specific receive may have to wait for a sender whose messages the wildcards took:
         * every sender has four, and the first n - 1 wildcards may take them all */
        for (int k = 0; k < n; k++) {
            int i, flag;

            MPI_Testany(n, requests, &i, &flag, MPI_STATUS_IGNORE);
            if (!flag) {
                k--;
                if (n - k > 1 + 2 * (ranks - 1))
                    continue;
                break;
            }
            take(in[i]);
            cost(10 + i);
        }
        /* what is left is cancelled; its messages are then received by wildcards */
        for (int k = 0; k < n; k++)
            if (requests[k] != MPI_REQUEST_NULL) {
                MPI_Status status;
                int flag;

                MPI_Cancel(&requests[k]);
                MPI_Wait(&requests[k], &status);
                MPI_Test_cancelled(&status, &flag);
                if (!flag) {
                    take(in[k]);
                    cost(5);
                } else {
                    recv_s(MPI_ANY_SOURCE, 12, WORLD);
                    cost(7);
                }
            }
        for (int r = 1; r < ranks; r++)
            send_s(r, 13, WORLD);
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        TEST(persistent), TEST(waitany), TEST(waitsome), TEST(testany), TEST(testsome),
        TEST(testall), TEST(get_status), TEST(cancelled), TEST(freed), TEST(reversed),
        TEST(wildcards), TEST(contest), { NULL, NULL }
    };

    return run_tests(argc, argv, tests);
}
