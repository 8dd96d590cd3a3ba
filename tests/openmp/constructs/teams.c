/* teams.c - leagues of teams, on the host. */
#include "cases.h"

/* A league on the host: each team's first thread, and a region in it, with tasks. */
CASE(teams)
static void teams_run(void)
{
    cost(2);
#pragma omp teams num_teams(2)
    {
        check(omp_get_num_teams() == 2);
        cost(3 + 4 * omp_get_team_num());
#pragma omp parallel num_threads(1)
        {
            for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(i)
                cost(10 + i);
            cost(1);
        }
        cost(5);
    }
    cost(1);
}
static void teams_expect(void)
{
    if (LIBOMP)
        /* each of its teams begins with a region of one thread, and a task of that */
        tasks_unknown();
    m_cost(2);
    m_fork(2);
    for (int t = 0; t < 2; t++) {
        m_thread(t);
        m_cost(3 + 4 * t);
        m_fork(1);
        for (int i = 0; i < 3; i++) {
            m_task(0);
            m_cost(10 + i);
            m_end();
        }
        m_cost(1);
        m_join();
        m_cost(5);
    }
    m_join();
    m_cost(1);
    closed(2 + 10 + 2 * 34 + 10 + 1, 2 + 7 + 12 + 5 + 1);
}

/* Of one team: what it does itself, and a region in it. */
CASE(teams_one)
static void teams_one_run(void)
{
    cost(2);
    for (int i = 0; i < 2; i++) {
#pragma omp teams num_teams(1)
        {
            cost(3);
#pragma omp parallel
            {
#pragma omp single
                for (int k = 0; k < 3; k++)
#pragma omp task firstprivate(k)
                    cost(10 + k);
            }
            cost(5);
        }
    }
    cost(1);
}
static void teams_one_expect(void)
{
    tasks_unknown();            /* how many threads the team may have is the runtime's affair */
    m_cost(2);
    for (int i = 0; i < 2; i++) {
        m_fork(1);
        m_cost(3);
        m_fork(1);
        for (int k = 0; k < 3; k++) {
            m_task(0);
            m_cost(10 + k);
            m_end();
        }
        m_join();
        m_cost(5);
        m_join();
    }
    m_cost(1);
    closed(2 + 2 * (3 + 33 + 5) + 1, 2 + 2 * (3 + 12 + 5) + 1);
}
