/* loop_static.c - static loops: thread t's chunks lie on t's path, one after the other. */
#include "loop.h"

CASE(loop_static)
static void loop_static_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(1);
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            check(omp_get_thread_num() == static_thread(i, 0));
            cost(i);
        }
        cost(2);
#pragma omp for schedule(static, 3)
        for (int i = 0; i < N; i++) {
            check(omp_get_thread_num() == static_thread(i, 3));
            cost(i);
        }
    }
#pragma omp parallel for num_threads(TEAM)
    for (long i = 0; i < N; i++)
        cost(i);
}
static void loop_static_expect(void)
{
    m_fork(TEAM);
    m_all(1);
    m_static(0);
    m_barrier();
    m_all(2);
    m_static(3);
    m_barrier();
    m_join();
    m_fork(TEAM);
    m_static(0);
    m_join();
    /* blocks: [38, 50); in turn: thread 3 has 9-11, 21-23, 33-35, 45-47 */
    closed(4 + 8 + 3 * sum(0, N), 1 + sum(38, 50) + 2 + 3 * (10 + 22 + 34 + 46) + sum(38, 50));
}

/* nowait: a thread's parts of both loops are one path. */
CASE(loop_static_nowait)
static void loop_static_nowait_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
            cost(i);
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
            cost(N - i);
        cost(omp_get_thread_num());
    }
}
static void loop_static_nowait_expect(void)
{
    m_fork(TEAM);
    m_static(0);
    for (int i = 0; i < N; i++) {
        m_thread(static_thread(i, 0));
        m_cost(N - i);
    }
    for (int t = 0; t < TEAM; t++) {
        m_thread(t);
        m_cost(t);
    }
    m_join();
    closed(N * N + 6, 13 * N + 1);
}
