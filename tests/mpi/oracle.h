/* oracle.h - what libprof must measure of a program of this folder, computed by the program itself.
 * Each rank keeps S, the length of the longest path that leads to its current point, and its work.
 * A message's payload is its sender's S. So a receive tells the oracle what it tells libprof.
 *
 * All ranks' spans are equal at the end, because MPI_Finalize takes the maximum. A wrong S of a
 * rank that is not the longest would not show. So every case runs once for each rank (or two of
 * many), and after each run another rank is watched: it costs WATCH, more than all else, and a
 * barrier follows. The span is then the sum of what all the watched ranks had.
 *
 * Where the rules give a maximum and no payload can carry it (a barrier, a new communicator), the
 * oracle asks by an Allreduce that libprof does not see: that of the MPI library itself, which
 * dlsym finds there.
 */
#ifndef TESTS_MPI_ORACLE_H
#define TESTS_MPI_ORACLE_H

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/libprof.h"

#define UNUSED __attribute__((unused))
#define WORLD MPI_COMM_WORLD
#define S_TYPE MPI_INT64_T

enum { RANKS_MAX = 64 };
static const int64_t WATCH = (int64_t)1 << 32;  /* more than all costs of a run of a case */

static int64_t oracle_s, oracle_work;
static int64_t base UNUSED;     /* oracle_s where the run began, the same on all ranks */
static int rank, ranks;
static int watched UNUSED;      /* the rank that is watched after this run */
static int turn UNUSED;         /* the number of this run */
static const char *test_name;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            wrong(__FILE__, __LINE__, #condition, 0, 0);                                           \
    } while (0)
#define CHECK_EQUAL(got, expected)                                                                 \
    do {                                                                                           \
        int64_t got_ = (got), expected_ = (expected);                                              \
        if (got_ != expected_)                                                                     \
            wrong(__FILE__, __LINE__, #got " == " #expected, got_, expected_);                     \
    } while (0)

static void wrong(const char *file, int line, const char *what, int64_t got, int64_t expected)
{
    fprintf(stderr, "%s:%d: %s: rank %d of %d, run %d: not %s (%lld, %lld)\n", file, line,
            test_name ? test_name : "", rank, ranks, turn, what, (long long)got,
            (long long)expected);
    PMPI_Abort(MPI_COMM_WORLD, 3);
    _exit(3);
}

static UNUSED int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static UNUSED void cost(int64_t n)
{
    libprof_cost((uint64_t)n);
    oracle_s += n;
    oracle_work += n;
}

/* S = max(S, the message's) */
static UNUSED void take(int64_t s)
{
    oracle_s = larger(oracle_s, s);
}

static UNUSED int64_t now(void)
{
    return oracle_s - base;
}

/* Step STEP of rank R costs this, in this run: all ranks know all costs. */
static UNUSED int64_t cost_of(int r, int step)
{
    uint64_t x = ((uint64_t)(watched + 1) << 40) + ((uint64_t)(r + 1) << 20) + (uint64_t)step;

    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return 1 + (int64_t)((x ^ x >> 32) % 1000);
}

static UNUSED void step(int n)
{
    cost(cost_of(rank, n));
}

/* The maximum over COMM of S, by a call that libprof does not see. */
static UNUSED int64_t hidden_maximum(MPI_Comm comm)
{
#ifdef OPEN_MPI
    static const char library[] = "libmpi.so.40";
#else
    static const char library[] = "libmpich.so.12";
#endif
    static int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int64_t s = oracle_s;

    if (!reduce) {
        void *mpi = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
        *(void **)&reduce = mpi ? dlsym(mpi, "MPI_Allreduce") : NULL;
        if (!reduce) {
            fprintf(stderr, "no MPI_Allreduce in %s\n", library);
            PMPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    reduce(&oracle_s, &s, 1, S_TYPE, MPI_MAX, comm);
    return s;
}

/* The maximum over COMM of S, where no payload carries it. */
static UNUSED void take_maximum(MPI_Comm comm)
{
    take(hidden_maximum(comm));
}

static UNUSED void barrier(MPI_Comm comm)
{
    take_maximum(comm);
    MPI_Barrier(comm);
}

static UNUSED void send_s(int to, int tag, MPI_Comm comm)
{
    int64_t s = oracle_s;

    MPI_Send(&s, 1, S_TYPE, to, tag, comm);
}

/* Receives, and returns the message's S. */
static UNUSED int64_t recv_s(int from, int tag, MPI_Comm comm)
{
    int64_t s = -1;

    MPI_Recv(&s, 1, S_TYPE, from, tag, comm, MPI_STATUS_IGNORE);
    take(s);
    return s;
}

static UNUSED void start_ranks(int *argc, char ***argv, int level)
{
    int provided;

    if (level < 0)
        MPI_Init(argc, argv);
    else {
        MPI_Init_thread(argc, argv, level, &provided);
        if (provided < level) {
            printf("skip: this MPI has threads of level %d, not %d\n", provided, level);
            MPI_Finalize();
            exit(0);
        }
    }
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &ranks);
    CHECK(ranks <= RANKS_MAX);
}

/* MPI_Finalize takes the maximum; then the line that check.sh compares with the profile. AFTER is
 * the cost after MPI_Finalize. */
static UNUSED int end_ranks(int64_t after)
{
    take_maximum(WORLD);
    MPI_Finalize();
    cost(after);
    printf("rank %d pid %d work %lld span %lld\n", rank, (int)getpid(), (long long)oracle_work,
           (long long)oracle_s);
    return fflush(stdout) ? 1 : 0;
}

struct test {
    const char *name;
    void (*run)(void);
};
#define TEST(name) { #name, name }

/* Runs a case once for each watched rank: all of them, or two of many, which differ by the case. */
static UNUSED void run_test(const struct test *t, int number)
{
    int turns = ranks <= 4 ? ranks : 2;

    for (turn = 0; turn < turns; turn++) {
        watched = (number + turn * ranks / turns) % ranks;
        base = oracle_s;
        t->run();
        CHECK(oracle_s - base < WATCH);
        if (rank == watched)
            cost(WATCH);
        barrier(WORLD);
    }
}

/* PROGRAM --list, or PROGRAM CASE..., or PROGRAM for all cases, one after the other. */
static UNUSED int run_tests(int argc, char **argv, const struct test *tests)
{
    int i;

    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (i = 0; tests[i].name; i++)
            puts(tests[i].name);
        return 0;
    }
    start_ranks(&argc, &argv, -1);
    for (i = 0; tests[i].name; i++)
        for (int k = argc < 2 ? 0 : 1; k < argc || k == 0; k++)
            if (k == 0 || !strcmp(argv[k], tests[i].name)) {
                test_name = tests[i].name;
                run_test(&tests[i], i);
            }
    if (!test_name) {
        fprintf(stderr, "%s: no such case\n", argv[0]);
        MPI_Abort(WORLD, 2);
    }
    return end_ranks(0);
}

#endif
