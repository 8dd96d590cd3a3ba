/* critical.c - critical, atomic, locks: exclusion, which is no edge. */
#include "cases.h"

/* critical excludes, which is no edge; so do atomic and a lock. */
CASE(critical)
static void critical_run(void)
{
    static int n;
    omp_lock_t lock;
    n = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
    {
        cost(1 + omp_get_thread_num());
#pragma omp critical
        {
            n++;
            cost(100);
        }
        cost(3);
#pragma omp critical(named)
        cost(10 - omp_get_thread_num());
        omp_set_lock(&lock);
        cost(7);
        omp_unset_lock(&lock);
#pragma omp atomic
        n += 10;
    }
    check(n == 44);
    omp_destroy_lock(&lock);
}
static void critical_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(1 + i + 100 + 3 + 10 - i + 7);
    }
    m_join();
    closed(4 * 121, 121);
}

/* Strands wait for locks, test them, have them already, and fail to get them. What a strand does
 * meanwhile is always work. */
CASE(locks)
static void locks_run(void)
{
    static omp_lock_t lock;
    static omp_nest_lock_t nest;
    int had = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(4) reduction(+ : had)
    for (int i = 0; i < 10; i++) {
        omp_set_lock(&lock);
        cost(2);
        check(!omp_test_lock(&lock));
        cost(1);
        omp_unset_lock(&lock);
        cost(1);
        if (omp_test_lock(&lock)) {
            had++;
            omp_unset_lock(&lock);
        }
        cost(1);
        omp_set_nest_lock(&nest);
        cost(2);
        omp_set_nest_lock(&nest);
        cost(1);
        check(omp_test_nest_lock(&nest) == 3);
        cost(1);
        for (int k = 0; k < 3; k++)
            omp_unset_nest_lock(&nest);
        if (omp_test_nest_lock(&nest))
            omp_unset_nest_lock(&nest);
        cost(3);
    }
    check(had <= 40);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}
static void locks_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(120);
    }
    m_join();
    closed(480, 120);
}
