/* hybrid.c - MPI among ranks, OpenMP or pthreads within them. Known answers: each thread keeps an S
 * of its own from where it begins, and a join takes the maximum, as for a rank alone.
 *   hybrid --list | CASE
 */
#include "oracle.h"

#include <omp.h>
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 4 };

static int next(void)
{
    return (rank + 1) % ranks;
}

static int previous(void)
{
    return (rank + ranks - 1) % ranks;
}

/* Thread T of this rank in round I. */
static int64_t thread_cost(int i, int t)
{
    return cost_of(rank, 10 * i + t);
}

/* The joined threads: MOST is the largest of their S. */
static void joined(int64_t most, int i)
{
    take(most);
    for (int t = 0; t < THREADS; t++)
        oracle_work += thread_cost(i, t);
}

/* Round the ring, in the main thread. */
static void exchange(void)
{
    int64_t out = oracle_s, in = -1;

    MPI_Sendrecv(&out, 1, S_TYPE, next(), 1, &in, 1, S_TYPE, previous(), 1, WORLD,
                 MPI_STATUS_IGNORE);
    take(in);
}

/* Loops between exchanges. */
static void loops(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int64_t most = 0;

#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
        for (int t = 0; t < THREADS; t++)
            libprof_cost((uint64_t)thread_cost(i, t));
        for (int t = 0; t < THREADS; t++)
            most = larger(most, thread_cost(i, t));
        joined(oracle_s + most, i);
        cost(i);
        exchange();
    }
}

/* The master exchanges inside a parallel region, between two barriers: what it takes reaches the
 * other threads at the second barrier. */
static void inside(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int64_t most = 0, in = -1, out, last = 0;

        for (int t = 0; t < THREADS; t++)
            most = larger(most, thread_cost(i, t));
        out = oracle_s + most;
#pragma omp parallel num_threads(THREADS)
        {
            libprof_cost((uint64_t)thread_cost(i, omp_get_thread_num()));
#pragma omp barrier
#pragma omp master
            {
                MPI_Request request;

                MPI_Isend(&out, 1, S_TYPE, next(), 1, WORLD, &request);
                MPI_Recv(&in, 1, S_TYPE, previous(), 1, WORLD, MPI_STATUS_IGNORE);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
#pragma omp barrier
            libprof_cost((uint64_t)(1 + 10 * omp_get_thread_num()));
        }
        joined(out, i);
        take(in);
        for (int t = 0; t < THREADS; t++) {
            last = 1 + 10 * t;
            oracle_work += last;
        }
        oracle_s += last;
    }
}

/* Each thread sends to the same thread of the next rank, with a tag of its own. */
static int64_t thread_exchange(int64_t s, int i, int t)
{
    int64_t in = -1;
    MPI_Request request;

    libprof_cost((uint64_t)thread_cost(i, t));
    s += thread_cost(i, t);
    MPI_Isend(&s, 1, S_TYPE, next(), 10 + t, WORLD, &request);
    MPI_Recv(&in, 1, S_TYPE, previous(), 10 + t, WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return larger(s, in);
}

static void threads_omp(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int64_t s[THREADS], most = 0;

#pragma omp parallel num_threads(THREADS)
        s[omp_get_thread_num()] = thread_exchange(oracle_s, i, omp_get_thread_num());
        for (int t = 0; t < THREADS; t++)
            most = larger(most, s[t]);
        joined(most, i);
        exchange();
    }
}

struct thread {
    pthread_t id;
    int64_t s;
    int i, t;
};

static void *thread_main(void *argument)
{
    struct thread *t = argument;

    t->s = thread_exchange(t->s, t->i, t->t);
    return NULL;
}

static void threads_posix(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct thread threads[THREADS];
        int64_t most = 0;

        for (int t = 0; t < THREADS; t++) {
            threads[t] = (struct thread){ .s = oracle_s, .i = i, .t = t };
            CHECK(!pthread_create(&threads[t].id, NULL, thread_main, &threads[t]));
            cost(3);    /* the next thread begins behind it */
        }
        exchange();     /* beside them */
        for (int t = 0; t < THREADS; t++) {
            pthread_join(threads[t].id, NULL);
            most = larger(most, threads[t].s);
        }
        joined(most, i);
    }
}

/* One thread starts requests, another one completes them: the join takes what came. */
static int64_t handed;
static MPI_Request requests[2];

static void *completes(void *argument)
{
    int64_t *s = argument;

    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    *s = larger(*s, handed);
    libprof_cost(7);
    *s += 7;
    return NULL;
}

static void handed_over(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        int64_t out, s;

        step(i);
        out = oracle_s;
        handed = -1;
        MPI_Irecv(&handed, 1, S_TYPE, previous(), 2, WORLD, &requests[0]);
        MPI_Isend(&out, 1, S_TYPE, next(), 2, WORLD, &requests[1]);
        s = oracle_s;
        CHECK(!pthread_create(&thread, NULL, completes, &s));
        cost(5);
        pthread_join(thread, NULL);
        oracle_work += 7;
        take(s);
    }
}

/* A thread of its own calls MPI, one thread at a time (MPI_THREAD_SERIALIZED). */
static void *collects(void *argument)
{
    int64_t *s = argument, m = -1;

    libprof_cost(11);
    *s += 11;
    MPI_Allreduce(s, &m, 1, S_TYPE, MPI_MAX, WORLD);
    *s = larger(*s, m);
    return NULL;
}

static void serialized(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        int64_t s;

        step(i);
        s = oracle_s;
        CHECK(!pthread_create(&thread, NULL, collects, &s));
        step(20 + i);
        pthread_join(thread, NULL);
        oracle_work += 11;
        take(s);
        exchange();
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        int level;
    } tests[] = {
        { "loops", loops, MPI_THREAD_FUNNELED }, { "inside", inside, MPI_THREAD_FUNNELED },
        { "threads_omp", threads_omp, MPI_THREAD_MULTIPLE },
        { "threads_posix", threads_posix, MPI_THREAD_MULTIPLE },
        { "handed_over", handed_over, MPI_THREAD_MULTIPLE },
        { "serialized", serialized, MPI_THREAD_SERIALIZED }
    };

    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (argc == 2 && !strcmp(argv[1], "--list"))
            puts(tests[i].name);
        else if (argc == 2 && !strcmp(argv[1], tests[i].name)) {
            struct test test = { tests[i].name, tests[i].run };

            test_name = test.name;
            start_ranks(&argc, &argv, tests[i].level);
            run_test(&test, (int)i);
            return end_ranks(0);
        }
    return argc == 2 && !strcmp(argv[1], "--list") ? 0 : 2;
}
