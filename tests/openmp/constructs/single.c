/* single.c - single and master. */
#include "cases.h"

CASE(single)
static void single_run(void)
{
#pragma omp parallel num_threads(4)
    {
        int v = 0;
        cost(5);
#pragma omp single copyprivate(v)
        {
            v = 42;
            cost(20);
        }
        check(v == 42);
        cost(omp_get_thread_num());
#pragma omp barrier
#pragma omp single
        cost(9);
#pragma omp single nowait
        cost(30);               /* one thread alone; the others go on */
        cost(4);
    }
}
static void single_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(5);
    }
    m_cost(20);
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(i);
    }
    m_barrier();
    m_cost(9);
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(i ? 4 : 34);
    }
    m_join();
    closed(20 + 20 + 6 + 9 + 30 + 16, 5 + 20 + 3 + 9 + 34);
}

/* master is thread 0, whose path is the short one; no barrier. */
CASE(master)
static void master_run(void)
{
#pragma omp parallel num_threads(4)
    {
        cost(10 * omp_get_thread_num());
#pragma omp master
        cost(25);
        cost(1);
#pragma omp barrier
#pragma omp master
        {
#pragma omp task
            cost(50);
            cost(2);
        }
        cost(3);
    }
}
static void master_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(10 * i);
        if (i == 0)
            m_cost(25);
        m_cost(1);
    }
    m_barrier();
    m_thread(0);
    m_task(0);
    m_cost(50);
    m_end();
    m_cost(2);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(3);
    }
    m_join();
    closed(60 + 25 + 4 + 52 + 12, 31 + 50);
}
