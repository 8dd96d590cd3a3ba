/* old_region.c - what gcc before 4.9 made of regions: a call that starts the other threads, the
 * body called by the function that made it, and a call that ends the region. No compiler makes this
 * code any more, so the cases call the functions as that gcc did.
 */
#include <stdbool.h>
#include "cases.h"

void GOMP_parallel_start(void (*body)(void *), void *data, unsigned threads);
void GOMP_parallel_end(void);

static __attribute__((noinline)) void old_parallel(void (*body)(void *), void *data,
                                                   unsigned threads)
{
    GOMP_parallel_start(body, data, threads);
    body(data);
    GOMP_parallel_end();
}

struct share {
    long base;
    int threads, sum;
};

static void region_body(void *p)
{
    struct share *s = p;
    int i = omp_get_thread_num();
    check(omp_in_parallel() == (omp_get_num_threads() > 1) && omp_get_num_threads() == s->threads);
    __atomic_fetch_add(&s->sum, i + 1, __ATOMIC_RELAXED);
    cost(s->base + i);
#pragma omp barrier
    cost(2);
}
CASE(old_region)
static void old_region_run(void)
{
    int threads[3] = { P, 1, TEAM };
    for (int r = 0; r < 3; r++) {
        struct share s = { 10 * (r + 1), threads[r], 0 };
        cost(1);
        old_parallel(region_body, &s, r ? threads[r] : 0);
        check(s.sum == threads[r] * (threads[r] + 1) / 2);
    }
}
static void old_region_expect(void)
{
    int threads[3] = { P, 1, TEAM };
    long w = 0, s = 0;
    for (int r = 0; r < 3; r++) {
        m_cost(1);
        m_fork(threads[r]);
        for (int i = 0; i < threads[r]; i++) {
            m_thread(i);
            m_cost(10 * (r + 1) + i);
        }
        m_barrier();
        for (int i = 0; i < threads[r]; i++) {
            m_thread(i);
            m_cost(2);
        }
        m_join();
        w += 1 + threads[r] * (10 * (r + 1) + 2) + sum(0, threads[r]);
        s += 1 + 10 * (r + 1) + threads[r] - 1 + 2;
    }
    closed(w, s);
}

static void tasks_body(void *p)
{
    int i = omp_get_thread_num();
    cost(1 + i);
    for (int k = 0; k < 3; k++)
#pragma omp task firstprivate(k, i)
    {
        cost(10 * k + i);
#pragma omp task firstprivate(k)
        cost(5 + k);
    }
#pragma omp taskwait
    cost(2);
}
CASE(old_tasks)
static void old_tasks_run(void)
{
    old_parallel(tasks_body, 0, TEAM);
    cost(6);
}
static void old_tasks_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(1 + i);
        for (int k = 0; k < 3; k++) {
            m_task(0);
            m_cost(10 * k + i);
            m_task(0);
            m_cost(5 + k);
            m_end();
            m_end();
        }
        m_taskwait();
        m_cost(2);
    }
    m_join();
    m_cost(6);
    /* thread 3: 4, the task with 23 in it, and what that one made, 7, or 2 */
    closed(10 + 4 * 30 + 3 * 6 + 4 * 18 + 8 + 6, 4 + 23 + 7 + 6);
}

static void inner_body(void *p)
{
    cost(10 + 5 * omp_get_thread_num() + *(int *)p);
}
static void outer_body(void *p)
{
    int o = omp_get_thread_num();
    cost(1 + 4 * o);
    old_parallel(inner_body, &o, 3);
    cost(2);
#pragma omp parallel num_threads(2)
    cost(7);
    old_parallel(inner_body, &o, 1);
}
CASE(old_nested)
static void old_nested_run(void)
{
    omp_set_max_active_levels(2);
    old_parallel(outer_body, 0, 2);
}
static void old_nested_expect(void)
{
    m_fork(2);
    for (int o = 0; o < 2; o++) {
        m_thread(o);
        m_cost(1 + 4 * o);
        m_fork(3);
        for (int i = 0; i < 3; i++) {
            m_thread(i);
            m_cost(10 + 5 * i + o);
        }
        m_join();
        m_cost(2);
        m_fork(2);
        for (int i = 0; i < 2; i++) {
            m_thread(i);
            m_cost(7);
        }
        m_join();
        m_fork(1);
        m_cost(10 + o);
        m_join();
    }
    m_join();
    closed(6 + 45 + 48 + 4 + 28 + 21, 5 + 21 + 2 + 7 + 11);
}
