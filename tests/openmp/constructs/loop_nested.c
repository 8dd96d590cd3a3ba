/* loop_nested.c - loops of regions in loops: each is of its own kind, static or handed out. */
#include "loop.h"

/* Two iterations, in the order of the loop: 1, and 2 in the ordered block. */
static void m_two_ordered(int threads)
{
    long done = 0;
    m_fork(threads);
    for (int j = 0; j < 2; j++) {
        m_thread(j % threads);
        m_cost(1);
        m_after(done);
        m_cost(2);
        done = m_now();
    }
    m_join();
}
static void two_ordered(int threads)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
    for (int j = 0; j < 2; j++) {
        cost(1);
#pragma omp ordered
        cost(2);
    }
}

/* Handed out: with a static one inside, of one thread and of two, by its name and by
 * OMP_SCHEDULE. */
CASE(nested_kinds)
static void nested_kinds_run(void)
{
    omp_set_max_active_levels(2);
    omp_set_schedule(omp_sched_static, 1);
    for (int threads = 1; threads <= 2; threads++) {
#pragma omp parallel num_threads(TEAM)
        {
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < 8; i++) {
                cost(10);
                two_ordered(threads);
                cost(10);
            }
            cost(1);
#pragma omp for schedule(guided)
            for (int i = 0; i < 1000; i++)
                if (guided_cost(i)) {
                    two_ordered(threads);
                    cost(guided_cost(i));
                }
        }
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
        for (int i = 0; i < 8; i++) {
            cost(3);
#pragma omp parallel for schedule(runtime) num_threads(threads)
            for (int j = 0; j < 2; j++)
                cost(5);
            cost(3);
        }
    }
}
static void nested_kinds_expect(void)
{
    for (int threads = 1; threads <= 2; threads++) {
        m_fork(TEAM);
        for (int i = 0; i < 8; i++) {
            m_chunk();
            m_cost(10);
            m_two_ordered(threads);
            m_cost(10);
            m_chunk_end();
        }
        m_chunks_end();
        m_barrier();
        m_all(1);
        m_thread(0);
        for (int i = 0; i < 1000; i++)
            if (guided_cost(i)) {
                m_chunk();
                m_two_ordered(threads);
                m_cost(guided_cost(i));
                m_chunk_end();
            }
        m_chunks_end();
        m_join();
        m_fork(TEAM);
        for (int i = 0; i < 8; i++) {
            m_chunk();
            m_cost(3);
            m_fork(threads);
            for (int j = 0; j < 2; j++) {
                m_thread(j % threads);
                m_cost(5);
            }
            m_join();
            m_cost(3);
            m_chunk_end();
        }
        m_chunks_end();
        m_join();
    }
    closed(2 * (8 * 26 + 4 + 18 + 240 + 8 * 16), 26 + 1 + 106 + 16 + 25 + 1 + 105 + 11);
}

/* As executed, with one inside that is handed out; in that a static one, and in that one that is
 * handed out. */
CASE(nested_kinds_static)
static void nested_kinds_static_run(void)
{
    omp_set_max_active_levels(4);
    omp_set_schedule(omp_sched_static, 1);
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 6; i++) {
        cost(10);
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
        for (int j = 0; j < 4; j++) {
            cost(1 + j);
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
            for (int k = 0; k < 4; k++) {
                cost(2);
#pragma omp ordered
                cost(1);
                if (k == 3) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
                    for (int l = 0; l < 3; l++)
                        cost(5 + l);
                }
            }
            cost(3);
        }
        cost(1);
    }
}
static void nested_kinds_static_expect(void)
{
    m_fork(2);
    for (int i = 0; i < 6; i++) {
        m_thread(i % 2);
        m_cost(10);
        m_fork(2);
        for (int j = 0; j < 4; j++) {
            m_chunk();
            m_cost(1 + j);
            long done = 0;
            m_fork(2);
            for (int k = 0; k < 4; k++) {
                m_thread(k % 2);
                m_cost(2);
                m_after(done);
                m_cost(1);
                done = m_now();
                if (k == 3) {
                    m_fork(2);
                    for (int l = 0; l < 3; l++) {
                        m_chunk();
                        m_cost(5 + l);
                        m_chunk_end();
                    }
                    m_chunks_end();
                    m_join();
                }
            }
            m_join();
            m_cost(3);
            m_chunk_end();
        }
        m_chunks_end();
        m_join();
        m_cost(1);
    }
    m_join();
    /* two rounds of the ordered one end at 3 and 4, 6 and 7 */
    closed(6 * (10 + 10 + 4 * (12 + 18 + 3) + 1), 3 * (10 + 4 + 7 + 7 + 3 + 1));
}

/* The region inside is a task's, which runs while its chunk waits. */
CASE(nested_kinds_task)
static void nested_kinds_task_run(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 8; i++) {
        cost(1);
#pragma omp taskgroup
        {
#pragma omp task
            two_ordered(1);
        }
        cost(2);
        for (int k = 0; k < 3; k++) {
#pragma omp task
            {
                cost(1);
                two_ordered(2);
                cost(1);
            }
        }
#pragma omp taskwait
        cost(4);
    }
}
static void nested_kinds_task_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 8; i++) {
        m_chunk();
        m_cost(1);
        m_group();
        m_task(0);
        m_two_ordered(1);
        m_end();
        m_group_end();
        m_cost(2);
        for (int k = 0; k < 3; k++) {
            m_task(0);
            m_cost(1);
            m_two_ordered(2);
            m_cost(1);
            m_end();
        }
        m_taskwait();
        m_cost(4);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(8 * (1 + 6 + 2 + 24 + 4), 1 + 6 + 2 + 7 + 4);
}
