/* task_clauses.c - clauses that change nothing in the dag: mergeable, priority, untied with
 * taskyield, firstprivate. */
#include <stdint.h>
#include <string.h>
#include "cases.h"

/* mergeable: alone, with if(0), in a final task. */
CASE(mergeable)
static void mergeable_body(void)
{
    int x = 1;
#pragma omp task mergeable
    cost(20);
#pragma omp task mergeable if (0) shared(x)
    {
        cost(5);
        x = 2;
#pragma omp task
        cost(4);
    }
    check(x == 2);
#pragma omp task final(1)
    {
#pragma omp task mergeable
        cost(8);
#pragma omp task mergeable untied
        cost(9);
    }
#pragma omp taskwait
    cost(1);
}
static void mergeable_model(void)
{
    m_task(0);
    m_cost(20);
    m_end();
    m_task(M_IF0);
    m_cost(5);
    m_task(0);
    m_cost(4);
    m_end();
    m_end();
    m_task(M_FINAL);
    m_task(0);
    m_cost(8);
    m_end();
    m_task(0);
    m_cost(9);
    m_end();
    m_end();
    m_taskwait();
    m_cost(1);
}
static void mergeable_run(void) { in_single(mergeable_body); }
static void mergeable_expect(void)
{
    m_in_single(mergeable_model);
    closed(20 + 9 + 17 + 1, 22 + 1);
}

CASE(priority)
static void priority_body(void)
{
    for (int i = 0; i < 20; i++)
#pragma omp task priority(i) firstprivate(i)
    {
        cost(1 + i);
#pragma omp task priority(30 - i) firstprivate(i)
        cost(30 - i);
    }
#pragma omp taskwait
    cost(100);
}
static void priority_model(void)
{
    for (int i = 0; i < 20; i++) {
        m_task(0);
        m_cost(1 + i);
        m_task(0);
        m_cost(30 - i);
        m_end();
        m_end();
    }
    m_taskwait();
    m_cost(100);
}
static void priority_run(void) { in_single(priority_body); }
static void priority_expect(void)
{
    m_in_single(priority_model);
    closed(20 * 31 + 100, 120);
}

/* taskyield: whatever runs meanwhile is no part of the task. */
CASE(yield)
static void yield_body(void)
{
    for (int i = 0; i < 8; i++)
#pragma omp task untied firstprivate(i)
    {
        cost(1 + i);
#pragma omp taskyield
        cost(10);
    }
    cost(2);
#pragma omp taskyield
    cost(3);
#pragma omp taskwait
}
static void yield_model(void)
{
    for (int i = 0; i < 8; i++) {
        m_task(0);
        m_cost(11 + i);
        m_end();
    }
    m_cost(5);
    m_taskwait();
}
static void yield_run(void) { in_single(yield_body); }
static void yield_expect(void)
{
    m_in_single(yield_model);
    closed(36 + 80 + 5, 18);
}

/* What the program passes to its tasks must arrive, where it must be aligned, whatever is hidden
 * beside it. */
struct wide {
    _Alignas(16) long v[6];
};
struct wider {
    _Alignas(64) char v[192];
};
CASE(aligned)
static void aligned_body(void)
{
    struct wide a = { { 1, 2, 3, 4, 5, 6 } };
    struct wider b;
    memset(b.v, 7, sizeof b.v);
    char odd[13] = "a dozen char";
#pragma omp taskgroup
    for (int i = 0; i < 10; i++) {
        a.v[5] = i;
#pragma omp task firstprivate(a, i, odd)
        {
            check((uintptr_t)&a % 16 == 0 && a.v[0] == 1 && a.v[5] == i &&
                  !strcmp(odd, "a dozen char"));
            cost(3 + i);
        }
#pragma omp task firstprivate(b, i)
        {
            check(LIBOMP || (uintptr_t)&b % 64 == 0); /* libomp 14 aligns to no more than 16 */
            check(b.v[0] == 7 && b.v[191] == 7);
            cost(i);
        }
    }
    cost(2);
}
static void aligned_model(void)
{
    m_group();
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(3 + i);
        m_end();
        m_task(0);
        m_cost(i);
        m_end();
    }
    m_group_end();
    m_cost(2);
}
static void aligned_run(void) { in_single(aligned_body); }
static void aligned_expect(void)
{
    m_in_single(aligned_model);
    closed(75 + 45 + 2, 14);
}

/* A firstprivate array of variable length: gcc has a function copy it, clang refuses. */
#ifdef __clang__
static void vla(int n) { }
#else
static void vla(int n)
{
    long a[n];
    for (int i = 0; i < n; i++)
        a[i] = i * i;
#pragma omp task firstprivate(a)
    {
        for (int i = 0; i < n; i++)
            check(a[i] == i * i);
        cost(n);
    }
    memset(a, 0, sizeof a);
}
#endif
CASE(vla)
static void vla_body(void)
{
    for (int n = 1; n < 20; n++)
        vla(n);
#pragma omp taskwait
    cost(1);
}
static void vla_model(void)
{
    for (int n = 1; n < 20; n++) {
        m_task(0);
        m_cost(n);
        m_end();
    }
    m_taskwait();
    m_cost(1);
}
static void vla_run(void) { in_single(vla_body); }
static void vla_expect(void)
{
    if (LIBOMP) {
        skip("clang refuses firstprivate of variable length");
        return;
    }
    m_in_single(vla_model);
    closed(190 + 1, 20);
}
