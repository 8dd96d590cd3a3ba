/* ordered.c - ordered blocks in loops: a block begins no earlier than the one before it ended. */
#include "loop.h"
#include "ordered.h"

#define ORDERED_EDGES 1  /* 0 expects a profiler that leaves these edges out */

static void ordered_part(int i, int *next)
{
#pragma omp ordered
    {
        check((*next)++ == i);
        cost(2);
    }
    cost(2);
}

CASE(ordered_static)
static void ordered_static_run(void)
{
    int next = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < STEPS; i++) {
            cost(10 + i % 3);
            ordered_part(i, &next);
        }
        cost(1);
    }
}

CASE(ordered_dynamic)
static void ordered_dynamic_run(void)
{
    int next = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered schedule(dynamic, 1)
        for (int i = 0; i < STEPS; i++) {
            cost(10 + i % 3);
            ordered_part(i, &next);
        }
        cost(1);
    }
}

static long ordered_span(int chunks)
{
    long t[TEAM] = { 0 }, done = 0, end = 0;
    for (int i = 0; i < STEPS; i++) {
        long at = (chunks ? 0 : t[i % TEAM]) + 10 + i % 3;
        if (ORDERED_EDGES)
            at = larger(at, done);
        done = at + 2;
        t[i % TEAM] = done + 2;
        end = larger(end, t[i % TEAM]);
    }
    return end + 1;
}
void m_ordered(int chunks)
{
    long done = 0;
    m_fork(TEAM);
    for (int i = 0; i < STEPS; i++) {
        m_thread(chunks ? 0 : i % TEAM);
        if (chunks)
            m_chunk();
        m_cost(10 + i % 3);
        if (ORDERED_EDGES)
            m_after(done);
        m_cost(2);
        done = m_now();
        m_cost(2);
        if (chunks)
            m_chunk_end();
    }
    if (chunks)
        m_chunks_end();
    m_barrier();
    m_all(1);
    m_join();
    closed(STEPS * 15 + TEAM, ordered_span(chunks));
}
static void ordered_static_expect(void) { m_ordered(0); }
static void ordered_dynamic_expect(void) { m_ordered(1); }

/* Two ordered loops at once: the first thread is in the second one while the other is in the
 * first. Their blocks have nothing to do with each other. */
CASE(ordered_two)
static void ordered_two_run(void)
{
    int first = 0, second = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered schedule(static, 1) nowait
        for (int i = 0; i < 2; i++) {
            cost(20 * i);
#pragma omp ordered
            {
                check(first++ == i);
                cost(30 * i);
            }
        }
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 2; i++) {
#pragma omp ordered
            {
                check(second++ == i);
                cost(40);
            }
        }
    }
}
static void ordered_two_expect(void)
{
    m_fork(2);
    m_thread(0);
    m_cost(40);
    long done = m_now();
    m_thread(1);
    m_cost(50);
    m_after(done);
    m_cost(40);
    m_join();
    closed(130, 90);
}

/* ordered_dynamic, with a task for what comes before the ordered block. */
CASE(chunk_ordered)
static void chunk_ordered_run(void)
{
    int next = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered schedule(dynamic, 1)
        for (int i = 0; i < STEPS; i++) {
#pragma omp taskgroup
            {
#pragma omp task firstprivate(i)
                cost(10 + i % 3);
            }
            ordered_part(i, &next);
        }
        cost(1);
    }
}
static void chunk_ordered_expect(void) { m_ordered(1); }
