/* chunk_taskgroup.c - taskgroups in chunks: the chunk goes on after them. */
#include "loop.h"

CASE(chunk_group)
static void chunk_group_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(1);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 12; i++) {
            cost(2);
#pragma omp taskgroup
            {
#pragma omp task firstprivate(i)
                {
                    cost(10 + i);
#pragma omp task
                    cost(20);
                }
                cost(3);
            }
            cost(5);
        }
        cost(4);
#pragma omp for schedule(guided)
        for (int i = 0; i < 1000; i++)
            if (guided_cost(i)) {
#pragma omp taskgroup
                {
#pragma omp task firstprivate(i)
                    cost(guided_cost(i));
                }
                cost(6);
            }
    }
}
static void chunk_group_expect(void)
{
    m_fork(TEAM);
    m_all(1);
    m_thread(0);
    for (int i = 0; i < 12; i++) {
        m_chunk();
        m_cost(2);
        m_group();
        m_task(0);
        m_cost(10 + i);
        m_task(0);
        m_cost(20);
        m_end();
        m_end();
        m_cost(3);
        m_group_end();
        m_cost(5);
        m_chunk_end();
    }
    m_chunks_end();
    m_barrier();
    m_all(4);
    m_guided(6);
    m_join();
    closed(4 + 24 + 186 + 12 * 28 + 16 + 240 + 18, 1 + 2 + 21 + 20 + 5 + 4 + 106);
}

/* Groups in groups, in and around the loop, and waits in them. */
CASE(chunk_groups)
static void chunk_groups_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp taskgroup
        {
#pragma omp for schedule(dynamic, 1) nowait
            for (int i = 0; i < 8; i++) {
#pragma omp task
                cost(40);
#pragma omp taskgroup
                {
                    cost(1);
#pragma omp taskgroup
                    {
#pragma omp task
                        {
                            cost(10);
#pragma omp task
                            cost(10);
                        }
                        cost(2);
                    }
#pragma omp task
                    {
                        cost(20);
#pragma omp task
                        cost(30);
                    }
                    cost(1);
#pragma omp taskwait
                    cost(3);
                }
                cost(1);
            }
            cost(7);
#pragma omp task
            {
                cost(1);
#pragma omp task
                cost(9);
            }
        }
        cost(2);
    }
}
static void chunk_groups_expect(void)
{
    m_fork(TEAM);
    for (int t = 0; t < TEAM; t++) {
        m_thread(t);
        m_group();
        for (int i = t ? 8 : 0; i < 8; i++) {
            m_chunk();
            m_task(0);
            m_cost(40);
            m_end();
            m_group();
            m_cost(1);
            m_group();
            m_task(0);
            m_cost(10);
            m_task(0);
            m_cost(10);
            m_end();
            m_end();
            m_cost(2);
            m_group_end();
            m_task(0);
            m_cost(20);
            m_task(0);
            m_cost(30);
            m_end();
            m_end();
            m_cost(1);
            m_taskwait();
            m_cost(3);
            m_group_end();
            m_cost(1);
            m_chunk_end();
        }
        if (!t)
            m_chunks_end();
        m_cost(7);
        m_task(0);
        m_cost(1);
        m_task(0);
        m_cost(9);
        m_end();
        m_end();
        m_group_end();
        m_cost(2);
    }
    m_join();
    /* a chunk: 21 at the inner group's end, 41 behind taskwait, 71 at the outer one's */
    closed(8 * 118 + TEAM * 19, 71 + 1 + 7 + 10 + 2);
}

CASE(chunk_depend)
static void chunk_depend_run(void)
{
    static int x[8];
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 8; i++) {
        cost(4);
#pragma omp taskgroup
        {
#pragma omp task depend(out : x[i])
            cost(10);
#pragma omp task depend(inout : x[i])
            cost(20);
#pragma omp task depend(in : x[i]) if (0)
            cost(1);
#pragma omp task depend(in : x[i])
            cost(2);
        }
        cost(5);
    }
}
static void chunk_depend_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 8; i++) {
        m_chunk();
        m_cost(4);
        m_group();
        m_depend(M_OUT, i);
        m_task(0);
        m_cost(10);
        m_end();
        m_depend(M_OUT, i);
        m_task(0);
        m_cost(20);
        m_end();
        m_depend(M_IN, i);
        m_task(M_IF0);
        m_cost(1);
        m_end();
        m_depend(M_IN, i);
        m_task(0);
        m_cost(2);
        m_end();
        m_group_end();
        m_cost(5);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(8 * 42, 4 + 30 + 1 + 2 + 5);
}

/* A taskloop is in a taskgroup of its own, or in the program's. */
CASE(chunk_taskloop)
static void chunk_taskloop_run(void)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 8; i++) {
        cost(1);
#pragma omp taskloop grainsize(1)
        for (int j = 0; j < 5; j++)
            cost(10 + j);
        cost(5);
#pragma omp taskgroup
        {
#pragma omp taskloop nogroup grainsize(1)
            for (int j = 0; j < 3; j++)
                cost(20 + j);
            cost(2);
        }
        cost(3);
    }
}
static void chunk_taskloop_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 8; i++) {
        m_chunk();
        for (int l = 0; l < 2; l++) {
            m_cost(l ? 5 : 1);
            m_group();
            for (int j = 0; j < (l ? 3 : 5); j++) {
                m_task(0);
                m_cost((l ? 20 : 10) + j);
                m_end();
            }
            m_cost(l ? 2 : 0);
            m_group_end();
        }
        m_cost(3);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(8 * (1 + 60 + 5 + 63 + 2 + 3), 1 + 14 + 5 + 22 + 3);
}
