/* reduction.c - reductions of regions and of loops. */
#include "loop.h"

CASE(reduction)
static void reduction_run(void)
{
    long s = 0, p = 0, most = 0;
#pragma omp parallel num_threads(TEAM) reduction(+ : s)
    {
        s += omp_get_thread_num();
        cost(3);
#pragma omp for schedule(static) reduction(+ : p)
        for (int i = 0; i < N; i++) {
            p += i;
            cost(i);
        }
        check(p == sum(0, N));
        cost(2);
#pragma omp for schedule(static) reduction(max : most) nowait
        for (int i = 0; i < N; i++) {
            most = larger(most, i);
            cost(1);
        }
    }
    check(s == 6 && most == N - 1);
#pragma omp parallel for num_threads(TEAM) reduction(+ : p) schedule(dynamic, 10)
    for (int i = 0; i < N; i++) {
        p += i;
        cost(i);
    }
    check(p == 2 * sum(0, N));
}
static void reduction_expect(void)
{
    m_fork(TEAM);
    m_all(3);
    m_static(0);
    m_barrier();
    m_all(2);
    for (int i = 0; i < N; i++) {
        m_thread(static_thread(i, 0));
        m_cost(1);
    }
    m_join();
    m_fork(TEAM);
    m_dynamic(N, 10);
    m_join();
    closed(20 + 2 * sum(0, N) + N, 3 + sum(38, 50) + 2 + 13 + sum(40, 50));
}

/* A combiner of the program's own costs 6: once a thread, in an order and a place that the
 * runtime chooses. */
struct expensive {
    long v;
};
static void combine(struct expensive *out, const struct expensive *in)
{
    cost(6);
    out->v += in->v;
}
#pragma omp declare reduction(expensively : struct expensive : combine(&omp_out, &omp_in))      \
    initializer(omp_priv = { 0 })
CASE(reduction_own)
static void reduction_own_run(void)
{
    struct expensive s = { 100 };
#pragma omp parallel num_threads(TEAM) reduction(expensively : s)
    {
        cost(20);
        s.v += 1 + omp_get_thread_num();
    }
    check(s.v == 110);
}
static void reduction_own_expect(void)
{
    m_fork(TEAM);
    m_all(26);
    m_join();
    closed(TEAM * 26, 26);
    span_between(26, 20 + 6 * TEAM);
}
