/* taskloop_group.c - who waits for the tasks of a taskloop, and for what these create. */
#include "taskloop.h"

/* nogroup: joined by taskwait, by a group outside, by the barrier only. */
CASE(taskloop_nogroup)
static void taskloop_nogroup_body(void)
{
#pragma omp taskloop nogroup num_tasks(4)
    for (int i = 0; i < 40; i++)
        cost(i);                /* 345 */
    cost(10);
#pragma omp taskwait
    cost(1);                    /* 346 */
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup grainsize(5)
        for (int i = 0; i < 20; i++)
            cost(3);            /* 361 */
        cost(4);
    }
    cost(1);                    /* 362 */
#pragma omp taskloop nogroup num_tasks(2)
    for (int i = 0; i < 20; i++)
        cost(i);                /* 507 */
    cost(100);                  /* 462 */
}
static void taskloop_nogroup_model(void)
{
    m_chunks(40, 4, 1, 0);
    m_cost(10);
    m_taskwait();
    m_cost(1);
    m_group();
    m_chunks(20, 4, 0, 3);
    m_cost(4);
    m_group_end();
    m_cost(1);
    m_chunks(20, 2, 1, 0);
    m_cost(100);
}
static void taskloop_nogroup_run(void) { in_single(taskloop_nogroup_body); }
static void taskloop_nogroup_expect(void)
{
    m_in_single(taskloop_nogroup_model);
    closed(780 + 10 + 1 + 60 + 4 + 1 + 190 + 100, 345 + 1 + 15 + 1 + 145);
}

/* The group around a loop waits for what its chunks create; in the chunks, for theirs. */
CASE(taskloop_nested)
static void taskloop_nested_body(void)
{
#pragma omp taskloop num_tasks(5)
    for (int i = 0; i < 5; i++) {
        cost(i);
#pragma omp task firstprivate(i)
        {
            cost(10 - i);
#pragma omp task
            cost(20);           /* 30 */
        }
    }
    cost(5);
#pragma omp taskloop num_tasks(3)
    for (int i = 0; i < 3; i++) {
#pragma omp taskloop num_tasks(3)
        for (int j = 0; j < 3; j++)
            cost(10 * i + j);
        cost(7);                /* 29 */
    }
    cost(1);
}
static void taskloop_nested_model(void)
{
    m_group();
    for (int i = 0; i < 5; i++) {
        m_task(0);
        m_cost(i);
        m_task(0);
        m_cost(10 - i);
        m_task(0);
        m_cost(20);
        m_end();
        m_end();
        m_end();
    }
    m_group_end();
    m_cost(5);
    m_group();
    for (int i = 0; i < 3; i++) {
        m_task(0);
        m_taskloop(3, 3, 1, 10 * i);
        m_cost(7);
        m_end();
    }
    m_group_end();
    m_cost(1);
}
static void taskloop_nested_run(void) { in_single(taskloop_nested_body); }
static void taskloop_nested_expect(void)
{
    m_in_single(taskloop_nested_model);
    closed(150 + 5 + 99 + 21 + 1, 30 + 5 + 29 + 1);
}

/* nogroup: taskwait waits for the chunks, not for what they create; a group around it, for both. */
CASE(taskloop_loose)
static void taskloop_loose_body(void)
{
#pragma omp taskloop nogroup num_tasks(4)
    for (int i = 0; i < 4; i++) {
        cost(1 + i);
#pragma omp task
        cost(1000);             /* 1004 */
    }
    cost(2);
#pragma omp taskwait
    cost(7);                    /* 11 */
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup num_tasks(3)
        for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i)
            {
                cost(50 + i);
#pragma omp task
                cost(40);       /* 103 */
            }
            cost(3);
        }
#pragma omp taskwait
        cost(5);                /* 19 */
    }
    cost(1);                    /* 104 */
#pragma omp task
    {
#pragma omp taskloop nogroup num_tasks(2)
        for (int i = 0; i < 2; i++) {
#pragma omp task
            cost(20);
#pragma omp taskwait
            cost(1);            /* 125 */
#pragma omp task
            cost(2000);         /* 2125 */
        }
#pragma omp taskwait
        cost(10);               /* 135 */
    }
#pragma omp taskwait
    cost(6);                    /* 141 */
}
static void taskloop_loose_model(void)
{
    for (int i = 0; i < 4; i++) {
        m_task(0);
        m_cost(1 + i);
        m_task(0);
        m_cost(1000);
        m_end();
        m_end();
    }
    m_cost(2);
    m_taskwait();
    m_cost(7);
    m_group();
    for (int i = 0; i < 3; i++) {
        m_task(0);
        m_task(0);
        m_cost(50 + i);
        m_task(0);
        m_cost(40);
        m_end();
        m_end();
        m_cost(3);
        m_end();
    }
    m_taskwait();
    m_cost(5);
    m_group_end();
    m_cost(1);
    m_task(0);
    for (int i = 0; i < 2; i++) {
        m_task(0);
        m_task(0);
        m_cost(20);
        m_end();
        m_taskwait();
        m_cost(1);
        m_task(0);
        m_cost(2000);
        m_end();
        m_end();
    }
    m_taskwait();
    m_cost(10);
    m_end();
    m_taskwait();
    m_cost(6);
}
static void taskloop_loose_run(void) { in_single(taskloop_loose_body); }
static void taskloop_loose_expect(void)
{
    m_in_single(taskloop_loose_model);
    closed(4010 + 2 + 7 + 282 + 5 + 1 + 4042 + 10 + 6, 104 + 21 + 2000);
}

/* Every thread its own loop. */
CASE(taskloop_all_threads)
static void taskloop_all_threads_run(void)
{
#pragma omp parallel
    {
        int t = omp_get_thread_num();
        cost(t);
#pragma omp taskloop num_tasks(5)
        for (int i = 0; i < 10; i++)
            cost(10 + i);
        cost(100 - 2 * t);
    }
}
static void taskloop_all_threads_expect(void)
{
    m_fork(P);
    for (int t = 0; t < P; t++) {
        m_thread(t);
        m_cost(t);
        m_taskloop(10, 5, 1, 10);
        m_cost(100 - 2 * t);
    }
    m_join();
    closed(P * (145 + 100) - P * (P - 1) / 2, 37 + 100);
}

/* nogroup, and more than ten tasks a thread: tasks of libomp's split the loop, and create its tasks
 * for the strand that encountered it. Its taskwait waits for all of them, not for what they create;
 * a group around it waits for both; a task that ends before them waits for none. */
CASE(taskloop_split)
static void taskloop_split_body(void)
{
    cost(5);
#pragma omp taskloop nogroup num_tasks(100)
    for (int i = 0; i < 100; i++)
        cost(10 * (i + 1));     /* 1005 */
#pragma omp taskwait
    cost(1000);                 /* 2005 */
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup num_tasks(200)
        for (int i = 0; i < 200; i++) {
            cost(200 - i);
#pragma omp task
            cost(30);           /* 2235 */
        }
#pragma omp taskwait
        cost(7);                /* 2212 */
    }
#pragma omp task
    {
#pragma omp taskloop nogroup num_tasks(100)
        for (int i = 0; i < 100; i++)
            cost(1 + i);        /* 2335 */
        cost(50);
    }
#pragma omp taskwait
    cost(3);                    /* 2288 */
}
static void taskloop_split_model(void)
{
    m_cost(5);
    m_chunks(100, 100, 10, 10);
    m_taskwait();
    m_cost(1000);
    m_group();
    for (int i = 0; i < 200; i++) {
        m_task(0);
        m_cost(200 - i);
        m_task(0);
        m_cost(30);
        m_end();
        m_end();
    }
    m_taskwait();
    m_cost(7);
    m_group_end();
    m_task(0);
    m_chunks(100, 100, 1, 1);
    m_cost(50);
    m_end();
    m_taskwait();
    m_cost(3);
}
static void taskloop_split_run(void) { in_single(taskloop_split_body); }
static void taskloop_split_expect(void)
{
    m_in_single(taskloop_split_model);
    closed(5 + 10 * sum(1, 101) + 1000 + sum(1, 201) + 200 * 30 + 7 + sum(1, 101) + 50 + 3,
           1005 + 1000 + 230 + 100);
}
