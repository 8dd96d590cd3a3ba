/* loop_dynamic.c - loops that are handed out, dynamic and guided: their chunks are strands
 * beside each other. */
#include "loop.h"

CASE(loop_dynamic)
static void loop_dynamic_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(3);
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < N; i++)
            cost(i);
        cost(2);
#pragma omp for schedule(dynamic)
        for (unsigned long long i = 0; i < N; i++)
            cost(i);
        cost(1);
    }
#pragma omp parallel for schedule(dynamic, 7) num_threads(TEAM)
    for (long i = 0; i < N; i++)
        cost(i);
}
static void loop_dynamic_expect(void)
{
    m_fork(TEAM);
    m_all(3);
    m_dynamic(N, 4);
    m_barrier();
    m_all(2);
    m_dynamic(N, 1);
    m_barrier();
    m_all(1);
    m_join();
    m_fork(TEAM);
    m_dynamic(N, 7);
    m_join();
    closed(24 + 3 * sum(0, N), 3 + sum(44, 48) + 2 + 49 + 1 + sum(42, 49));
    handed((N + 3) / 4 + N + (N + 6) / 7, 3 * sum(0, N), sum(42, 49));
}

CASE(loop_dynamic_nowait)
static void loop_dynamic_nowait_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(4);
#pragma omp for schedule(dynamic, 5) nowait
        for (int i = 0; i < N; i++)
            cost(i);
        cost(6);
    }
    cost(1);
}
static void loop_dynamic_nowait_expect(void)
{
    m_fork(TEAM);
    m_all(4);
    m_dynamic(N, 5);
    m_all(6);
    m_join();
    m_cost(1);
    closed(40 + sum(0, N) + 1, 4 + sum(45, 50) + 6 + 1);
    handed(N / 5, sum(0, N), sum(45, 50));
}

CASE(loop_guided)
static void loop_guided_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(3);
#pragma omp for schedule(guided)
        for (int i = 0; i < 1000; i++)
            cost(guided_cost(i));
        cost(2);
#pragma omp for schedule(guided, 10)
        for (long i = 999; i >= 0; i--)
            cost(guided_cost(i));
        cost(1);
    }
}

static void loop_guided_expect(void)
{
    m_fork(TEAM);
    for (int l = 0; l < 2; l++) {
        m_all(3 - l);
        m_guided(0);
        m_barrier();
    }
    m_all(1);
    m_join();
    closed(24 + 480, 3 + 100 + 2 + 100 + 1);
}

/* Tasks of chunks are born where their chunk stands, and joined by the loop's barrier; collapsed
 * and backward loops. */
CASE(loop_tasks)
static void loop_tasks_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(1);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 12; i++) {
            cost(2);
#pragma omp task firstprivate(i)
            cost(10 + i);
            cost(3);
        }
        cost(4);
#pragma omp for schedule(dynamic, 2) collapse(2)
        for (int i = 3; i >= 0; i--)
            for (int j = 0; j < 4; j++)
                cost(10 * i + j);
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 4; i++) {
            cost(i);
#pragma omp task firstprivate(i)
            cost(20 - 2 * i);
        }
        cost(1);
    }
}
static void loop_tasks_expect(void)
{
    m_fork(TEAM);
    m_all(1);
    m_thread(0);
    for (int i = 0; i < 12; i++) {
        m_chunk();
        m_cost(2);
        m_task(0);
        m_cost(10 + i);
        m_end();
        m_cost(3);
        m_chunk_end();
    }
    m_chunks_end();
    m_barrier();
    m_all(4);
    m_thread(0);
    for (int i = 3; i >= 0; i--)
        for (int j = 0; j < 4; j += 2) {
            m_chunk();
            m_cost(20 * i + 2 * j + 1);
            m_chunk_end();
        }
    m_chunks_end();
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(i);
        m_task(0);
        m_cost(20 - 2 * i);
        m_end();
    }
    m_barrier();
    m_all(1);
    m_join();
    closed(4 + 24 + 186 + 36 + 16 + 264 + 6 + 68 + 4, 1 + 23 + 4 + 65 + 20 + 1);
}
