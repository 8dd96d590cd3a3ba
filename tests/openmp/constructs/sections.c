/* sections.c - sections. The table in loop.h states what libprof decided about them. */
#include "cases.h"

/* As many sections as threads; in a region, and combined with it. */
CASE(sections)
static void sections_run(void)
{
#pragma omp parallel num_threads(4)
    {
        cost(2);
#pragma omp sections
        {
            cost(10);
#pragma omp section
            cost(40);
#pragma omp section
            cost(30);
#pragma omp section
            cost(20);
        }
        cost(5);
    }
#pragma omp parallel sections num_threads(3)
    {
        cost(7);
#pragma omp section
        cost(9);
#pragma omp section
        {
            cost(1);
#pragma omp task
            cost(30);
        }
    }
}
static void sections_expect(void)
{
    static const long c[4] = { 10, 40, 30, 20 };
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(2 + c[i]);
    }
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(5);
    }
    m_join();
    m_fork(3);
    m_cost(7);
    m_thread(1);
    m_cost(9);
    m_thread(2);
    m_cost(1);
    m_task(0);
    m_cost(30);
    m_end();
    m_join();
    closed(8 + 100 + 20 + 47, 2 + 40 + 5 + 31);
}

/* Each goes on after its taskgroup. */
CASE(sections_group)
static void sections_group_run(void)
{
#pragma omp parallel sections num_threads(2)
    {
        {
#pragma omp taskgroup
            {
#pragma omp task
                cost(30);
#pragma omp task
                {
                    cost(10);
#pragma omp task
                    cost(25);
                }
            }
            cost(5);
        }
#pragma omp section
        {
            cost(3);
#pragma omp taskgroup
            {
#pragma omp task
                cost(10);
            }
            cost(9);
        }
    }
}
static void sections_group_expect(void)
{
    m_fork(2);
    m_group();
    m_task(0);
    m_cost(30);
    m_end();
    m_task(0);
    m_cost(10);
    m_task(0);
    m_cost(25);
    m_end();
    m_end();
    m_group_end();
    m_cost(5);
    m_thread(1);
    m_cost(3);
    m_group();
    m_task(0);
    m_cost(10);
    m_end();
    m_group_end();
    m_cost(9);
    m_join();
    closed(70 + 22, 40);
}

/* Six sections for two threads: the table above. */
CASE(sections_more)
static void sections_more_run(void)
{
#pragma omp parallel num_threads(2)
    {
        cost(2);
#pragma omp sections
        {
            cost(10);
#pragma omp section
            cost(20);
#pragma omp section
            cost(30);
#pragma omp section
            cost(40);
#pragma omp section
            cost(50);
#pragma omp section
            cost(60);
        }
        cost(1);
    }
}
static void sections_more_expect(void)
{
    m_fork(2);
    for (int i = 0; i < 2; i++) {
        m_thread(i);
        m_cost(2);
    }
    for (int s = 0; s < 6; s++) {
        m_thread(LIBOMP ? s / 3 : 0);
        if (!LIBOMP)
            m_chunk();
        m_cost(10 * (s + 1));
        if (!LIBOMP)
            m_chunk_end();
    }
    if (!LIBOMP)
        m_chunks_end();
    m_barrier();
    for (int i = 0; i < 2; i++) {
        m_thread(i);
        m_cost(1);
    }
    m_join();
    closed(4 + 210 + 2, 2 + (LIBOMP ? 150 : 60) + 1);
}
