/* taskloop_tasks.c - how many tasks a taskloop makes, and which iterations each has. */
#include <string.h>
#include "taskloop.h"

enum { MOST = 1024 };
static char start[MOST];    /* iterations that began a chunk */
static void mark(int *first, long i)
{
    if (*first)
        start[i] = 1;
    *first = 0;
}
static void starts_right(long n, long tasks)
{
    for (long k = 0; k < tasks; k++)
        check(start[chunk_begin(n, tasks, k)]);
    for (long i = 0; i < n; i++)
        tasks -= start[i];
    check(tasks == 0);
    memset(start, 0, sizeof start);
}

/* 120 iterations, i costing i; 12 chunks of 10. */
CASE(taskloop_grain)
static void taskloop_grain_body(void)
{
    int first = 1;
    cost(2);
#pragma omp taskloop grainsize(10) firstprivate(first)
    for (int i = 0; i < 120; i++) {
        mark(&first, i);
        cost(i);
    }
    cost(3);
    starts_right(120, 12);
}
static void taskloop_grain_model(void)
{
    m_cost(2);
    m_taskloop(120, 12, 1, 0);
    m_cost(3);
}
static void taskloop_grain_run(void) { in_single(taskloop_grain_body); }
static void taskloop_grain_expect(void)
{
    m_in_single(taskloop_grain_model);
    closed(5 + sum(0, 120), 5 + sum(110, 120));
}

/* What does not divide: 100 by grains of 7 are 14 tasks, two of 8 and twelve of 7; in 6 tasks,
 * four of 17 and two of 16. A grain that is too large is one task, no iteration no task. */
CASE(taskloop_odd)
static void taskloop_odd_body(void)
{
    int first = 1;
#pragma omp taskloop grainsize(7) firstprivate(first)
    for (long i = 0; i < 100; i++) {
        mark(&first, i);
        cost(100 - i);
    }
    starts_right(100, 14);
#pragma omp taskloop num_tasks(6) firstprivate(first)
    for (unsigned i = 0; i < 100; i++) {
        mark(&first, i);
        cost(i);
    }
    starts_right(100, 6);
#pragma omp taskloop grainsize(100) firstprivate(first)
    for (int i = 0; i < 50; i++) {
        mark(&first, i);
        cost(1);
    }
    starts_right(50, 1);
#pragma omp taskloop num_tasks(100) firstprivate(first)
    for (int i = 0; i < 50; i++) {
        mark(&first, i);
        cost(i);
    }
    starts_right(50, 50);
    unsigned long none = memchr(start, 1, MOST) != NULL;
#pragma omp taskloop num_tasks(3)
    for (unsigned long i = 0; i < none; i++)
        cost(1000);
}
static void taskloop_odd_model(void)
{
    m_taskloop(100, 14, -1, 100);
    m_taskloop(100, 6, 1, 0);
    m_taskloop(50, 1, 0, 1);
    m_taskloop(50, 50, 1, 0);
}
static void taskloop_odd_run(void) { in_single(taskloop_odd_body); }
static void taskloop_odd_expect(void)
{
    m_in_single(taskloop_odd_model);
    closed(5050 + 4950 + 50 + 1225, sum(93, 101) + sum(84, 100) + 50 + 49);
}

CASE(taskloop_num_tasks)
static void taskloop_num_tasks_body(void)
{
    int first = 1;
    cost(2);
#pragma omp taskloop num_tasks(8) firstprivate(first) untied priority(1)
    for (unsigned long long i = 0; i < 120; i++) {
        mark(&first, i);
        cost(i + 1);
    }
    starts_right(120, 8);
#pragma omp taskloop num_tasks(5)
    for (int i = 100; i > 0; i -= 2)        /* 50 iterations, the first is the most expensive */
        cost(i);
    cost(3);
}
static void taskloop_num_tasks_model(void)
{
    m_cost(2);
    m_taskloop(120, 8, 1, 1);
    m_taskloop(50, 5, -2, 100);
    m_cost(3);
}
static void taskloop_num_tasks_run(void) { in_single(taskloop_num_tasks_body); }
static void taskloop_num_tasks_expect(void)
{
    m_in_single(taskloop_num_tasks_model);
    closed(5 + sum(1, 121) + 2 * sum(1, 51), 5 + sum(106, 121) + 2 * sum(41, 51));
}

/* A thousand tasks: libomp creates them by tasks of its own, libgomp runs most of them at once. */
CASE(taskloop_many)
static void taskloop_many_body(void)
{
#pragma omp taskloop num_tasks(1000)
    for (int i = 0; i < 1000; i++)
        cost(1 + i % 10);
    cost(1);
}
static void taskloop_many_model(void)
{
    m_group();
    for (int i = 0; i < 1000; i++) {
        m_task(0);
        m_cost(1 + i % 10);
        m_end();
    }
    m_group_end();
    m_cost(1);
}
static void taskloop_many_run(void) { in_single(taskloop_many_body); }
static void taskloop_many_expect(void)
{
    m_in_single(taskloop_many_model);
    closed(5501, 11);
}

/* Neither clause: as many tasks as the runtime likes. */
CASE(taskloop_default)
static void taskloop_default_body(void)
{
#pragma omp taskloop
    for (int i = 0; i < 500; i++)
        cost(1 + i % 5);
}
static void taskloop_default_model(void)
{
    m_group();
    m_cost(1500);
    m_group_end();
}
static void taskloop_default_run(void) { in_single(taskloop_default_body); }
static void taskloop_default_expect(void)
{
    m_in_single(taskloop_default_model);
    span_between(5, 1500);
    tasks_unknown();
}
