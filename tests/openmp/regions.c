/* regions.c - parallel regions, barriers, and the worksharing that is no loop. The head of loops.c has a table of what was
 * decided about sections and critical. */
#include <pthread.h>
#include "cases.h"

static long sum(long from, long to) { return (to - from) * (from + to - 1) / 2; }   /* of i in [from, to) */

/* ---- regions ---- */

/* Every thread i costs 10 + i, on as many as there are. */
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

/* Barriers between unequal epochs: the span is the sum over the epochs of the most expensive thread's cost. */
enum { EPOCHS = 9, TEAM = 4 };
static long epoch_cost(int e, int i) { return 1 + (7 * i + 5 * e) % 11; }
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

/* 2 x 2, unequal, with a barrier in the inner teams, tasks in them, and a barrier of the outer one around them. */
static void nested_2x2_run(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int o = omp_get_thread_num();
        cost(1 + 4 * o);
#pragma omp parallel num_threads(2) firstprivate(o)
        {
            int i = omp_get_thread_num();
            check(omp_get_num_threads() == 2 && omp_get_level() == 2);
            cost(10 + o + 5 * i);
#pragma omp barrier
#pragma omp task firstprivate(i, o)
            cost(20 - 3 * i + o);
            cost(4 + i);
        }
        cost(3 - o);
#pragma omp barrier
        cost(7 + o);
    }
}
static void m_nested_2x2(int inner)
{
    m_fork(2);
    for (int o = 0; o < 2; o++) {
        m_thread(o);
        m_cost(1 + 4 * o);
        m_fork(inner);
        for (int i = 0; i < inner; i++) {
            m_thread(i);
            m_cost(10 + o + 5 * i);
        }
        m_barrier();
        for (int i = 0; i < inner; i++) {
            m_thread(i);
            m_task(0);
            m_cost(20 - 3 * i + o);
            m_end();
            m_cost(4 + i);
        }
        m_join();
        m_cost(3 - o);
    }
    m_barrier();
    for (int o = 0; o < 2; o++) {
        m_thread(o);
        m_cost(7 + o);
    }
    m_join();
}
static void nested_2x2_expect(void)
{
    m_nested_2x2(2);
    /* thread 1: 5 + (11 + 5) + 21 + 2, then 8; thread 0: 1 + 15 + 20 + 3 */
    closed(6 + 25 + 27 + 37 + 39 + 18 + 5 + 15, 44 + 8);
}

/* The same nesting where only one level is active: the inner teams are of one thread. */
static void nested_serial_run(void)
{
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
    {
        int o = omp_get_thread_num();
        cost(1 + 4 * o);
#pragma omp parallel num_threads(2) firstprivate(o)
        {
            int i = omp_get_thread_num();
            check(omp_get_num_threads() == 1);
            cost(10 + o + 5 * i);
#pragma omp barrier
#pragma omp task firstprivate(i, o)
            cost(20 - 3 * i + o);
            cost(4 + i);
        }
        cost(3 - o);
#pragma omp barrier
        cost(7 + o);
    }
}
static void nested_serial_expect(void)
{
    m_nested_2x2(1);
    closed(6 + 21 + 41 + 8 + 5 + 15, 5 + 11 + 21 + 2 + 8); /* the task beside the thread's 4 */
}

/* A team of one, by if(0), by num_threads(1): its tasks are beside each other all the same. */
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

/* Regions in tasks, tasks in them, and tasks that a region's threads leave to its end. */
static void region_in_task_body(void)
{
    for (int k = 0; k < 3; k++)
#pragma omp task firstprivate(k)
    {
        cost(5 + k);
#pragma omp parallel num_threads(2) firstprivate(k)
        {
            cost(10 * omp_get_thread_num());
#pragma omp task firstprivate(k)
            {
                cost(20);
#pragma omp task
                cost(k);
            }
        }
        cost(1);                /* 5 + k + 30 + k + 1 + ... */
    }
#pragma omp taskwait
    cost(2);
}
static void region_in_task_run(void)
{
    omp_set_max_active_levels(2);
    in_single(region_in_task_body);
}
static void region_in_task_model(void)
{
    for (int k = 0; k < 3; k++) {
        m_task(0);
        m_cost(5 + k);
        m_fork(2);
        for (int i = 0; i < 2; i++) {
            m_thread(i);
            m_cost(10 * i);
            m_task(0);
            m_cost(20);
            m_task(0);
            m_cost(k);
            m_end();
            m_end();
        }
        m_join();
        m_cost(1);
        m_end();
    }
    m_taskwait();
    m_cost(2);
}
static void region_in_task_expect(void)
{
    m_in_single(region_in_task_model);
    closed(18 + 30 + 120 + 6 + 3 + 2, 7 + 10 + 20 + 2 + 1 + 2);
}

/* Two threads of the program's own, each with teams. */
static void *root_thread(void *p)
{
    int r = *(int *)p;
    cost(1 + r);
#pragma omp parallel num_threads(2) firstprivate(r)
    {
        cost(10 * (r + 1) + omp_get_thread_num());
#pragma omp task firstprivate(r)
        cost(30 - r);
    }
    cost(5);
    return NULL;
}
static void two_roots_run(void)
{
    pthread_t t[2];
    int r[2] = { 0, 1 };
    for (int i = 0; i < 2; i++)
        check(pthread_create(&t[i], NULL, root_thread, &r[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    cost(1);
}
static void two_roots_expect(void)
{
    m_fork(2);
    for (int r = 0; r < 2; r++) {
        m_thread(r);
        m_cost(1 + r);
        m_fork(2);
        for (int i = 0; i < 2; i++) {
            m_thread(i);
            m_cost(10 * (r + 1) + i);
            m_task(0);
            m_cost(30 - r);
            m_end();
        }
        m_join();
        m_cost(5);
    }
    m_join();
    m_cost(1);
    closed(3 + 60 + 2 + 118 + 10 + 1, 2 + 21 + 29 + 5 + 1);
    tasks_unknown();            /* how the program's own threads count is not this suite's */
}

/* ---- single, master, critical, sections ---- */

static void single_run(void)
{
#pragma omp parallel num_threads(4)
    {
        int v = 0;
        cost(5);
#pragma omp single copyprivate(v)
        {
            v = 42;
            cost(20);
        }
        check(v == 42);
        cost(omp_get_thread_num());
#pragma omp barrier
#pragma omp single
        cost(9);
#pragma omp single nowait
        cost(30);               /* one thread alone; the others go on */
        cost(4);
    }
}
static void single_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(5);
    }
    m_cost(20);
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(i);
    }
    m_barrier();
    m_cost(9);
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(i ? 4 : 34);
    }
    m_join();
    closed(20 + 20 + 6 + 9 + 30 + 16, 5 + 20 + 3 + 9 + 34);
}

/* master is thread 0, whose path is the short one; no barrier. */
static void master_run(void)
{
#pragma omp parallel num_threads(4)
    {
        cost(10 * omp_get_thread_num());
#pragma omp master
        cost(25);
        cost(1);
#pragma omp barrier
#pragma omp master
        {
#pragma omp task
            cost(50);
            cost(2);
        }
        cost(3);
    }
}
static void master_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(10 * i);
        if (i == 0)
            m_cost(25);
        m_cost(1);
    }
    m_barrier();
    m_thread(0);
    m_task(0);
    m_cost(50);
    m_end();
    m_cost(2);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(3);
    }
    m_join();
    closed(60 + 25 + 4 + 52 + 12, 31 + 50);
}

/* critical excludes, which is no edge; so do atomic and a lock. */
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

/* As many sections as threads; in a region, and combined with it. */
static void sections_run(void)
{
#pragma omp parallel num_threads(4)
    {
        cost(2);
#pragma omp sections
        {
            cost(10);
#pragma omp section
            cost(40);
#pragma omp section
            cost(30);
#pragma omp section
            cost(20);
        }
        cost(5);
    }
#pragma omp parallel sections num_threads(3)
    {
        cost(7);
#pragma omp section
        cost(9);
#pragma omp section
        {
            cost(1);
#pragma omp task
            cost(30);
        }
    }
}
static void sections_expect(void)
{
    static const long c[4] = { 10, 40, 30, 20 };
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(2 + c[i]);
    }
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(5);
    }
    m_join();
    m_fork(3);
    m_cost(7);
    m_thread(1);
    m_cost(9);
    m_thread(2);
    m_cost(1);
    m_task(0);
    m_cost(30);
    m_end();
    m_join();
    closed(8 + 100 + 20 + 47, 2 + 40 + 5 + 31);
}

/* Each goes on after its taskgroup. */
static void sections_group_run(void)
{
#pragma omp parallel sections num_threads(2)
    {
        {
#pragma omp taskgroup
            {
#pragma omp task
                cost(30);
#pragma omp task
                {
                    cost(10);
#pragma omp task
                    cost(25);
                }
            }
            cost(5);
        }
#pragma omp section
        {
            cost(3);
#pragma omp taskgroup
            {
#pragma omp task
                cost(10);
            }
            cost(9);
        }
    }
}
static void sections_group_expect(void)
{
    m_fork(2);
    m_group();
    m_task(0);
    m_cost(30);
    m_end();
    m_task(0);
    m_cost(10);
    m_task(0);
    m_cost(25);
    m_end();
    m_end();
    m_group_end();
    m_cost(5);
    m_thread(1);
    m_cost(3);
    m_group();
    m_task(0);
    m_cost(10);
    m_end();
    m_group_end();
    m_cost(9);
    m_join();
    closed(70 + 22, 40);
}

/* Six sections for two threads: the table above. */
static void sections_more_run(void)
{
#pragma omp parallel num_threads(2)
    {
        cost(2);
#pragma omp sections
        {
            cost(10);
#pragma omp section
            cost(20);
#pragma omp section
            cost(30);
#pragma omp section
            cost(40);
#pragma omp section
            cost(50);
#pragma omp section
            cost(60);
        }
        cost(1);
    }
}
static void sections_more_expect(void)
{
    m_fork(2);
    for (int i = 0; i < 2; i++) {
        m_thread(i);
        m_cost(2);
    }
    for (int s = 0; s < 6; s++) {
        m_thread(LIBOMP ? s / 3 : 0);
        if (!LIBOMP)
            m_chunk();
        m_cost(10 * (s + 1));
        if (!LIBOMP)
            m_chunk_end();
    }
    if (!LIBOMP)
        m_chunks_end();
    m_barrier();
    for (int i = 0; i < 2; i++) {
        m_thread(i);
        m_cost(1);
    }
    m_join();
    closed(4 + 210 + 2, 2 + (LIBOMP ? 150 : 60) + 1);
}

/* ---- cancel: every thread reaches the cancellation itself ---- */

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
#pragma omp parallel num_threads(2) /* the next team is a sound one */
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

/* Locks that are waited for, tested, had already, and failed to get: what is done meanwhile is work, always. */
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

/* A league on the host: each team's first thread, and a region in it, with tasks. */
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
        tasks_unknown();        /* each of its teams begins with a region of one thread, and a task of that */
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

#define C(NAME) { #NAME, NAME##_run, NAME##_expect }
const struct omp_case region_cases[] = {
    C(region), C(regions), C(barriers), C(nested_2x2), C(nested_serial), C(region_of_one), C(region_in_task),
    C(two_roots), C(single), C(master), C(critical), C(locks), C(sections), C(sections_group), C(sections_more), C(cancel_region), C(teams), C(teams_one), { 0 },
};
