/* target.c - target regions that the host executes, and what becomes of a runtime that is paused. libgomp executes them in no team: what they create is undeferred. For libomp they are
 * code of the strand that encounters them, unless they have nowait or depend. */
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

/* Barriers, loops, groups and regions inside: a team of their own. Every thread encounters one, and then a barrier. */
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

/* Without nowait the strand waits for what it depends on, and a task that depends on it starts after it. */
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

/* Deferred: beside its creator, after and before others of its siblings, in groups; many variables, some by value. */
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
        return;     /* libomp 14 defers it all the same, to a thread of its own, and nothing but a taskwait waits for that */
#pragma omp task final(1)
    {
#pragma omp target nowait
        cost(8);
        cost(9);
    }
}
static void target_nowait_model(void)
{
    m_task(0);
    m_cost(100);
    m_end();
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
    m_task(0);
    m_cost(70);
    m_end();
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
    closed(LIBOMP ? 381 : 398, 100 + 10 + 150 + 70 + 1 + (LIBOMP ? 0 : 17));
}

/* Outside of every region: beside what its creator does, until a taskwait; an ordinary task there is undeferred, but for libgomp, once it has
 * deferred one. */
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

/* Neither groups nor dependences are seen there: the report says so (check.sh). */
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
static void named_expect(void)
{
    m_cost(67);
    skip("a lower bound");
}

/* Regions between which the runtime gives up what it has. libomp then ends its tools interface: the case `paused` of check.sh. */
static void paused_run(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp parallel
        cost(20);
        check(omp_pause_resource_all(omp_pause_hard) == 0);
    }
}
static void paused_expect(void)
{
    if (LIBOMP)
        skip("libomp ends its tools interface when it is paused");
    for (int i = 0; i < 3; i++) {
        m_fork(P);
        for (int k = 0; k < P; k++) {
            m_thread(k);
            m_cost(20);
        }
        m_join();
    }
    closed(60 * P, 60);
}

#define C(name) { #name, name##_run, name##_expect }
const struct omp_case target_cases[] = {
    C(target), C(target_team), C(target_depend), C(target_nowait), C(target_outside),
    { "target_outside_group", target_outside_group_run, named_expect }, { "target_outside_depend", target_outside_depend_run, named_expect },
    C(paused), { 0 },
};
