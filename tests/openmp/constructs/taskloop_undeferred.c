/* taskloop_undeferred.c - taskloops with if(0) and final, and with collapse. */
#include "taskloop.h"

/* if(0): serial; final: the chunks are tasks, what is in them is not; in a final task: serial.
 * collapse: one loop of 6 * 4. */
CASE(taskloop_clauses)
static void taskloop_clauses_body(void)
{
#pragma omp taskloop num_tasks(4) if (0)
    for (int i = 0; i < 8; i++)
        cost(i);                /* 28 */
#pragma omp taskloop num_tasks(4) final(1)
    for (int i = 0; i < 8; i++) {
        cost(1);
#pragma omp task
        cost(i);                /* 2 + 13 */
    }
#pragma omp task final(1)
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 8; i++)
        cost(2);                /* 16 */
#pragma omp taskwait
#pragma omp taskloop num_tasks(6) collapse(2) mergeable
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            cost(i + j);        /* 26 */
}
static void taskloop_clauses_model(void)
{
    for (int i = 0; i < 8; i++) {
        m_task(M_IF0);
        m_cost(i);
        m_end();
    }
    m_group();
    for (int k = 0; k < 4; k++) {
        m_task(M_FINAL);
        for (int i = 2 * k; i < 2 * k + 2; i++) {
            m_cost(1);
            m_task(0);
            m_cost(i);
            m_end();
        }
        m_end();
    }
    m_group_end();
    m_task(M_FINAL);
    m_taskloop(8, 4, 0, 2);
    m_end();
    m_taskwait();
    m_group();
    for (int i = 0; i < 6; i++) {
        m_task(0);
        m_cost(4 * i + 6);
        m_end();
    }
    m_group_end();
}
static void taskloop_clauses_run(void) { in_single(taskloop_clauses_body); }
static void taskloop_clauses_expect(void)
{
    m_in_single(taskloop_clauses_model);
    closed(28 + 8 + 28 + 16 + 96, 28 + 15 + 16 + 26);
}

/* if(0): the chunks are serial, the tasks in them are not; they are the chunk's, the loop waits
 * for them unless nogroup, and it is a group of its own. final(1): they are serial, too. */
CASE(taskloop_if0)
static void taskloop_if0_body(void)
{
#pragma omp task
    cost(600);
#pragma omp taskloop if (0) num_tasks(4)
    for (int i = 0; i < 4; i++) {
        cost(1);
#pragma omp task firstprivate(i)
        {
            cost(100 * i);
#pragma omp task
            cost(5);            /* 309 */
        }
    }
    cost(10);                   /* 319 */
#pragma omp taskloop if (0) num_tasks(2)
    for (int i = 0; i < 2; i++) {
#pragma omp task
        cost(20);
#pragma omp taskwait
        cost(1);                /* 361 */
    }
#pragma omp taskloop if (0) nogroup num_tasks(3)
    for (int i = 0; i < 3; i++) {
        cost(1);
#pragma omp task
        cost(1000);             /* 1364 */
    }
#pragma omp taskloop if (0) final(1) nogroup num_tasks(2)
    for (int i = 0; i < 2; i++) {
#pragma omp task
        cost(4);                /* 372 */
    }
    cost(1);                    /* 373 */
#pragma omp taskwait
    cost(2);                    /* 602 */
}
static void taskloop_if0_model(void)
{
    m_task(0);
    m_cost(600);
    m_end();
    m_group();
    for (int i = 0; i < 4; i++) {
        m_task(M_IF0);
        m_cost(1);
        m_task(0);
        m_cost(100 * i);
        m_task(0);
        m_cost(5);
        m_end();
        m_end();
        m_end();
    }
    m_group_end();
    m_cost(10);
    m_group();
    for (int i = 0; i < 2; i++) {
        m_task(M_IF0);
        m_task(0);
        m_cost(20);
        m_end();
        m_taskwait();
        m_cost(1);
        m_end();
    }
    m_group_end();
    for (int i = 0; i < 3; i++) {
        m_task(M_IF0);
        m_cost(1);
        m_task(0);
        m_cost(1000);
        m_end();
        m_end();
    }
    for (int i = 0; i < 2; i++) {
        m_task(M_IF0 | M_FINAL);
        m_task(0);
        m_cost(4);
        m_end();
        m_end();
    }
    m_cost(1);
    m_taskwait();
    m_cost(2);
}
static void taskloop_if0_run(void) { in_single(taskloop_if0_body); }
static void taskloop_if0_expect(void)
{
    m_in_single(taskloop_if0_model);
    closed(600 + 4 + 620 + 10 + 42 + 3003 + 8 + 1 + 2, 1364);
}
