/* taskloop_cancel.c - cancelled taskloops (with OMP_CANCELLATION=true). */
#include "cases.h"

/* Cancelled taskloops: any of the chunks may never begin; those that begin also end. The same holds
 * for the tasks that they create. The waiting strand goes on, whether it waits for the loop's own
 * group, by taskwait, for a group around it, or at the region's end. */
static void before_cancel(void)
{
    cost(10);
#pragma omp task
    cost(0);
#pragma omp taskwait
#pragma omp task
    cost(0);
}
/* libomp creates more than ten by tasks in between, and hangs when those are dropped */
enum { MANY = LIBOMP ? 8 : 64 };
#define CANCELLED_LOOP(clauses, count, n)                                                       \
    _Pragma(clauses)                                                                            \
    for (int i = 0; i < count; i++) {                                                           \
        before_cancel();                                                                        \
        if (i % n == n - 1) {                                                                   \
            _Pragma("omp cancel taskgroup")                                                     \
        }                                                                                       \
    }
#if defined(__clang__) && __clang_major__ <= 11
CASE_WITHOUT(cancel_taskloop, "crashes when it compiles this")
#else
CASE(cancel_taskloop)
static void cancel_taskloop_body(void)
{
    check(omp_get_cancellation());
    for (int n = 1; n <= 8; n *= 2) {
        cost(2);
        CANCELLED_LOOP("omp taskloop grainsize(1)", MANY, MANY / 8 * n)
        cost(3);                /* 15 */
#pragma omp taskgroup
        {
            CANCELLED_LOOP("omp taskloop nogroup grainsize(1)", 8, n)
#pragma omp taskwait
            cost(4);            /* 29 */
        }
#pragma omp taskgroup
        {
            CANCELLED_LOOP("omp taskloop nogroup num_tasks(64)", MANY, n)
            cost(5);
        }                       /* 39 */
#pragma omp taskgroup
        {
#pragma omp task
            {
                CANCELLED_LOOP("omp taskloop nogroup grainsize(1)", 8, n)
                cost(9);
            }
        }                       /* 49 */
    }
}
static void cancel_taskloop_model(void) { m_cost(4 * 49); }
static void cancel_taskloop_run(void) { in_single(cancel_taskloop_body); }
static void cancel_taskloop_expect(void)
{
    m_in_single(cancel_taskloop_model);
    work_unknown();
    tasks_unknown();
}
#endif

/* The region is cancelled, by every thread itself, while its taskloops are about to begin. */
static void about_to_begin(void)
{
#pragma omp taskloop nogroup num_tasks(8)
    for (int k = 0; k < 8; k++)
        cost(0);
}
CASE(cancel_taskloop_region)
static void cancel_taskloop_region_run(void)
{
    check(omp_get_cancellation());
    for (int i = 0; i < 3; i++) {
#pragma omp parallel
        {
            cost(5 + omp_get_thread_num());
            about_to_begin();
#pragma omp cancel parallel
            cost(1000);
#pragma omp barrier
            cost(1000);
        }
    }
}
static void cancel_taskloop_region_expect(void)
{
    for (int i = 0; i < 3; i++) {
        m_fork(P);
        for (int t = 0; t < P; t++) {
            m_thread(t);
            m_cost(5 + t);
        }
        m_join();
    }
    closed(3 * (5 * P + P * (P - 1) / 2), 3 * (5 + P - 1));
    tasks_unknown();
}
