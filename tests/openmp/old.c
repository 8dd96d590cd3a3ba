/* old.c - what gcc before 4.9 made of regions: a call that starts the other threads, the body called by the function that made
 * it, and a call that ends the region. Nobody compiles to these any more, so they are called here as that gcc did.
 */
#include <stdbool.h>
#include "cases.h"

void GOMP_parallel_start(void (*body)(void *), void *data, unsigned threads);
void GOMP_parallel_loop_static_start(void (*body)(void *), void *data, unsigned threads, long start, long end, long step, long chunk);
void GOMP_parallel_loop_dynamic_start(void (*body)(void *), void *data, unsigned threads, long start, long end, long step, long chunk);
void GOMP_parallel_loop_guided_start(void (*body)(void *), void *data, unsigned threads, long start, long end, long step, long chunk);
void GOMP_parallel_loop_runtime_start(void (*body)(void *), void *data, unsigned threads, long start, long end, long step);
void GOMP_parallel_sections_start(void (*body)(void *), void *data, unsigned threads, unsigned count);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *first, long *last);
bool GOMP_loop_dynamic_next(long *first, long *last);
bool GOMP_loop_guided_next(long *first, long *last);
bool GOMP_loop_runtime_next(long *first, long *last);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

enum { TEAM = 4, N = 40 };

static long sum(long from, long to) { return (to - from) * (from + to - 1) / 2; }   /* of i in [from, to) */

static __attribute__((noinline)) void old_parallel(void (*body)(void *), void *data, unsigned threads)
{
    GOMP_parallel_start(body, data, threads);
    body(data);
    GOMP_parallel_end();
}

/* ---- regions: of all threads, of one, with a barrier and tasks, nested ---- */

struct share {
    long base;
    int threads, sum;
};

static void region_body(void *p)
{
    struct share *s = p;
    int i = omp_get_thread_num();
    check(omp_in_parallel() == (omp_get_num_threads() > 1) && omp_get_num_threads() == s->threads);
    __atomic_fetch_add(&s->sum, i + 1, __ATOMIC_RELAXED);
    cost(s->base + i);
#pragma omp barrier
    cost(2);
}
static void old_region_run(void)
{
    int threads[3] = { P, 1, TEAM };
    for (int r = 0; r < 3; r++) {
        struct share s = { 10 * (r + 1), threads[r], 0 };
        cost(1);
        old_parallel(region_body, &s, r ? threads[r] : 0);
        check(s.sum == threads[r] * (threads[r] + 1) / 2);
    }
}
static void old_region_expect(void)
{
    int threads[3] = { P, 1, TEAM };
    long w = 0, s = 0;
    for (int r = 0; r < 3; r++) {
        m_cost(1);
        m_fork(threads[r]);
        for (int i = 0; i < threads[r]; i++) {
            m_thread(i);
            m_cost(10 * (r + 1) + i);
        }
        m_barrier();
        for (int i = 0; i < threads[r]; i++) {
            m_thread(i);
            m_cost(2);
        }
        m_join();
        w += 1 + threads[r] * (10 * (r + 1) + 2) + sum(0, threads[r]);
        s += 1 + 10 * (r + 1) + threads[r] - 1 + 2;
    }
    closed(w, s);
}

static void tasks_body(void *p)
{
    int i = omp_get_thread_num();
    cost(1 + i);
    for (int k = 0; k < 3; k++)
#pragma omp task firstprivate(k, i)
    {
        cost(10 * k + i);
#pragma omp task firstprivate(k)
        cost(5 + k);
    }
#pragma omp taskwait
    cost(2);
}
static void old_tasks_run(void)
{
    old_parallel(tasks_body, 0, TEAM);
    cost(6);
}
static void old_tasks_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(1 + i);
        for (int k = 0; k < 3; k++) {
            m_task(0);
            m_cost(10 * k + i);
            m_task(0);
            m_cost(5 + k);
            m_end();
            m_end();
        }
        m_taskwait();
        m_cost(2);
    }
    m_join();
    m_cost(6);
    /* thread 3: 4, the task with 23 in it, and what that one made, 7, or 2 */
    closed(10 + 4 * 30 + 3 * 6 + 4 * 18 + 8 + 6, 4 + 23 + 7 + 6);
}

static void inner_body(void *p)
{
    cost(10 + 5 * omp_get_thread_num() + *(int *)p);
}
static void outer_body(void *p)
{
    int o = omp_get_thread_num();
    cost(1 + 4 * o);
    old_parallel(inner_body, &o, 3);
    cost(2);
#pragma omp parallel num_threads(2)
    cost(7);
    old_parallel(inner_body, &o, 1);
}
static void old_nested_run(void)
{
    omp_set_max_active_levels(2);
    old_parallel(outer_body, 0, 2);
}
static void old_nested_expect(void)
{
    m_fork(2);
    for (int o = 0; o < 2; o++) {
        m_thread(o);
        m_cost(1 + 4 * o);
        m_fork(3);
        for (int i = 0; i < 3; i++) {
            m_thread(i);
            m_cost(10 + 5 * i + o);
        }
        m_join();
        m_cost(2);
        m_fork(2);
        for (int i = 0; i < 2; i++) {
            m_thread(i);
            m_cost(7);
        }
        m_join();
        m_fork(1);
        m_cost(10 + o);
        m_join();
    }
    m_join();
    closed(6 + 45 + 48 + 4 + 28 + 21, 5 + 21 + 2 + 7 + 11);
}

/* ---- loops and sections that come with their region ---- */

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

#define C(NAME) { #NAME, NAME##_run, NAME##_expect }
const struct omp_case old_cases[] = {
    C(old_region), C(old_tasks), C(old_nested), C(old_loop_static), C(old_loop_dynamic), C(old_loop_guided), C(old_sections), { 0 },
};
