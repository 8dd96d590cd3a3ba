/* target_nowait.c - target nowait: a task beside its creator, in regions and outside of them. */
#include "cases.h"

/* Deferred: beside its creator, after and before others of its siblings, in groups; many
 * variables, some by value. */
CASE(target_nowait)
static void target_nowait_body(void)
{
    enum { N = 1000 };
    int x = 0, y = 0, n = 7, a[N];
    double d = 0.5;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target nowait map(tofrom : y) firstprivate(n, a, d)
    {
        cost(100);
        y = n + a[N - 1] + (int)(2 * d);
    }
    n = 0;
    a[N - 1] = 0;
    d = 0;
    cost(30);
#pragma omp taskwait
    check(y == 7 + N - 1 + 1);
    cost(10);
#pragma omp task depend(out : x) shared(x)
    {
        cost(40);
        x = 1;
    }
#pragma omp target nowait depend(inout : x) map(tofrom : x)
    {
        cost(50);
        x++;
    }
#pragma omp task depend(in : x) shared(x)
    {
        cost(60);
        check(x == 2);
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp target nowait
        cost(70);
        cost(20);
    }
    cost(1);
    if (LIBOMP)
        /* libomp 14 defers it all the same, to a thread of its own: only a taskwait waits for it */
        return;
#pragma omp task final(1)
    {
#pragma omp target nowait
        cost(8);
        cost(9);
    }
}
/* clang 11 makes a task of target nowait only if it has dependences. Else its creator
 * runs it at once, without a call that libprof could see. */
#if defined(__clang__) && __clang_major__ < 12
enum { DEFERS = 0 };
#else
enum { DEFERS = 1 };
#endif
static void m_target(long cost)
{
    if (DEFERS)
        m_task(0);
    m_cost(cost);
    if (DEFERS)
        m_end();
}
static void target_nowait_model(void)
{
    m_target(100);
    m_cost(30);
    m_taskwait();
    m_cost(10);
    m_depend(M_OUT, 1);
    m_task(0);
    m_cost(40);
    m_end();
    m_depend(M_OUT, 1);
    m_task(0);
    m_cost(50);
    m_end();
    m_depend(M_IN, 1);
    m_task(0);
    m_cost(60);
    m_end();
    m_taskwait();
    m_group();
    m_target(70);
    m_cost(20);
    m_group_end();
    m_cost(1);
    if (LIBOMP)
        return;
    m_task(M_FINAL);
    m_task(0);
    m_cost(8);
    m_end();
    m_cost(9);
    m_end();
}
static void target_nowait_run(void) { in_single(target_nowait_body); }
static void target_nowait_expect(void)
{
    if (LIBOMP && P == 1)
        skip("libomp 14 fails an assertion: target nowait needs two threads");
    m_in_single(target_nowait_model);
    closed(LIBOMP ? 381 : 398,
           100 + 10 + 150 + 70 + 1 + (LIBOMP ? 0 : 17) + (DEFERS ? 0 : 30 + 20));
}

/* Outside of every region: beside what its creator does, until a taskwait; an ordinary task
 * there is undeferred, but for libgomp, once it has deferred one. */
#if defined(__clang__) && __clang_major__ < 12
#define UNDEFERRED "has a libomp that defers no target nowait outside of regions"
CASE_WITHOUT(target_outside, UNDEFERRED)
CASE_WITHOUT(target_outside_group, UNDEFERRED)
CASE_WITHOUT(target_outside_depend, UNDEFERRED)
#else
CASE(target_outside)
static void target_outside_run(void)
{
    int x = 0;
#pragma omp target nowait map(tofrom : x)
    {
        cost(50);
        x++;
    }
    cost(7);
#pragma omp parallel
    cost(20);
    cost(3);
#pragma omp taskwait
    check(x == 1);
    cost(10);
#pragma omp target nowait map(tofrom : x)
    {
        cost(60);
        x++;
    }
#pragma omp task
    cost(30);
    cost(40);
#pragma omp taskwait
    check(x == 2);
    cost(2);
}
static void target_outside_expect(void)
{
    m_fork(1);      /* a team of one, for the tasks */
    m_task(0);
    m_cost(50);
    m_end();
    m_cost(7);
    m_fork(P);
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(20);
    }
    m_join();
    m_cost(3);
    m_taskwait();
    m_cost(10);
    m_task(0);
    m_cost(60);
    m_end();
    m_task(LIBOMP ? M_IF0 : 0);
    m_cost(30);
    m_end();
    m_cost(40);
    m_taskwait();
    m_cost(2);
    m_join();
    tasks_unknown();
    closed(202 + 20 * P, 50 + 10 + (LIBOMP ? 70 : 60) + 2);
}

/* libprof sees neither groups nor dependences there: the report names them. */
CASE(target_outside_group)
static void target_outside_group_run(void)
{
#pragma omp taskgroup
    {
#pragma omp target nowait
        cost(50);
        cost(7);
    }
    cost(10);
}
CASE(target_outside_depend)
static void target_outside_depend_run(void)
{
    int x = 0;
#pragma omp target nowait depend(out : x) map(tofrom : x)
    cost(50);
#pragma omp target nowait depend(in : x) map(tofrom : x)
    cost(7);
#pragma omp taskwait
    cost(10);
}
static void target_outside_group_expect(void)
{
    m_cost(67);
    skip("a lower bound");
    named(67, "depend or taskgroup (outside of OpenMP regions)");
}
static void target_outside_depend_expect(void) { target_outside_group_expect(); }
#endif
