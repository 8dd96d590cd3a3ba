/* depend_wait.c - taskwait depend, and tasks that depend on what is over already. */
#include <time.h>
#include "depend.h"

#ifdef HAS_TASKWAIT_DEPEND
/* The first task ends before the second is created (if there is a thread for it). There is an edge
 * all the same: for a task, an undeferred task, a taskwait. */
static int finished;
static void until_finished(int n)
{
    for (int i = 0;
         i < 2000 && omp_get_num_threads() > 1 && __atomic_load_n(&finished, __ATOMIC_ACQUIRE) < n;
         i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}
CASE(dep_finished)
static void dep_finished_body(void)
{
    static int x, y, z;
    finished = 0;
#pragma omp task depend(out : x)
    {
        cost(50);
        __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    }
    until_finished(1);
    cost(3);
#pragma omp task depend(in : x)
    cost(7);
#pragma omp taskgroup
    {
#pragma omp task depend(in : x)
        cost(9);
    }
    cost(1);                    /* 60 */
#pragma omp task depend(out : y)
    {
        cost(20);
        __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    }
    until_finished(2);
#pragma omp task depend(in : y) if (0)
    cost(2);                    /* 82 */
#pragma omp task depend(out : z)
    {
        cost(30);
        __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    }
    until_finished(3);
#pragma omp taskwait depend(in : z)
    cost(4);                    /* 116 */
}
static void dep_finished_model(void)
{
    m_dep_task(M_OUT, 1, 50);
    m_cost(3);
    m_dep_task(M_IN, 1, 7);
    m_group();
    m_dep_task(M_IN, 1, 9);
    m_group_end();
    m_cost(1);
    m_dep_task(M_OUT, 2, 20);
    m_depend(M_IN, 2);
    m_task(M_IF0);
    m_cost(2);
    m_end();
    m_dep_task(M_OUT, 3, 30);
    m_depend(M_IN, 3);
    m_taskwait_depend();
    m_cost(4);
}
static void dep_finished_run(void) { in_single(dep_finished_body); }
static void dep_finished_expect(void)
{
    m_in_single(dep_finished_model);
    closed(70 + 22 + 34, 116);
}

/* taskwait depend: for the writer of x (30), not of y (100); for a reader's sake a writer waits,
 * a reader does not. */
CASE(dep_wait)
static void dep_wait_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    {
        cost(30);
        x = 1;
    }
#pragma omp task depend(out : y)
    cost(100);
#pragma omp task depend(in : x)
    cost(20);                   /* 50 */
    cost(2);
#pragma omp taskwait depend(in : x)
    check(x == 1);
    cost(5);                    /* 35 */
#pragma omp task
    cost(40);                   /* 75 */
#pragma omp taskwait depend(inout : x)
    cost(6);                    /* 56 */
#pragma omp task depend(out : x)
    cost(60);                   /* 116 */
#pragma omp taskwait depend(in : x, y)
    cost(7);
#pragma omp taskwait
}
static void dep_wait_model(void)
{
    m_dep_task(M_OUT, 1, 30);
    m_dep_task(M_OUT, 2, 100);
    m_dep_task(M_IN, 1, 20);
    m_cost(2);
    m_depend(M_IN, 1);
    m_taskwait_depend();
    m_cost(5);
    m_task(0);
    m_cost(40);
    m_end();
    m_depend(M_OUT, 1);
    m_taskwait_depend();
    m_cost(6);
    m_dep_task(M_OUT, 1, 60);
    m_depend(M_IN, 1);
    m_depend(M_IN, 2);
    m_taskwait_depend();
    m_cost(7);
    m_taskwait();
}
static void dep_wait_run(void) { in_single(dep_wait_body); }
static void dep_wait_expect(void)
{
    m_in_single(dep_wait_model);
    closed(30 + 100 + 20 + 2 + 5 + 40 + 6 + 60 + 7, 30 + 20 + 6 + 60 + 7);
}

/* A thread that waits for a dependence runs tasks that do the same. */
CASE(dep_wait_in_wait)
static void dep_wait_in_wait_body(void)
{
    int x;
    for (int i = 0; i < 20; i++)
#pragma omp task firstprivate(i)
    {
        int y;
#pragma omp task depend(out : y)
        cost(10 + i);
#pragma omp task depend(inout : y)
        cost(i);
#pragma omp taskwait depend(in : y)
        cost(3);
#pragma omp task depend(out : y)
        cost(30);
#pragma omp task depend(in : y) if (0)
        cost(1);
    }
#pragma omp task depend(out : x)
    cost(5);
#pragma omp taskwait depend(in : x)
    cost(2);
}
static void dep_wait_in_wait_model(void)
{
    for (int i = 0; i < 20; i++) {
        m_task(0);
        m_dep_task(M_OUT, 1, 10 + i);
        m_dep_task(M_OUT, 1, i);
        m_depend(M_IN, 1);
        m_taskwait_depend();
        m_cost(3);
        m_dep_task(M_OUT, 1, 30);
        m_depend(M_IN, 1);
        m_task(M_IF0);
        m_cost(1);
        m_end();
        m_end();
    }
    m_dep_task(M_OUT, 1, 5);
    m_depend(M_IN, 1);
    m_taskwait_depend();
    m_cost(2);
}
static void dep_wait_in_wait_run(void) { in_single(dep_wait_in_wait_body); }
static void dep_wait_in_wait_expect(void)
{
    m_in_single(dep_wait_in_wait_model);
    closed(20 * 44 + 2 * 190 + 7, 10 + 2 * 19 + 3 + 30 + 1);
}
#else
CASE_WITHOUT(dep_finished, "has no taskwait depend")
CASE_WITHOUT(dep_wait, "has no taskwait depend")
CASE_WITHOUT(dep_wait_in_wait, "has no taskwait depend")
#endif
