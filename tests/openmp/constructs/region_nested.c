/* region_nested.c - regions in regions, in tasks, and in several threads of the program. */
#include <pthread.h>
#include "cases.h"

/* 2 x 2, unequal, with a barrier in the inner teams, tasks in them, and a barrier of the outer
 * one around them. */
CASE(nested_2x2)
static void nested_2x2_run(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int o = omp_get_thread_num();
        cost(1 + 4 * o);
#pragma omp parallel num_threads(2) firstprivate(o)
        {
            int i = omp_get_thread_num();
            check(omp_get_num_threads() == 2 && omp_get_level() == 2);
            cost(10 + o + 5 * i);
#pragma omp barrier
#pragma omp task firstprivate(i, o)
            cost(20 - 3 * i + o);
            cost(4 + i);
        }
        cost(3 - o);
#pragma omp barrier
        cost(7 + o);
    }
}
static void m_nested_2x2(int inner)
{
    m_fork(2);
    for (int o = 0; o < 2; o++) {
        m_thread(o);
        m_cost(1 + 4 * o);
        m_fork(inner);
        for (int i = 0; i < inner; i++) {
            m_thread(i);
            m_cost(10 + o + 5 * i);
        }
        m_barrier();
        for (int i = 0; i < inner; i++) {
            m_thread(i);
            m_task(0);
            m_cost(20 - 3 * i + o);
            m_end();
            m_cost(4 + i);
        }
        m_join();
        m_cost(3 - o);
    }
    m_barrier();
    for (int o = 0; o < 2; o++) {
        m_thread(o);
        m_cost(7 + o);
    }
    m_join();
}
static void nested_2x2_expect(void)
{
    m_nested_2x2(2);
    /* thread 1: 5 + (11 + 5) + 21 + 2, then 8; thread 0: 1 + 15 + 20 + 3 */
    closed(6 + 25 + 27 + 37 + 39 + 18 + 5 + 15, 44 + 8);
}

/* The same nesting where only one level is active: the inner teams are of one thread. */
CASE(nested_serial)
static void nested_serial_run(void)
{
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    {
        int o = omp_get_thread_num();
        cost(1 + 4 * o);
#pragma omp parallel num_threads(2) firstprivate(o)
        {
            int i = omp_get_thread_num();
            check(omp_get_num_threads() == 1);
            cost(10 + o + 5 * i);
#pragma omp barrier
#pragma omp task firstprivate(i, o)
            cost(20 - 3 * i + o);
            cost(4 + i);
        }
        cost(3 - o);
#pragma omp barrier
        cost(7 + o);
    }
}
static void nested_serial_expect(void)
{
    m_nested_2x2(1);
    closed(6 + 21 + 41 + 8 + 5 + 15, 5 + 11 + 21 + 2 + 8); /* the task beside the thread's 4 */
}

/* Regions in tasks, tasks in them, and tasks that a region's threads leave to its end. */
CASE(region_in_task)
static void region_in_task_body(void)
{
    for (int k = 0; k < 3; k++)
#pragma omp task firstprivate(k)
    {
        cost(5 + k);
#pragma omp parallel num_threads(2) firstprivate(k)
        {
            cost(10 * omp_get_thread_num());
#pragma omp task firstprivate(k)
            {
                cost(20);
#pragma omp task
                cost(k);
            }
        }
        cost(1);                /* 5 + k + 30 + k + 1 + ... */
    }
#pragma omp taskwait
    cost(2);
}
static void region_in_task_run(void)
{
    omp_set_max_active_levels(2);
    in_single(region_in_task_body);
}
static void region_in_task_model(void)
{
    for (int k = 0; k < 3; k++) {
        m_task(0);
        m_cost(5 + k);
        m_fork(2);
        for (int i = 0; i < 2; i++) {
            m_thread(i);
            m_cost(10 * i);
            m_task(0);
            m_cost(20);
            m_task(0);
            m_cost(k);
            m_end();
            m_end();
        }
        m_join();
        m_cost(1);
        m_end();
    }
    m_taskwait();
    m_cost(2);
}
static void region_in_task_expect(void)
{
    m_in_single(region_in_task_model);
    closed(18 + 30 + 120 + 6 + 3 + 2, 7 + 10 + 20 + 2 + 1 + 2);
}

/* Two threads of the program's own, each with teams. */
static void *root_thread(void *p)
{
    int r = *(int *)p;
    cost(1 + r);
#pragma omp parallel num_threads(2) firstprivate(r)
    {
        cost(10 * (r + 1) + omp_get_thread_num());
#pragma omp task firstprivate(r)
        cost(30 - r);
    }
    cost(5);
    return NULL;
}
CASE(two_roots)
static void two_roots_run(void)
{
    pthread_t t[2];
    int r[2] = { 0, 1 };
    for (int i = 0; i < 2; i++)
        check(pthread_create(&t[i], NULL, root_thread, &r[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    cost(1);
}
static void two_roots_expect(void)
{
    m_fork(2);
    for (int r = 0; r < 2; r++) {
        m_thread(r);
        m_cost(1 + r);
        m_fork(2);
        for (int i = 0; i < 2; i++) {
            m_thread(i);
            m_cost(10 * (r + 1) + i);
            m_task(0);
            m_cost(30 - r);
            m_end();
        }
        m_join();
        m_cost(5);
    }
    m_join();
    m_cost(1);
    closed(3 + 60 + 2 + 118 + 10 + 1, 2 + 21 + 29 + 5 + 1);
    tasks_unknown();            /* how the program's own threads count is not this suite's */
}
