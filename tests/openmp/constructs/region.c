/* region.c - parallel regions and their barriers. */
#include "cases.h"

/* Every thread i costs 10 + i, on as many as there are. */
CASE(region)
static void region_run(void)
{
#pragma omp parallel
    cost(10 + omp_get_thread_num());
}
static void region_expect(void)
{
    m_fork(P);
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(10 + i);
    }
    m_join();
    closed(10 * P + sum(0, P), 10 + P - 1);
}

/* One region after another, of 1 to 5 threads, serial parts between. */
CASE(regions)
static void regions_run(void)
{
    for (int r = 0; r < 40; r++) {
        cost(2);
#pragma omp parallel num_threads(1 + r % 5)
        cost(r + 3 * omp_get_thread_num());
#pragma omp parallel num_threads(4) if (r % 2)
        cost(4);
    }
}
static void regions_expect(void)
{
    long w = 0, s = 0;
    for (int r = 0; r < 40; r++) {
        int k = 1 + r % 5, teams = r % 2 ? 4 : 1;
        m_cost(2);
        m_fork(k);
        for (int i = 0; i < k; i++) {
            m_thread(i);
            m_cost(r + 3 * i);
        }
        m_join();
        m_fork(teams);
        for (int i = 0; i < teams; i++) {
            m_thread(i);
            m_cost(4);
        }
        m_join();
        w += 2 + k * r + 3 * sum(0, k) + 4 * teams;
        s += 2 + r + 3 * (k - 1) + 4;
    }
    closed(w, s);
}

/* Barriers between unequal epochs: the span is the sum over the epochs of the most expensive
 * thread's cost. */
enum { EPOCHS = 9 };
static long epoch_cost(int e, int i) { return 1 + (7 * i + 5 * e) % 11; }
CASE(barriers)
static void barriers_run(void)
{
#pragma omp parallel num_threads(TEAM)
    for (int e = 0; e < EPOCHS; e++) {
        cost(epoch_cost(e, omp_get_thread_num()));
#pragma omp barrier
    }
}
static void barriers_expect(void)
{
    long w = 0, s = 0;
    m_fork(TEAM);
    for (int e = 0; e < EPOCHS; e++) {
        long most = 0;
        for (int i = 0; i < TEAM; i++) {
            m_thread(i);
            m_cost(epoch_cost(e, i));
            w += epoch_cost(e, i);
            most = larger(most, epoch_cost(e, i));
        }
        s += most;
        m_barrier();
    }
    m_join();
    closed(w, s);
}

/* A team of one, by if(0), by num_threads(1): its tasks are beside each other all the same. */
CASE(region_of_one)
static void region_of_one_run(void)
{
#pragma omp parallel if (0)
    {
        for (int i = 0; i < 5; i++)
#pragma omp task firstprivate(i)
            cost(10 + i);
        cost(3);
#pragma omp barrier
        cost(2);
    }
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < 5; i++)
#pragma omp task firstprivate(i)
        {
            cost(20 + i);
#pragma omp task
            cost(8);
#pragma omp taskwait
            cost(1);
        }
#pragma omp taskwait
        cost(6);
    }
}
static void region_of_one_expect(void)
{
    m_fork(1);
    for (int i = 0; i < 5; i++) {
        m_task(0);
        m_cost(10 + i);
        m_end();
    }
    m_cost(3);
    m_barrier();
    m_cost(2);
    m_join();
    m_fork(1);
    for (int i = 0; i < 5; i++) {
        m_task(0);
        m_cost(20 + i);
        m_task(0);
        m_cost(8);
        m_end();
        m_taskwait();
        m_cost(1);
        m_end();
    }
    m_taskwait();
    m_cost(6);
    m_join();
    closed(60 + 3 + 2 + 110 + 45 + 6, 14 + 2 + 33 + 6);
}
