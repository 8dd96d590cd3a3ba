/* old_loop.c - loops and sections that come with their region, as gcc before 4.9 made them. No
 * compiler makes this code any more, so the cases call the functions as that gcc did.
 */
#include <stdbool.h>
#include "cases.h"

void GOMP_parallel_loop_static_start(void (*body)(void *), void *data, unsigned threads, long start,
                                     long end, long step, long chunk);
void GOMP_parallel_loop_dynamic_start(void (*body)(void *), void *data, unsigned threads,
                                      long start, long end, long step, long chunk);
void GOMP_parallel_loop_guided_start(void (*body)(void *), void *data, unsigned threads, long start,
                                     long end, long step, long chunk);
void GOMP_parallel_loop_runtime_start(void (*body)(void *), void *data, unsigned threads,
                                      long start, long end, long step);
void GOMP_parallel_sections_start(void (*body)(void *), void *data, unsigned threads,
                                  unsigned count);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *first, long *last);
bool GOMP_loop_dynamic_next(long *first, long *last);
bool GOMP_loop_guided_next(long *first, long *last);
bool GOMP_loop_runtime_next(long *first, long *last);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

enum { N = 40 };

#define LOOP_BODY(name, next)                                                                   \
    static void name(void *p)                                                                   \
    {                                                                                           \
        long first, last;                                                                       \
        while (next(&first, &last))                                                             \
            for (long i = first; i < last; i++)                                                 \
                cost(i);                                                                        \
        GOMP_loop_end_nowait();                                                                 \
        cost(3);                                                                                \
    }
LOOP_BODY(static_body, GOMP_loop_static_next)
LOOP_BODY(dynamic_body, GOMP_loop_dynamic_next)
LOOP_BODY(runtime_body, GOMP_loop_runtime_next)

/* The first chunk is a fourth of all on libgomp, half of that on libomp. */
static long guided_cost(long i) { return i == 0 ? 100 : i == 500 ? 80 : i == 999 ? 60 : 0; }
static void guided_body(void *p)
{
    long first, last;
    while (GOMP_loop_guided_next(&first, &last))
        for (long i = first; i < last; i++)
            cost(guided_cost(i));
    GOMP_loop_end_nowait();
}

static void m_loop(int chunk, bool dynamic)
{
    m_fork(TEAM);
    if (dynamic)
        m_thread(0);
    for (int i = 0; i < N; i++) {
        if (!dynamic)
            m_thread(i / chunk % TEAM);
        else if (i % chunk == 0)
            m_chunk();
        m_cost(i);
        if (dynamic && ((i + 1) % chunk == 0 || i + 1 == N))
            m_chunk_end();
    }
    if (dynamic)
        m_chunks_end();
    for (int t = 0; t < TEAM; t++) {
        m_thread(t);
        m_cost(3);
    }
    m_join();
}

/* One chunk a thread: libomp has no others here. */
CASE(old_loop_static)
static void old_loop_static_run(void)
{
    GOMP_parallel_loop_static_start(static_body, 0, TEAM, 0, N, 1, N / TEAM);
    static_body(0);
    GOMP_parallel_end();
    omp_set_schedule(omp_sched_static, 0);
    GOMP_parallel_loop_runtime_start(runtime_body, 0, TEAM, 0, N, 1);
    runtime_body(0);
    GOMP_parallel_end();
}
static void old_loop_static_expect(void)
{
    m_loop(N / TEAM, false);
    m_loop(N / TEAM, false);
    closed(2 * (sum(0, N) + 3 * TEAM), 2 * (sum(30, 40) + 3));
}

CASE(old_loop_dynamic)
static void old_loop_dynamic_run(void)
{
    GOMP_parallel_loop_dynamic_start(dynamic_body, 0, TEAM, 0, N, 1, 4);
    dynamic_body(0);
    GOMP_parallel_end();
    cost(1);
    omp_set_schedule(omp_sched_dynamic, 7);
    GOMP_parallel_loop_runtime_start(runtime_body, 0, TEAM, 0, N, 1);
    runtime_body(0);
    GOMP_parallel_end();
}
static void old_loop_dynamic_expect(void)
{
    m_loop(4, true);
    m_cost(1);
    m_loop(7, true);
    closed(2 * (sum(0, N) + 3 * TEAM) + 1, sum(36, 40) + 3 + 1 + sum(28, 35) + 3);
}

CASE(old_loop_guided)
static void old_loop_guided_run(void)
{
    GOMP_parallel_loop_guided_start(guided_body, 0, TEAM, 0, 1000, 1, 1);
    guided_body(0);
    GOMP_parallel_end();
}
static void old_loop_guided_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 1000; i += 1)
        if (guided_cost(i)) {
            m_chunk();
            m_cost(guided_cost(i));
            m_chunk_end();
        }
    m_chunks_end();
    m_join();
    closed(240, 100);
}

static void sections_body(void *p)
{
    for (unsigned s; (s = GOMP_sections_next());)
        cost(10 * s);
    GOMP_sections_end_nowait();
}
CASE(old_sections)
static void old_sections_run(void)
{
    GOMP_parallel_sections_start(sections_body, 0, TEAM, 6);
    sections_body(0);
    GOMP_parallel_end();
}
static void old_sections_expect(void)
{
    m_fork(TEAM);
    for (int s = 1; s <= 6; s++) {
        m_chunk();
        m_cost(10 * s);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(210, 60);
}
