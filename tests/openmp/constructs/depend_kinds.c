/* depend_kinds.c - mutexinoutset, array sections, iterators, depend objects; depend clauses in
 * taskgroups. */
#include "depend.h"

/* mutexinoutset: after the writer, before the reader, one at a time in no order: that is mutual
 * exclusion, not an edge (libgomp 12 keeps them in order of creation, libomp by locks). */
CASE(dep_mutex)
static void dep_mutex_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    cost(10);
#pragma omp task depend(in : y)
    cost(45);
    for (int i = 0; i < 6; i++)
#pragma omp task depend(mutexinoutset : x) firstprivate(i)
    {
        x++;
        cost(20 + i);           /* 35 */
    }
#pragma omp task depend(mutexinoutset : x, y)
    {
        x++;
        cost(1);                /* 11; y is not read for writing before 45: 46 */
    }
#pragma omp task depend(in : x)
    {
        check(x == 7);
        cost(5);                /* 51 */
    }
#pragma omp task depend(mutexinoutset : x)
    {
        x++;
        cost(30);               /* 81 */
    }
#pragma omp taskwait
    check(x == 8);
}
static void dep_mutex_model(void)
{
    m_dep_task(M_OUT, 1, 10);
    m_dep_task(M_IN, 2, 45);
    for (int i = 0; i < 6; i++)
        m_dep_task(M_MUTEX, 1, 20 + i);
    m_depend(M_MUTEX, 1);
    m_dep_task(M_MUTEX, 2, 1);
    m_dep_task(M_IN, 1, 5);
    m_dep_task(M_MUTEX, 1, 30);
    m_taskwait();
}
static void dep_mutex_run(void) { in_single(dep_mutex_body); }
static void dep_mutex_expect(void)
{
    m_in_single(dep_mutex_model);
    closed(10 + 45 + 135 + 1 + 5 + 30, 45 + 1 + 5 + 30);
    named(10 + 45 + 135 + 1 + 5 + 30, "depend (mutexinoutset)");
}

/* A null address is what gcc 13 and later make of omp_all_memory, which has no edges. */
CASE(dep_all_memory)
static void dep_all_memory_body(void)
{
    int *volatile none = 0, *all = none;
#pragma omp task depend(out : all[0])
    cost(10);
#pragma omp task depend(inout : all[0])
    cost(20);
#pragma omp taskwait
}
static void dep_all_memory_model(void)
{
    m_dep_task(M_OUT, 1, 10);
    m_dep_task(M_OUT, 1, 20);
    m_taskwait();
}
static void dep_all_memory_run(void) { in_single(dep_all_memory_body); }
static void dep_all_memory_expect(void)
{
    m_in_single(dep_all_memory_model);
    if (!LIBOMP) {
        skip("a lower bound");
        named(30, "depend (omp_all_memory)");
        return;
    }
    closed(30, 30);
}

/* The same clauses in other words: array sections, iterators, depend objects. */
CASE(dep_words)
static void dep_words_body(void)
{
    int a[8] = { 0 }, n = 8;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : a[3])
    for (int i = 0; i < 8; i++)
#pragma omp task depend(out : a[i]) firstprivate(i) shared(a)
    {
        a[i] = i;
        cost(10 + i);           /* a[3]: 13, a[7]: 17 */
    }
#pragma omp task depend(depobj : object) shared(a)
    {
        check(a[3] == 3);
        cost(50);               /* 63 */
    }
#pragma omp task depend(iterator(k = 0 : n), in : a[k]) shared(a)
    {
        check(a[3] == 3 && a[7] == 7);
        cost(5);                /* 68 */
    }
#pragma omp task depend(iterator(k = 4 : n), in : a[k]) shared(a)
    cost(30);                   /* 47 */
#pragma omp task depend(inout : a[4 : 2]) shared(a)
    cost(6);                    /* 74: behind both */
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) depend(in : a[4 : 2])
    cost(2);                    /* 76 */
#pragma omp depobj(object) destroy
#pragma omp taskwait
    cost(1);
}
static void dep_words_model(void)
{
    for (int i = 0; i < 8; i++)
        m_dep_task(M_OUT, i, 10 + i);
    m_dep_task(M_OUT, 3, 50);
    for (int k = 0; k < 7; k++)
        m_depend(M_IN, k);
    m_dep_task(M_IN, 7, 5);
    for (int k = 4; k < 7; k++)
        m_depend(M_IN, k);
    m_dep_task(M_IN, 7, 30);
    m_dep_task(M_OUT, 4, 6);    /* a section is known by where it begins */
    m_depend(M_IN, 3);
    m_dep_task(M_IN, 4, 2);
    m_taskwait();
    m_cost(1);
}
static void dep_words_run(void) { in_single(dep_words_body); }
static void dep_words_expect(void)
{
    m_in_single(dep_words_model);
    closed(108 + 50 + 5 + 30 + 6 + 2 + 1, 13 + 50 + 5 + 6 + 2 + 1);
}

/* A dependent task that stands in a group is joined by it; one whose writer has been joined is
 * only younger. */
CASE(dep_group)
static void dep_group_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    cost(40);
#pragma omp taskgroup
    {
#pragma omp task depend(in : x) depend(out : y)
        cost(10);               /* 50 */
#pragma omp task depend(in : y)
        {
            cost(1);
#pragma omp task
            cost(20);           /* 71 */
        }
        cost(2);
    }
    cost(5);                    /* 76 */
#pragma omp task depend(inout : y)
    cost(3);                    /* 79 */
}
static void dep_group_model(void)
{
    m_dep_task(M_OUT, 1, 40);
    m_group();
    m_depend(M_IN, 1);
    m_dep_task(M_OUT, 2, 10);
    m_depend(M_IN, 2);
    m_task(0);
    m_cost(1);
    m_task(0);
    m_cost(20);
    m_end();
    m_end();
    m_cost(2);
    m_group_end();
    m_cost(5);
    m_dep_task(M_OUT, 2, 3);
}
static void dep_group_run(void) { in_single(dep_group_body); }
static void dep_group_expect(void)
{
    m_in_single(dep_group_model);
    closed(81, 79);
}
