/* depend_many.c - many tasks at one address, many addresses, paths of equal length. */
#include "depend.h"

/* Dependences reach over a taskwait, and one address is used by two hundred writers and readers,
 * some of them serial. */
CASE(dep_rounds)
static void dep_rounds_body(void)
{
    static int x;
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : x)
        cost(3);
#pragma omp task depend(in : x)
        cost(4);
#pragma omp task depend(in : x) firstprivate(i)
        cost(i % 3);
        if (i % 10 == 9) {
#pragma omp taskwait
            cost(2);
        }
    }
}
static void dep_rounds_model(void)
{
    for (int i = 0; i < 50; i++) {
        m_dep_task(M_OUT, 1, 3);
        m_dep_task(M_IN, 1, 4);
        m_dep_task(M_IN, 1, i % 3);
        if (i % 10 == 9) {
            m_taskwait();
            m_cost(2);
        }
    }
}
static void dep_rounds_run(void) { in_single(dep_rounds_body); }
static void dep_rounds_expect(void)
{
    m_in_single(dep_rounds_model);
    closed(350 + 49 + 10, 50 * 7 + 5 * 2);
}

/* More readers than are kept, the longest somewhere among them; more addresses than are kept
 * across a taskwait. */
enum { MANY = 500 };
static int reader_cost(int i) { return 1 + i * 37 % 101; }
#ifdef HAS_TASKWAIT_DEPEND
CASE(dep_many)
static void dep_many_body(void)
{
    static int x[MANY];
    for (int i = 0; i < MANY; i++)
        x[i] = 0;
    for (int i = 0; i < MANY; i++)
#pragma omp task depend(in : x[0]) firstprivate(i)
        cost(reader_cost(i));
#pragma omp task depend(out : x[0])
    {
        cost(7);
        x[0] = 1;
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < MANY; i++)
#pragma omp task depend(in : x[i - 1]) depend(out : x[i]) firstprivate(i)
        {
            check(x[i - 1] == x[i] + 1);
            cost(i % 3);
            x[i]++;
        }
        cost(2);
#pragma omp taskwait depend(in : x[MANY / 3])
        cost(4);
#pragma omp taskwait
        x[0]++;
    }
}
static void dep_many_model(void)
{
    for (int i = 0; i < MANY; i++)
        m_dep_task(M_IN, 1, reader_cost(i));
    m_dep_task(M_OUT, 1, 7);
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < MANY; i++) {
            m_depend(M_IN, i);
            m_dep_task(M_OUT, i + 1, i % 3);
        }
        m_cost(2);
        m_depend(M_IN, 1 + MANY / 3);
        m_taskwait_depend();
        m_cost(4);
        m_taskwait();
    }
}
static void dep_many_run(void) { in_single(dep_many_body); }
static void dep_many_expect(void) { m_in_single(dep_many_model); }
#else
CASE_WITHOUT(dep_many, "has no taskwait depend")
#endif

/* Equal paths: which of them is the span's does not depend on the schedule, the runtime or the
 * order of clauses. */
enum { TIES = 20, EQUAL = 300 };
static int tie_x, tie_y;
static __attribute__((noinline)) void dep_ties_one(void)
{
#pragma omp task depend(in : tie_x)
    cost(10);
    __asm__ volatile("");       /* no tail call */
}
static __attribute__((noinline)) void dep_ties_two(void)
{
#pragma omp task depend(in : tie_x)
    cost(10);
    __asm__ volatile("");
}
static __attribute__((noinline)) void dep_ties_three(void)
{
#pragma omp task depend(in : tie_y)
    cost(10);
    __asm__ volatile("");
}
static __attribute__((noinline)) void dep_ties_after(void)
{
#pragma omp task depend(inout : tie_x, tie_y)
    cost(5);
    __asm__ volatile("");
}
CASE(dep_ties)
static void dep_ties_body(void)
{
    static void (*const way[])(void) = { dep_ties_one, dep_ties_two, dep_ties_three };
    for (int round = 0; round < TIES; round++) {
        for (int i = 0; i < EQUAL; i++)
            way[(i + round) % 3]();
        dep_ties_after();
    }
}
static void dep_ties_model(void)
{
    for (int round = 0; round < TIES; round++) {
        for (int i = 0; i < EQUAL; i++)
            m_dep_task(M_IN, (i + round) % 3 == 2 ? 2 : 1, 10);
        m_depend(M_OUT, 1);
        m_dep_task(M_OUT, 2, 5);
    }
}
static void dep_ties_run(void) { in_single(dep_ties_body); }
static void dep_ties_expect(void)
{
    m_in_single(dep_ties_model);
    closed(TIES * (EQUAL * 10 + 5), TIES * 15);
}

/* A group of readers is thinned out while the first of them ends. The writer ends a little later
 * from round to round, as the creator comes to the reader at which that happens. */
enum { RACES = 1000, READERS = 100 };
static int race_x, race_gate, race_round;
CASE(dep_thinned)
static void dep_thinned_body(void)
{
    const int open_at = omp_get_num_threads() > 1 ? 40 + race_round % 25 : 0;
    __atomic_store_n(&race_gate, !open_at, __ATOMIC_RELEASE);
#pragma omp task depend(out : race_x)
    {
        cost(1);
        while (!__atomic_load_n(&race_gate, __ATOMIC_ACQUIRE))
            ;
        race_x++;
    }
    for (int i = 0; i < READERS; i++) {
        if (i == open_at)
            __atomic_store_n(&race_gate, 1, __ATOMIC_RELEASE);
#pragma omp task depend(in : race_x) firstprivate(i)
        {
            check(race_x == race_round + 1);
            cost(i % 2);
        }
    }
}
static void dep_thinned_model(void)
{
    m_dep_task(M_OUT, 1, 1);
    for (int i = 0; i < READERS; i++)
        m_dep_task(M_IN, 1, i % 2);
}
static void dep_thinned_run(void)
{
    race_x = 0;
    for (race_round = 0; race_round < RACES; race_round++)
        in_single(dep_thinned_body);
}
static void dep_thinned_expect(void)
{
    for (int i = 0; i < RACES; i++)
        m_in_single(dep_thinned_model);
    closed(RACES * (1 + READERS / 2), RACES * 2);
}
