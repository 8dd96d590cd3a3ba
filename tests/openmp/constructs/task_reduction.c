/* task_reduction.c - reductions in tasks: taskloops, taskgroups, regions. */
#include "taskloop.h"

CASE(reduction_loop)
static void reduction_loop_body(void)
{
    long s = 0, p = 0;
    cost(1);
#pragma omp taskloop reduction(+ : s) num_tasks(10)
    for (int i = 0; i < 100; i++) {
        s += i;
        cost(1 + i / 10);
    }
    check(s == 4950);
    cost(2);
#pragma omp taskgroup task_reduction(+ : p)
    {
#pragma omp taskloop in_reduction(+ : p) grainsize(10)
        for (int i = 0; i < 50; i++) {
            p += i;
            cost(2);
        }
#pragma omp task in_reduction(+ : p)
        {
            p += 1000;
            cost(30);
        }
    }
    check(p == 1225 + 1000);
    cost(3);
}
static void reduction_loop_model(void)
{
    m_cost(1);
    m_group();
    for (int k = 0; k < 10; k++) {
        m_task(0);
        m_cost(10 * (1 + k));
        m_end();
    }
    m_group_end();
    m_cost(2);
    m_group();
    m_taskloop(50, 5, 0, 2);
    m_task(0);
    m_cost(30);
    m_end();
    m_group_end();
    m_cost(3);
}
static void reduction_loop_run(void) { in_single(reduction_loop_body); }
static void reduction_loop_expect(void)
{
    m_in_single(reduction_loop_model);
    closed(6 + 550 + 100 + 30, 6 + 100 + 20 + 30);
}

/* The group of the reduction ends after the last that takes part, a grandchild. */
CASE(reduction_tasks)
static void reduction_tasks_body(void)
{
    long s = 0, m = 1;
#pragma omp taskgroup task_reduction(+ : s) task_reduction(* : m)
    {
        for (int i = 1; i <= 10; i++)
#pragma omp task in_reduction(+ : s) firstprivate(i) shared(m)
        {
            s += i;
            cost(i);
#pragma omp task in_reduction(+ : s) in_reduction(* : m) firstprivate(i)
            {
                s += 100 * i;
                m *= 2;
                cost(30 - 2 * i);
            }
        }
        cost(5);
    }
    check(s == 55 * 101 && m == 1024);
    cost(4);
}
static void reduction_tasks_model(void)
{
    m_group();
    for (int i = 1; i <= 10; i++) {
        m_task(0);
        m_cost(i);
        m_task(0);
        m_cost(30 - 2 * i);
        m_end();
        m_end();
    }
    m_cost(5);
    m_group_end();
    m_cost(4);
}
static void reduction_tasks_run(void) { in_single(reduction_tasks_body); }
static void reduction_tasks_expect(void)
{
    m_in_single(reduction_tasks_model);
    closed(55 + 190 + 5 + 4, 29 + 4);
}

/* parallel reduction(task): the threads' and the tasks' parts. */
CASE(reduction_region)
static void reduction_region_run(void)
{
    long s = 0;
#pragma omp parallel reduction(task, + : s)
    {
        s += 1;
        cost(10);
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task in_reduction(+ : s) firstprivate(i)
        {
            s += 10;
            cost(20 + i);
        }
        cost(2);
    }
    check(s == omp_get_max_threads() + 100);
}
static void reduction_region_expect(void)
{
    m_fork(P);
    for (int t = 0; t < P; t++) {
        m_thread(t);
        m_cost(10);
    }
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(20 + i);
        m_end();
    }
    m_barrier();
    for (int t = 0; t < P; t++) {
        m_thread(t);
        m_cost(2);
    }
    m_join();
    closed(12 * P + 245, 41);
}
