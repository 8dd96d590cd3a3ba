/* target.c - target regions that the host executes. libgomp executes them in no team: what they
 * create is undeferred. For libomp they are code of the strand that encounters them, unless they
 * have nowait or depend.
 */
#include "cases.h"

/* A target region on the model; IN_TARGET: flags of a task that it creates. */
enum { IN_TARGET = LIBOMP ? 0 : M_IF0 };
static void m_target(void)
{
    if (!LIBOMP)
        m_task(M_IF0);
}
static void m_target_end(void)
{
    if (!LIBOMP)
        m_end();
}

/* Tasks inside, and what is behind. */
CASE(target)
static void target_body(void)
{
    int x = 0, n = 3;
#pragma omp target map(tofrom : x) firstprivate(n)
    {
#pragma omp task
        cost(100);
        cost(10 * n);
        x = n++;
    }
    check(x == 3 && n == 3);
    cost(60);
#pragma omp target if (0) map(tofrom : x)
    {
        cost(7);
        x++;
    }
    check(x == 4);
}
static void target_model(void)
{
    m_target();
    m_task(IN_TARGET);
    m_cost(100);
    m_end();
    m_cost(30);
    m_target_end();
    m_cost(60);
    m_target();
    m_cost(7);
    m_target_end();
}
static void target_run(void) { in_single(target_body); }
static void target_expect(void)
{
    m_in_single(target_model);
    closed(197, LIBOMP ? 100 : 197);
}

/* Barriers, loops, groups and regions inside: a team of their own. Every thread encounters one,
 * and then a barrier. */
CASE(target_team)
static void target_team_run(void)
{
#pragma omp parallel
    {
        cost(5 * omp_get_thread_num());
#pragma omp target
        {
#ifndef __clang__
#pragma omp barrier
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 3; i++)
                cost(2);
#endif
#pragma omp taskgroup
#pragma omp task if (0)
            cost(10);
#pragma omp parallel num_threads(2)
            cost(3);
        }
#pragma omp barrier
        cost(2 * (P - omp_get_thread_num()));
    }
}
static void target_team_expect(void)
{
    m_fork(P);
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(5 * i);
        m_target();
        m_cost(LIBOMP ? 0 : 6);
        m_cost(10);
        int team = LIBOMP && P > 1 ? 1 : 2;     /* nested, for libomp */
        m_fork(team);
        for (int k = 0; k < team; k++) {
            m_thread(k);
            m_cost(3);
        }
        m_join();
        m_target_end();
    }
    m_barrier();
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(2 * (P - i));
    }
    m_join();
}

/* Without nowait the strand waits for what it depends on, and a task that depends on it starts
 * after it. */
CASE(target_depend)
static void target_depend_body(void)
{
    int x = 0, y = 0;
#pragma omp task depend(out : x) shared(x)
    {
        cost(100);
        x = 1;
    }
#pragma omp task depend(out : y) shared(y)
    {
        cost(400);
        y = 1;
    }
#pragma omp target depend(inout : x) map(tofrom : x)
    {
        cost(50);
        x++;
    }
    check(x == 2);
#pragma omp task depend(in : x)
    cost(20);
    cost(10);
#pragma omp target update depend(in : y) to(x) /* nothing at all for clang */
    cost(5);
}
static void target_depend_model(void)
{
    m_depend(M_OUT, 1);
    m_task(0);
    m_cost(100);
    m_end();
    m_depend(M_OUT, 2);
    m_task(0);
    m_cost(400);
    m_end();
    m_depend(M_OUT, 1);
    m_task(M_IF0);
    m_cost(50);
    m_end();
    m_depend(M_IN, 1);
    m_task(0);
    m_cost(20);
    m_end();
    m_cost(10);
    if (!LIBOMP) {
        m_depend(M_IN, 2);
        m_taskwait_depend();
    }
    m_cost(5);
}
static void target_depend_run(void) { in_single(target_depend_body); }
static void target_depend_expect(void)
{
    if (LIBOMP && P > 1)
        skip("libomp 14 crashes by itself, 7 times of 300 on 4 threads");
    m_in_single(target_depend_model);
    closed(585, LIBOMP ? 400 : 405);
}
