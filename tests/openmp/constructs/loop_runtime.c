/* loop_runtime.c - schedule(runtime): what the program or OMP_SCHEDULE sets at its begin. */
#include "loop.h"

/* schedule(runtime) is what the program or OMP_SCHEDULE has set when the loop begins. */
CASE(loop_runtime)
static void loop_runtime_run(void)
{
    static const omp_sched_t kind[3] = { omp_sched_static, omp_sched_dynamic, omp_sched_static };
    static const int chunk[3] = { 3, 5, 0 };
    for (int r = 0; r < 3; r++) {
        omp_set_schedule(kind[r], chunk[r]);
#pragma omp parallel num_threads(TEAM)
        {
            cost(2);
#pragma omp for schedule(runtime)
            for (int i = 0; i < N; i++)
                cost(i);
            cost(1);
        }
    }
}
static void loop_runtime_expect(void)
{
    for (int r = 0; r < 3; r++) {
        m_fork(TEAM);
        m_all(2);
        if (r == 1)
            m_dynamic(N, 5);
        else
            m_static(r ? 0 : 3);
        m_barrier();
        m_all(1);
        m_join();
    }
    closed(36 + 3 * sum(0, N), 9 + 3 * (10 + 22 + 34 + 46) + sum(45, 50) + sum(38, 50));
}

CASE(loop_runtime_guided)
static void loop_runtime_guided_run(void)
{
    omp_set_schedule(omp_sched_guided, 0);
#pragma omp parallel num_threads(TEAM)
    {
        cost(2);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 1000; i++)
            cost(guided_cost(i));
        cost(1);
    }
}
static void loop_runtime_guided_expect(void)
{
    m_fork(TEAM);
    m_all(2);
    m_guided(0);
    m_barrier();
    m_all(1);
    m_join();
    closed(12 + 240, 103);
}

/* What the loop makes of it is for the next one; or, on libomp 14, for the next region. */
CASE(loop_runtime_changed)
static void loop_runtime_changed_run(void)
{
    for (int r = 0; r < 2; r++) {
        omp_set_schedule(r ? omp_sched_static : omp_sched_dynamic, 1);
#pragma omp parallel num_threads(TEAM)
        {
            cost(2);
#pragma omp for schedule(runtime)
            for (int i = 0; i < N; i++) {
                omp_set_schedule(r ? omp_sched_dynamic : omp_sched_static, 1);
                cost(i);
            }
            omp_set_schedule(r != LIBOMP ? omp_sched_dynamic : omp_sched_static, 1);
            cost(1);
#pragma omp for schedule(runtime)
            for (int i = 0; i < N; i++)
                cost(i);
        }
        omp_set_schedule(r ? omp_sched_static : omp_sched_dynamic, 1);
#pragma omp parallel for schedule(runtime) num_threads(TEAM)
        for (int i = 0; i < N; i++) {
            omp_set_schedule(r ? omp_sched_dynamic : omp_sched_static, 1);
            cost(i);
        }
    }
}
static void loop_runtime_changed_expect(void)
{
    for (int r = 0; r < 2; r++) {
        m_fork(TEAM);
        m_all(2);
        if (r)
            m_static(1);
        else
            m_dynamic(N, 1);
        m_barrier();
        m_all(1);
        if (r != LIBOMP)
            m_dynamic(N, 1);
        else
            m_static(1);
        m_join();
        m_fork(TEAM);
        if (r)
            m_static(1);
        else
            m_dynamic(N, 1);
        m_join();
    }
    /* in turn: thread 1 has 1, 5, ... 49, thread 3 only up to 47 */
    closed(24 + 6 * sum(0, N), 6 + 3 * 49 + 3 * 325);
}
