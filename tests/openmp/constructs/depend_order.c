/* depend_order.c - depend(in), depend(out): an edge from every end to every begin that a pair of
 * clauses names. */
#include "depend.h"

CASE(dep_chain)
static void dep_chain_body(void)
{
    static int x;
    x = 0;
    for (int i = 0; i < 100; i++)
#pragma omp task depend(inout : x) firstprivate(i)
    {
        check(x++ == i);
        cost(1 + i);
    }
#pragma omp task
    cost(60);
#pragma omp taskwait
    cost(1);
}
static void dep_chain_model(void)
{
    for (int i = 0; i < 100; i++)
        m_dep_task(M_OUT, 1, 1 + i);
    m_task(0);
    m_cost(60);
    m_end();
    m_taskwait();
    m_cost(1);
}
static void dep_chain_run(void) { in_single(dep_chain_body); }
static void dep_chain_expect(void)
{
    m_in_single(dep_chain_model);
    closed(5050 + 60 + 1, 5051);
}

/* out, readers beside each other, out after all of them, readers, out straight after out; no
 * taskwait. */
CASE(dep_readers)
static void dep_readers_body(void)
{
    static int x;
    x = 0;
    cost(2);
#pragma omp task depend(out : x)
    {
        cost(10);
        x = 1;
    }
    for (int i = 1; i <= 5; i++)
#pragma omp task depend(in : x) firstprivate(i)
    {
        check(x == 1);
        cost(7 * i);            /* the last until 47 */
    }
#pragma omp task depend(out : x)
    {
        cost(20);
        x = 2;
    }                           /* 67 */
#pragma omp task depend(out : x)
    {
        check(x == 2);
        cost(3);
    }
    for (int i = 1; i <= 3; i++)
#pragma omp task depend(in : x) firstprivate(i)
    cost(5 - i);                /* 74 */
    cost(50);
}
static void dep_readers_model(void)
{
    m_cost(2);
    m_dep_task(M_OUT, 1, 10);
    for (int i = 1; i <= 5; i++)
        m_dep_task(M_IN, 1, 7 * i);
    m_dep_task(M_OUT, 1, 20);
    m_dep_task(M_OUT, 1, 3);
    for (int i = 1; i <= 3; i++)
        m_dep_task(M_IN, 1, 5 - i);
    m_cost(50);
}
static void dep_readers_run(void) { in_single(dep_readers_body); }
static void dep_readers_expect(void)
{
    m_in_single(dep_readers_model);
    closed(2 + 10 + 105 + 23 + 9 + 50, 2 + 10 + 35 + 20 + 3 + 4);
}

/* A reader of one after a writer of another: no edge; of both: two. */
CASE(dep_diamond)
static void dep_diamond_body(void)
{
    static int a, b, c;
    a = b = c = 0;
#pragma omp task depend(out : a)
    {
        cost(10);
        a = 1;
    }
#pragma omp task depend(in : a) depend(out : b)
    {
        cost(20);
        b = a + 1;
    }
#pragma omp task depend(in : a) depend(out : c)
    {
        cost(33);
        c = a + 2;
    }
#pragma omp task depend(in : b, c)
    {
        check(b + c == 5);
        cost(5);
    }
#pragma omp task depend(in : b)
    cost(17);                   /* 47 */
    cost(1);
#pragma omp taskwait
    cost(2);
}
static void dep_diamond_model(void)
{
    m_dep_task(M_OUT, 1, 10);
    m_depend(M_IN, 1);
    m_dep_task(M_OUT, 2, 20);
    m_depend(M_IN, 1);
    m_dep_task(M_OUT, 3, 33);
    m_depend(M_IN, 2);
    m_dep_task(M_IN, 3, 5);
    m_dep_task(M_IN, 2, 17);
    m_cost(1);
    m_taskwait();
    m_cost(2);
}
static void dep_diamond_run(void) { in_single(dep_diamond_body); }
static void dep_diamond_expect(void)
{
    m_in_single(dep_diamond_model);
    closed(88, 10 + 33 + 5 + 2);
}

/* The child of a task with a clause takes its time from its creation, and is no part of the
 * edge. */
CASE(dep_children)
static void dep_children_body(void)
{
    static int x;
    x = 0;
#pragma omp task depend(out : x)
    {
        cost(4);
#pragma omp task
        cost(90);               /* 94 */
        cost(6);
    }
#pragma omp task depend(in : x)
    {
        cost(1);                /* 11 */
#pragma omp task
        cost(70);               /* 81 */
#pragma omp taskwait
        cost(5);                /* 86 */
    }
}
static void dep_children_model(void)
{
    m_depend(M_OUT, 1);
    m_task(0);
    m_cost(4);
    m_task(0);
    m_cost(90);
    m_end();
    m_cost(6);
    m_end();
    m_depend(M_IN, 1);
    m_task(0);
    m_cost(1);
    m_task(0);
    m_cost(70);
    m_end();
    m_taskwait();
    m_cost(5);
    m_end();
}
static void dep_children_run(void) { in_single(dep_children_body); }
static void dep_children_expect(void)
{
    m_in_single(dep_children_model);
    closed(176, 94);
}

/* Cousins with the same address have nothing to do with each other. */
CASE(dep_cousins)
static void dep_cousins_body(void)
{
    static int x;
    for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
    {
#pragma omp task depend(inout : x)
        cost(30 + i);
#pragma omp task depend(inout : x)
        cost(10);
    }
}
static void dep_cousins_model(void)
{
    for (int i = 0; i < 4; i++) {
        m_task(0);
        m_dep_task(M_OUT, 1, 30 + i);
        m_dep_task(M_OUT, 1, 10);
        m_end();
    }
}
static void dep_cousins_run(void) { in_single(dep_cousins_body); }
static void dep_cousins_expect(void)
{
    m_in_single(dep_cousins_model);
    closed(4 * 40 + 6, 43);
}
