/* taskwait.c - who waits for whom: taskwait for the children, taskgroup for all descendants. */
#include "family.h"

/* A task in a task, nobody waits: joined by the single's barrier. */
CASE(nested)
static void nested_body(void)
{
#pragma omp task
    {
        cost(5);
#pragma omp task
        {
            cost(20);
#pragma omp task
            cost(30);
            cost(1);
        }
        cost(2);
    }
    cost(8);
}
static void nested_model(void)
{
    m_task(0);
    m_cost(5);
    m_task(0);
    m_cost(20);
    m_task(0);
    m_cost(30);
    m_end();
    m_cost(1);
    m_end();
    m_cost(2);
    m_end();
    m_cost(8);
}
static void nested_run(void) { in_single(nested_body); }
static void nested_expect(void)
{
    m_in_single(nested_model);
    closed(66, 55);
}

/* taskwait waits for the child (7), not for the grandchild (105). */
CASE(children_only)
static void children_only_body(void)
{
    family(100);
#pragma omp taskwait
    cost(50);
}
static void children_only_model(void)
{
    m_family(100);
    m_taskwait();
    m_cost(50);
}
static void children_only_run(void) { in_single(children_only_body); }
static void children_only_expect(void)
{
    m_in_single(children_only_model);
    closed(157, 105); /* not 155 */
}

CASE(group)
static void group_body(void)
{
#pragma omp taskgroup
    family(100);
    cost(50);
}
static void group_model(void)
{
    m_group();
    m_family(100);
    m_group_end();
    m_cost(50);
}
static void group_run(void) { in_single(group_body); }
static void group_expect(void)
{
    m_in_single(group_model);
    closed(157, 155);
}

/* A group waits for its own tasks alone: not for the one before it, and an inner group is a part
 * of a child. */
CASE(group_others)
static void group_others_body(void)
{
#pragma omp task
    cost(100);
#pragma omp taskgroup
    {
#pragma omp task
        {
            cost(3);
#pragma omp taskgroup
            {
                family(10);
            }
            family(25);     /* of the outer group: from 18 to 48 */
            cost(4);
        }
        cost(6);
    }
    cost(50);
}
static void group_others_model(void)
{
    m_task(0);
    m_cost(100);
    m_end();
    m_group();
    m_task(0);
    m_cost(3);
    m_group();
    m_family(10);
    m_group_end();
    m_family(25);
    m_cost(4);
    m_end();
    m_cost(6);
    m_group_end();
    m_cost(50);
}
static void group_others_run(void) { in_single(group_others_body); }
static void group_others_expect(void)
{
    m_in_single(group_others_model);
    closed(100 + 3 + 17 + 32 + 4 + 6 + 50, 100); /* the group ends at 48: 98 */
}

/* taskwait in a group, then the group: child at 7, grandchild at 35. */
CASE(group_and_wait)
static void group_and_wait_body(void)
{
#pragma omp taskgroup
    {
        family(30);
#pragma omp taskwait
        cost(40);           /* 47 */
        family(60);         /* 112 */
    }
    cost(1);
}
static void group_and_wait_model(void)
{
    m_group();
    m_family(30);
    m_taskwait();
    m_cost(40);
    m_family(60);
    m_group_end();
    m_cost(1);
}
static void group_and_wait_run(void) { in_single(group_and_wait_body); }
static void group_and_wait_expect(void)
{
    m_in_single(group_and_wait_model);
    closed(37 + 40 + 67 + 1, 113);
}

/* Every thread its own tasks, taskwait and taskgroup: one thread's do not wait for another's. */
CASE(all_threads)
static void all_threads_run(void)
{
#pragma omp parallel num_threads(4)
    {
        int i = omp_get_thread_num();
        for (int j = 0; j < 4; j++)
#pragma omp task firstprivate(i, j)
            cost(10 * (i + 1) + j);
#pragma omp taskwait
        cost(100 - 20 * i); /* 113, 103, 93, 83 */
#pragma omp taskgroup
        family(5 * i);      /* 10, 10, 15, 20 */
        cost(i == 2 ? 30 : 0);
    }
}
static void all_threads_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        for (int j = 0; j < 4; j++) {
            m_task(0);
            m_cost(10 * (i + 1) + j);
            m_end();
        }
        m_taskwait();
        m_cost(100 - 20 * i);
        m_group();
        m_family(5 * i);
        m_group_end();
        m_cost(i == 2 ? 30 : 0);
    }
    m_join();
    closed(400 + 24 + 280 + 30 + 28 + 30, 138); /* 33+60+15+30; thread 0: 13+100+7 */
}
