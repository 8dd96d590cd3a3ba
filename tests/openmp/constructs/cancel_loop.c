/* cancel_loop.c - cancelled loops and regions (with OMP_CANCELLATION=true): what counts is what
 * ran until then. */
#include "loop.h"

CASE(cancel_region)
static void cancel_region_run(void)
{
    check(omp_get_cancellation());
#pragma omp parallel num_threads(TEAM)
    {
        cost(5 + omp_get_thread_num());
#pragma omp cancel parallel
        cost(1000);
#pragma omp barrier
        cost(1000);
    }
    cost(2);
#pragma omp parallel num_threads(2) /* the next team is not cancelled */
    {
        cost(3);
#pragma omp barrier
        cost(4);
    }
}
static void cancel_region_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(5 + i);
    }
    m_join();
    m_cost(2);
    m_fork(2);
    m_cost(3);
    m_thread(1);
    m_cost(3);
    m_barrier();
    m_cost(4);
    m_thread(0);
    m_cost(4);
    m_join();
    closed(26 + 2 + 14, 8 + 2 + 7);
}

/* Every thread reaches the cancellation itself, in its first iteration. */
CASE(cancel_loop)
static void cancel_loop_run(void)
{
    check(omp_get_cancellation());
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            cost(7 + omp_get_thread_num());
#pragma omp cancel for
            cost(1000);
        }
        cost(3);                /* behind the loop's barrier */
    }
}
static void cancel_loop_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(7 + i);
    }
    m_barrier();
    m_all(3);
    m_join();
    closed(34 + 12, 13);
}

/* The first chunk cancels the loop; its thread goes on after it, and so does the next loop. A
 * team of one has no barriers. */
CASE(cancel_loop_dynamic)
static void cancel_loop_dynamic_run(void)
{
    check(omp_get_cancellation());
    for (int threads = TEAM; threads; threads -= TEAM - 1) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < N; i++) {
                if (i == 0) {
                    cost(7);
#pragma omp cancel for
                }
#pragma omp cancellation point for
            }
            cost(3);
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < threads; i++)
                cost(20 + i);
            cost(1);
        }
        if (threads == 1)
            break;
    }
}
static void cancel_loop_dynamic_expect(void)
{
    for (int threads = TEAM; threads; threads -= TEAM - 1) {
        m_fork(threads);
        m_cost(7);
        m_barrier();
        for (int i = 0; i < threads; i++) {
            m_thread(i);
            m_cost(3);
        }
        m_thread(0);
        for (int i = 0; i < threads; i++) {
            m_chunk();
            m_cost(20 + i);
            m_chunk_end();
        }
        m_chunks_end();
        m_barrier();
        for (int i = 0; i < threads; i++) {
            m_thread(i);
            m_cost(1);
        }
        m_join();
        if (threads == 1)
            break;
    }
    closed(7 + 12 + 86 + 4 + 31, 34 + 31);
}

/* A chunk's taskgroup is cancelled: nobody waits for its tasks that never began. */
CASE(cancel_chunk_group)
static void cancel_chunk_group_run(void)
{
    check(omp_get_cancellation());
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 4; i++) {
        int x = 0;
#pragma omp taskgroup
        {
#pragma omp task depend(out : x) shared(x)
            {
                cost(10);
                if (x == 0) {
#pragma omp cancel taskgroup
                }
                cost(1000);
            }
            for (int k = 0; k < 5; k++)
#pragma omp task depend(inout : x) shared(x)
                cost(1000);
            cost(3);
        }
        cost(5);
    }
}
static void cancel_chunk_group_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 4; i++) {
        m_chunk();
        m_group();
        m_task(0);
        m_cost(10);
        m_end();
        m_cost(3);
        m_group_end();
        m_cost(5);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(4 * 18, 15);
}
