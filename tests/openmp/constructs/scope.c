/* scope.c - the scope construct: all threads of the team execute it, each by itself, and wait at
 * its end. gcc calls GOMP_scope_start where tasks take part in its reduction. */
#include "loop.h"

#if !defined(__clang__) && __GNUC__ < 12
CASE_WITHOUT(scope, "does not know the scope construct")
#elif defined(__clang__)
CASE(scope)
static void scope_run(void)
{
}
static void scope_expect(void)
{
    skip("clang 14 does not know the scope construct");
}
#else
CASE(scope)
static void scope_run(void)
{
    long s = 0;
#pragma omp parallel num_threads(TEAM)
    {
        cost(1 + omp_get_thread_num());
#pragma omp scope reduction(+ : s)
        {
            s++;
            cost(5);
        }
#pragma omp scope reduction(task, + : s)
        {
#pragma omp task in_reduction(+ : s)
            {
                s++;
                cost(20);
            }
            cost(4);
        }
#pragma omp scope nowait
        cost(3);
    }
    check(s == 2 * TEAM);
}
static void scope_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(1 + i + 5);
    }
    m_barrier();
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_task(0);
        m_cost(20);
        m_end();
        m_cost(4);
    }
    m_barrier();
    m_all(3);
    m_join();
    closed(sum(1, 5) + TEAM * (5 + 24 + 3), 9 + 20 + 3);
}
#endif
