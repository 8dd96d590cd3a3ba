/* depend_undeferred.c - depend clauses of undeferred and final tasks, and clauses that name
 * nothing. */
#include "depend.h"

/* if(0) waits for its siblings, and so does its creator then; in a final task nothing is left to
 * wait for. */
CASE(dep_if0)
static void dep_if0_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    {
        cost(25);
        x = 1;
    }
#pragma omp task depend(out : y)
    cost(80);
    cost(5);
#pragma omp task depend(inout : x) if (0)
    {
        check(x == 1);
        cost(4);                /* 29 */
    }
    cost(1);                    /* 30 */
#pragma omp task depend(in : x)
    cost(40);                   /* 70 */
#pragma omp task final(1)
    {
#pragma omp task depend(out : x)
        cost(10);
#pragma omp task depend(in : x)
        cost(10);
#pragma omp task depend(in : x)
        cost(10);               /* 60 */
    }
#pragma omp taskwait
}
static void dep_if0_model(void)
{
    m_dep_task(M_OUT, 1, 25);
    m_dep_task(M_OUT, 2, 80);
    m_cost(5);
    m_depend(M_OUT, 1);
    m_task(M_IF0);
    m_cost(4);
    m_end();
    m_cost(1);
    m_dep_task(M_IN, 1, 40);
    m_task(M_FINAL);
    m_dep_task(M_OUT, 1, 10);
    m_dep_task(M_IN, 1, 10);
    m_dep_task(M_IN, 1, 10);
    m_end();
    m_taskwait();
}
static void dep_if0_run(void) { in_single(dep_if0_body); }
static void dep_if0_expect(void)
{
    m_in_single(dep_if0_model);
    closed(25 + 80 + 5 + 4 + 1 + 40 + 30, 80);
}

/* Nothing to wait for: no sibling of that address, one that is over, an empty list; again and
 * again, and with creators of tasks that are serial themselves. */
#ifdef HAS_TASKWAIT_DEPEND
CASE(dep_nothing)
static void dep_nothing_body(void)
{
    static int x, y, none;
    for (int i = 0; i < 3; i++) {
#pragma omp taskwait depend(in : x)
#pragma omp task depend(inout : y) if (0)
        {
            cost(2);
#pragma omp task depend(in : y) if (0)
            cost(1);
        }
#pragma omp task depend(iterator(k = 0 : none), in : (&x)[k])
        cost(5);
#pragma omp task depend(iterator(k = 0 : none), in : (&x)[k]) if (0)
        cost(3);
#pragma omp task depend(out : x)
        cost(4);
#pragma omp taskwait
#pragma omp taskwait depend(in : x)
#pragma omp task depend(in : x) if (0)
        {
            cost(1);
#pragma omp task
            cost(30 - 10 * i);
        }
    }
}
static void dep_nothing_model(void)
{
    for (int i = 0; i < 3; i++) {
        m_depend(M_OUT, 2);
        m_task(M_IF0);
        m_cost(2);
        m_depend(M_IN, 2);
        m_task(M_IF0);
        m_cost(1);
        m_end();
        m_end();
        m_task(0);
        m_cost(5);
        m_end();
        m_task(M_IF0);
        m_cost(3);
        m_end();
        m_dep_task(M_OUT, 1, 4);
        m_taskwait();
        m_depend(M_IN, 1);
        m_task(M_IF0);
        m_cost(1);
        m_task(0);
        m_cost(30 - 10 * i);
        m_end();
        m_end();
    }
}
static void dep_nothing_run(void) { in_single(dep_nothing_body); }
static void dep_nothing_expect(void)
{
    m_in_single(dep_nothing_model);
    /* a round: 3, beside each other 5 and 3 + 4, then 1; the last child is the latest */
    closed(3 * 16 + 60, 3 * 11 + 10);
}
#else
CASE_WITHOUT(dep_nothing, "has no taskwait depend")
#endif
