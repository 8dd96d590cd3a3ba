/* task_undeferred.c - tasks that are not deferred: if(0), final, and any task outside of
 * regions. */
#include "family.h"

/* if(0): the parent's path goes through it, but its children are tasks as any other, and not
 * waited for. */
CASE(if0)
static void if0_body(void)
{
    cost(1);
#pragma omp task if (0)
    {
        cost(10);
        family(40);             /* 56 */
        cost(2);
    }
#pragma omp task
    cost(30);                   /* 43 */
#pragma omp taskwait
    cost(9);                    /* 52 */
}
static void if0_model(void)
{
    m_cost(1);
    m_task(M_IF0);
    m_cost(10);
    m_family(40);
    m_cost(2);
    m_end();
    m_task(0);
    m_cost(30);
    m_end();
    m_taskwait();
    m_cost(9);
}
static void if0_run(void) { in_single(if0_body); }
static void if0_expect(void)
{
    m_in_single(if0_model);
    closed(1 + 12 + 47 + 30 + 9, 56);
}

/* Two final tasks run beside each other, what is in them does not; a taskgroup and a taskwait
 * wait for nothing there. */
static void final_task(long c)
{
#pragma omp task final(c > 0) firstprivate(c)
    {
        cost(1);
        check(omp_in_final());
        family(c);
#pragma omp taskgroup
        {
#pragma omp task
            cost(c);
        }
#pragma omp task
        cost(c);
#pragma omp taskwait
    }
}
static void m_final_task(long c)
{
    m_task(M_FINAL);
    m_cost(1);
    m_family(c);
    m_group();
    m_task(0);
    m_cost(c);
    m_end();
    m_group_end();
    m_task(0);
    m_cost(c);
    m_end();
    m_taskwait();
    m_end();
}
CASE(final)
static void final_body(void)
{
    final_task(10);
    final_task(20);
    cost(15);
}
static void final_model(void)
{
    m_final_task(10);
    m_final_task(20);
    m_cost(15);
}
static void final_run(void) { in_single(final_body); }
static void final_expect(void)
{
    m_in_single(final_model);
    closed(8 + 30 + 8 + 60 + 15, 8 + 60);
}

/* Outside any region there is nobody to run beside: serial, grandchildren included. */
CASE(outside)
static void outside_run(void)
{
    family(10);
#pragma omp task
    cost(20);
#pragma omp taskwait
#pragma omp taskgroup
    family(30);
    cost(4);
}
static void outside_expect(void)
{
    m_family(10);
    m_task(0);
    m_cost(20);
    m_end();
    m_taskwait();
    m_group();
    m_family(30);
    m_group_end();
    m_cost(4);
    closed(78, 78);
}
