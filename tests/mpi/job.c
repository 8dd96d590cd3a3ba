/* job.c MODE - jobs with a known critical path, or a bad end. check.sh's job.sh has the answers.
 *
 *   chain       each rank costs 100 on its own, waits for the rank before it, costs 300 and 200 of
 *               them in region "late", and sends on: the path leads through all ranks
 *   zigzag N    two ranks exchange N times; in turn, one costs 10 and the other 1
 *   fan         rank 0 waits for all others, which cost 100 x rank: the path is in the last
 *   late        rank 0 computes for 300 ms before it sends, rank 1 comes 300 ms late to a barrier
 *   receivers   rank 1 computes for 200 ms before it receives each of: a synchronous send, a large
 *               message that rank 0 waits for, and one that rank 0 waits for beside a message that
 *               it has got. Then it waits for a large message before rank 0 sends it
 *   moving      in turn, one rank computes in `long_turn`, and the others for a fourth of that in
 *               `short_turn`: the path is in long_turn alone
 *   abort, kill, leave
 *               the last rank calls MPI_Abort(7), is killed, or exits without MPI_Finalize
 *   fork        each rank makes a child that costs 50, and waits for it
 *   spawn       rank 0 starts the same program once more with mode `child`
 *   fence       a one-sided epoch
 *   alone       ranks do not exchange anything, but for MPI_Finalize
 *   regions     in region "solve", rank N computes for 100 ms x (N + 1), and waits for the others;
 *               in "rest", which it is in alone, rank 0 computes for 100 ms
 *   awaited     twice, all wait at a barrier for 100 ms for the last rank, with what rank 0
 *               broadcasts for 50 ms for rank 0, and rank 0 with a receive for 50 ms for rank 1
 *   file        rank 0 computes for 300 ms before both write to a file together
 *   many        rank 0 begins 2,000 sends before rank 1 receives any
 *   late-end    each costs 100; after MPI_Finalize rank 1 sleeps for 13 s
 *   among       a thread of rank 0 costs 100; then rank 0 sends, which the path follows, and costs
 *               10 more
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../include/libprof.h"

#define WORLD MPI_COMM_WORLD

static int rank, size;

static void chain(void)
{
    int token = 0;

    libprof_cost(100);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 5, WORLD, MPI_STATUS_IGNORE);
    libprof_cost(100);
    libprof_region_start("late");
    libprof_cost(200);
    libprof_region_stop("late");
    if (rank + 1 < size)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 5, WORLD);
}

static void *costs(void *p)
{
    libprof_cost(100);
    return p;
}

static void among(void)
{
    pthread_t thread;
    int token = 0;

    if (rank == 0) {
        pthread_create(&thread, NULL, costs, NULL);
        pthread_join(thread, NULL);
        MPI_Send(&token, 1, MPI_INT, 1, 5, WORLD);
        libprof_cost(10);
    } else if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, 0, 5, WORLD, MPI_STATUS_IGNORE);
        libprof_cost(200);
    }
}

static void zigzag(int n)
{
    int out = 1, in;

    for (int i = 0; i < n; i++) {
        libprof_cost(i % 2 == rank ? 10 : 1);
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, i, &in, 1, MPI_INT, 1 - rank, i, WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static volatile double sink;

static void rounds_of(int n)
{
    double x = rank;
    for (int i = 1; i < n; i++)
        x = x * 0.99999 + 1.0 / i;
    sink = x;
}

static void __attribute__((noinline)) long_turn(void)
{
    rounds_of(4000000);
    sink++;
}

static void __attribute__((noinline)) short_turn(void)
{
    rounds_of(1000000);
    sink++;
}

static void moving(void)
{
    double x = 0, all;

    for (int i = 0; i < 40 * size; i++) {
        if (i % size == rank)
            long_turn();
        else
            short_turn();
        MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, WORLD);
    }
}

static void fan(void)
{
    int token = 0;

    libprof_cost(100 * rank);
    if (rank)
        MPI_Send(&token, 1, MPI_INT, 0, 0, WORLD);
    else
        for (int i = 1; i < size; i++)
            MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE);
    if (!rank)
        libprof_cost(7);
}

static __attribute__((noinline)) void compute(double seconds)
{
    struct timespec t;
    double end = -1, now;

    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        now = t.tv_sec + t.tv_nsec / 1e9;
        if (end < 0)
            end = now + seconds;
    } while (now < end);
}

static void sleep_for(long ms)
{
    struct timespec t = { 0, ms * 1000000 };

    while (nanosleep(&t, &t))
        ;
}

static void file(void)
{
    MPI_File f;
    char name[] = "file.out";

    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    if (rank == 0)
        compute(0.3);
    MPI_File_write_at_all(f, rank * sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(WORLD);
    MPI_File_close(&f);
}

static void __attribute__((noinline)) all_wait(void)
{
    MPI_Barrier(WORLD);
    if (rank == size - 1)
        sleep_for(100);
    MPI_Barrier(WORLD);
}

static void __attribute__((noinline)) from_root(void)
{
    int token = 0;

    if (rank == 0)
        sleep_for(50);
    MPI_Bcast(&token, 1, MPI_INT, 0, WORLD);
}

static void __attribute__((noinline)) from_sender(void)
{
    int token = 0;

    MPI_Barrier(WORLD);
    if (rank == 1) {
        sleep_for(50);
        MPI_Send(&token, 1, MPI_INT, 0, 0, WORLD);
    } else if (rank == 0) {
        MPI_Recv(&token, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE);
    }
}

static void awaited(void)
{
    for (int i = 0; i < 2; i++) {
        all_wait();
        from_root();
        from_sender();
    }
}

static void regions(void)
{
    MPI_Barrier(WORLD);
    libprof_region_start("solve");
    compute(0.1 * (rank + 1));
    MPI_Barrier(WORLD);
    libprof_region_stop("solve");
    if (rank == 0) {
        libprof_region_start("rest");
        compute(0.1);
        libprof_region_stop("rest");
    }
}

static void late(void)
{
    int token = 0;

    MPI_Barrier(WORLD);
    if (rank == 0) {
        compute(0.3);
        MPI_Send(&token, 1, MPI_INT, 1, 0, WORLD);
    } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
        compute(0.3);
    }
    MPI_Barrier(WORLD);
}

enum { LARGE = 1 << 22 };
static char large[LARGE];

static void sent_at_once(void)
{
    MPI_Ssend(large, 1, MPI_CHAR, 1, 1, WORLD);
}

static void sent_before(void)
{
    MPI_Request request;

    MPI_Isend(large, LARGE, MPI_CHAR, 1, 1, WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sent_beside(void)
{
    MPI_Request requests[2];
    char in;

    MPI_Irecv(&in, 1, MPI_CHAR, 1, 2, WORLD, &requests[0]);
    MPI_Isend(large, LARGE, MPI_CHAR, 1, 1, WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void sent_in_time(void)
{
    MPI_Send(large, LARGE, MPI_CHAR, 1, 1, WORLD);
}

static void receivers(void)
{
    void (*const sends[])(void) = { sent_at_once, sent_before, sent_beside };

    for (int i = 0; i < 3; i++) {
        if (rank == 1)
            MPI_Send(large, 1, MPI_CHAR, 0, 2, WORLD);
        else if (i < 2)
            MPI_Recv(large, 1, MPI_CHAR, 1, 2, WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(WORLD);
        if (rank == 0) {
            sends[i]();
        } else {
            compute(0.2);
            MPI_Recv(large, LARGE, MPI_CHAR, 0, 1, WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Request request;
    if (rank == 1)
        MPI_Irecv(large, LARGE, MPI_CHAR, 0, 1, WORLD, &request);
    MPI_Barrier(WORLD);
    if (rank == 0) {
        compute(0.1);
        sent_in_time();
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void forks(void)
{
    pid_t child;

    libprof_cost(20);
    child = fork();
    if (child == 0) {
        libprof_region_start("child");
        libprof_cost(50);
        libprof_region_stop("child");
        exit(0);
    }
    waitpid(child, NULL, 0);
    MPI_Barrier(WORLD);
}

/* More sends than a receiver takes, before both meet. */
static void many(void)
{
    enum { SENDS = 2000 };
    static int out[SENDS], in;
    static MPI_Request requests[SENDS];

    for (int i = 0; rank == 0 && i < SENDS; i++)
        MPI_Isend(&out[i], 1, MPI_INT, 1, 5, WORLD, &requests[i]);
    MPI_Barrier(WORLD);
    for (int i = 0; rank == 1 && i < SENDS; i++)
        MPI_Recv(&in, 1, MPI_INT, 0, 5, WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Waitall(SENDS, requests, MPI_STATUSES_IGNORE);
    libprof_cost(100);
}

/* Both jobs on one communicator. */
static void merged(MPI_Comm inter, int high)
{
    MPI_Comm both, copy;
    int one = 1, sum = 0;

    MPI_Intercomm_merge(inter, high, &both);
    MPI_Comm_dup(both, &copy);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    if (sum != size + 1 && !high)
        printf("%d ranks in both jobs\n", sum);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&both);
}

static void spawn(char *self)
{
    MPI_Comm children;
    char *arguments[] = { "child", NULL };
    int token = 3;

    MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, WORLD, &children, MPI_ERRCODES_IGNORE);
    if (rank == 0)
        MPI_Send(&token, 1, MPI_INT, 0, 1, children);
    merged(children, 0);
    MPI_Comm_disconnect(&children);
    libprof_cost(10);
}

static void child(void)
{
    MPI_Comm parent;
    int token;

    MPI_Comm_get_parent(&parent);
    MPI_Recv(&token, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
    merged(parent, 1);
    MPI_Comm_disconnect(&parent);
}

static void fence(void)
{
    int shared = 0, one = 1;
    MPI_Win window;

    MPI_Win_create(&shared, sizeof shared, sizeof shared, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    libprof_cost(10);
    MPI_Put(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (!strcmp(mode, "chain"))
        chain();
    else if (!strcmp(mode, "zigzag"))
        zigzag(atoi(argv[2]));
    else if (!strcmp(mode, "fan"))
        fan();
    else if (!strcmp(mode, "late"))
        late();
    else if (!strcmp(mode, "receivers"))
        receivers();
    else if (!strcmp(mode, "regions"))
        regions();
    else if (!strcmp(mode, "moving"))
        moving();
    else if (!strcmp(mode, "fork"))
        forks();
    else if (!strcmp(mode, "spawn"))
        spawn(argv[0]);
    else if (!strcmp(mode, "child"))
        child();
    else if (!strcmp(mode, "fence"))
        fence();
    else if (!strcmp(mode, "awaited"))
        awaited();
    else if (!strcmp(mode, "file"))
        file();
    else if (!strcmp(mode, "many"))
        many();
    else if (!strcmp(mode, "late-end") || !strcmp(mode, "after"))
        libprof_cost(100);
    else if (!strcmp(mode, "among"))
        among();
    else if (!strcmp(mode, "alone"))
        libprof_cost(100 * (rank + 1));
    else
        chain();
    if (rank == size - 1) {
        if (!strcmp(mode, "abort"))
            MPI_Abort(WORLD, 7);
        if (!strcmp(mode, "kill"))
            raise(SIGKILL);
        if (!strcmp(mode, "leave"))
            exit(0);
    }
    MPI_Finalize();
    if (!strcmp(mode, "late-end") && rank == 1)
        sleep(13);
    if (!strcmp(mode, "after") && rank)
        libprof_cost(2000 / (rank + 1));
    if (rank == 0)
        printf("done\n");
    return 0;
}
