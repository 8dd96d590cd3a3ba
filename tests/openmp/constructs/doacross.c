/* doacross.c - ordered(n): depend(sink) and depend(source). */
#include "loop.h"
#include "ordered.h"

/* depend(sink) and depend(source): iteration i after i - 1 and i - 2 have posted. */
CASE(doacross)
static void doacross_run(void)
{
    static int done[STEPS];
    for (int i = 0; i < STEPS; i++)
        done[i] = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < STEPS; i++) {
            cost(10 + i % 3);
#pragma omp ordered depend(sink : i - 1) depend(sink : i - 2)
            check((i < 1 || done[i - 1]) && (i < 2 || done[i - 2]));
            cost(2);
            done[i] = 1;
#pragma omp ordered depend(source)
            cost(2);
        }
        cost(1);
    }
}
static void doacross_expect(void) { m_ordered(0); }

/* A chain: iteration i after i - D has posted; it costs 10 + i % 3 before that, 2 until it
 * posts, 5 after. With D chains beside each other, threads wait for what was posted longer ago. */
enum { LINKS = 150 };
#define CHAIN(NAME, THREADS, SCHEDULE, D, TYPE)                                                 \
    CASE(NAME)                                                                                  \
    static void NAME##_run(void)                                                                \
    {                                                                                           \
        static int done[LINKS];                                                                 \
        for (int i = 0; i < LINKS; i++)                                                         \
            done[i] = 0;                                                                        \
        PRAGMA(omp parallel num_threads(THREADS))                                               \
        {                                                                                       \
            cost(3);                                                                            \
            PRAGMA(omp for ordered(1) SCHEDULE)                                                 \
            /* gcc's code waits for ever where j - D wraps */                                   \
            for (TYPE j = D; j < LINKS + D; j++) {                                              \
                int i = j - D;                                                                  \
                cost(10 + i % 3);                                                               \
                PRAGMA(omp ordered depend(sink : j - D))                                        \
                check(i < D || done[i - D]);                                                    \
                cost(2);                                                                        \
                done[i] = 1;                                                                    \
                PRAGMA(omp ordered depend(source))                                              \
                cost(5);                                                                        \
            }                                                                                   \
            cost(1);                                                                            \
        }                                                                                       \
    }

/* THREAD_OF: by whom i is done; -1: a chunk of its own begins with it, -2: it goes on with the
 * chunk of i - 1. */
static void chain(int threads, int distance, int (*thread_of)(int i, int threads))
{
    /* on the model; by the formula */
    long posted[LINKS], done[LINKS], *t = calloc(threads, sizeof *t), at = 0, end = 0;
    m_fork(threads);
    for (int i = 0; i < threads; i++) {
        m_thread(i);
        m_cost(3);
        t[i] = 3;
    }
    for (int i = 0, chunks = 0; i < LINKS; i++) {
        int thread = thread_of(i, threads);
        if (thread != -2 && chunks)
            m_chunk_end();
        m_thread(thread < 0 ? 0 : thread);
        if (thread == -1) {
            m_chunk();
            chunks = 1;
            at = 3;
        } else if (thread >= 0) {
            at = t[thread];
        }
        m_cost(10 + i % 3);
        at += 10 + i % 3;
        if (i >= distance) {
            m_after(posted[i - distance]);
            at = larger(at, done[i - distance]);
        }
        m_cost(2);
        posted[i] = m_now();
        done[i] = at + 2;
        m_cost(5);
        at += 7;
        end = larger(end, at);
        if (thread >= 0)
            t[thread] = at;
        if (i == LINKS - 1 && chunks) {
            m_chunk_end();
            m_chunks_end();
        }
    }
    m_barrier();
    for (int i = 0; i < threads; i++) {
        m_thread(i);
        m_cost(1);
    }
    m_join();
    free(t);
    closed(LINKS * 18 + 4 * threads, end + 1);
}
static int in_turn(int i, int threads) { return i % threads; }
static int in_blocks(int i, int threads)
{
    int part = LINKS / threads, more = LINKS % threads;
    return i < more * (part + 1) ? i / (part + 1) : more + (i - more * (part + 1)) / part;
}
static int in_pairs(int i, int threads) { return i / 2 % threads; }
static int each(int i, int threads) { return -1; }
static int by_three(int i, int threads) { return i % 3 ? -2 : -1; }
CHAIN(doacross_1, P, schedule(static, 1), 1, int)
CHAIN(doacross_2, P, schedule(static, 1), 2, long)
CHAIN(doacross_block, P, schedule(static), 1, long)
CHAIN(doacross_pairs, P, schedule(static, 2), 3, unsigned long long)
CHAIN(doacross_dynamic_1, TEAM, schedule(dynamic), 1, int)
CHAIN(doacross_dynamic_2, TEAM, schedule(dynamic, 1), 2, unsigned long long)
CHAIN(doacross_dynamic_chunks, TEAM, schedule(dynamic, 3), 7, int)
static void doacross_1_expect(void) { chain(P, 1, in_turn); }
static void doacross_2_expect(void) { chain(P, 2, in_turn); }
static void doacross_block_expect(void) { chain(P, 1, in_blocks); }
static void doacross_pairs_expect(void) { chain(P, 3, in_pairs); }
static void doacross_dynamic_1_expect(void) { chain(TEAM, 1, each); }
static void doacross_dynamic_2_expect(void) { chain(TEAM, 2, each); }
static void doacross_dynamic_chunks_expect(void) { chain(TEAM, 7, by_three); }

/* A wavefront, in steps of two (clang's code waits for ever for a sink at j + 1): a row is one
 * thread's, or a chunk. Twice; nobody waits in between where the schedule is static. */
enum { ROWS = 12, COLUMNS = 70 };
static long cell(int i, int j) { return 1 + (7 * i + 3 * j) % 5; }
#define WAVE(NAME, THREADS, CLAUSES)                                                            \
    CASE(NAME)                                                                                  \
    static void NAME##_run(void)                                                                \
    {                                                                                           \
        PRAGMA(omp parallel num_threads(THREADS))                                               \
        for (int twice = 0; twice < 2; twice++) {                                               \
            PRAGMA(omp for ordered(2) CLAUSES)                                                  \
            for (int i = 2; i <= 2 * ROWS; i += 2)                                              \
                for (int j = 0; j < COLUMNS; j++) {                                             \
                    PRAGMA(omp ordered depend(sink : i - 2, j) depend(sink : i, j - 1)          \
                               depend(sink : i - 2, j - 1))                                     \
                    cost(cell(i, j));                                                           \
                    PRAGMA(omp ordered depend(source))                                          \
                }                                                                               \
        }                                                                                       \
    }
static void wave(int threads, int chunks)
{
    static long m[ROWS][COLUMNS], c[ROWS][COLUMNS];
    long *t = calloc(threads, sizeof *t), work = 0, begin = 0, end = 0;
    m_fork(threads);
    for (int twice = 0; twice < 2; twice++, begin = end) {
        for (int row = 0; row < ROWS; row++) {
            int thread = chunks ? 0 : row % threads, i = 2 * (row + 1);
            long at = chunks ? begin : t[thread];
            m_thread(thread);
            if (chunks)
                m_chunk();
            for (int j = 0; j < COLUMNS; j++) {
                if (row) {
                    m_after(m[row - 1][j]);
                    at = larger(at, c[row - 1][j]);
                    if (j) {
                        m_after(m[row - 1][j - 1]);
                        at = larger(at, c[row - 1][j - 1]);
                    }
                }
                m_cost(cell(i, j));
                work += cell(i, j);
                m[row][j] = m_now();
                c[row][j] = at += cell(i, j);
            }
            if (chunks)
                m_chunk_end();
            else
                t[thread] = at;
            end = larger(end, at);
        }
        if (chunks) {
            m_chunks_end();
            m_barrier();
        }
    }
    m_join();
    free(t);
    closed(work, end);
}
WAVE(doacross_wave, P, schedule(static, 1) nowait)
WAVE(doacross_wave_dynamic, TEAM, schedule(dynamic, 1))
static void doacross_wave_expect(void) { wave(P, 0); }
static void doacross_wave_dynamic_expect(void) { wave(TEAM, 1); }
