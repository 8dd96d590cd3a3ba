/* barrier.c - tasks that only a barrier, or the end of their region, waits for. */
#include "cases.h"

/* Every thread i spends 5 + i and makes three tasks; they are joined by a barrier only. */
CASE(barrier)
static void barrier_run(void)
{
#pragma omp parallel
    {
        int i = omp_get_thread_num();
        cost(5 + i);
        for (int j = 0; j < 3; j++)
#pragma omp task firstprivate(i, j)
            cost(10 * (i + 1) + j);
        cost(1);
#pragma omp barrier
        cost(7);
    }
}
static void barrier_expect(void)
{
    long w = 0;
    m_fork(P);
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(5 + i);
        for (int j = 0; j < 3; j++) {
            m_task(0);
            m_cost(10 * (i + 1) + j);
            m_end();
        }
        m_cost(1);
        w += 5 + i + 30 * (i + 1) + 3 + 1 + 7;
    }
    m_barrier();
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(7);
    }
    m_join();
    closed(w, 5 + (P - 1) + 10 * P + 2 + 7);
}

/* The same, by the end of the region only. */
CASE(region_end)
static void region_end_run(void)
{
#pragma omp parallel
    {
        int i = omp_get_thread_num();
        cost(5 + i);
#pragma omp task firstprivate(i)
        cost(100 - i);
        cost(20);
    }
    cost(2);
}
static void region_end_expect(void)
{
    long w = 2;
    m_fork(P);
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(5 + i);
        m_task(0);
        m_cost(100 - i);
        m_end();
        m_cost(20);
        w += 125;
    }
    m_join();
    m_cost(2);
    closed(w, 105 + 2);
}

/* Tasks of two epochs: those of the first must not reach over the barrier, those of the second
 * start after it. */
CASE(epochs)
static void epochs_run(void)
{
#pragma omp parallel
    {
#pragma omp single nowait
        for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(i)
            cost(10 + i);
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(i)
            cost(30 - i);
#pragma omp single
#pragma omp task
        {
#pragma omp task
            cost(40);
            cost(1);
        }
        cost(3);
    }
}
static void epochs_expect(void)
{
    m_fork(P);
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(10 + i);
        m_end();
    }
    m_barrier();
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(30 - i);
        m_end();
    }
    m_barrier();
    m_task(0);
    m_task(0);
    m_cost(40);
    m_end();
    m_cost(1);
    m_end();
    m_barrier();
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(3);
    }
    m_join();
    closed(145 + 255 + 41 + 3 * P, 19 + 30 + 40 + 3);
}
