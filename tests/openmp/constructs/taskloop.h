/* taskloop.h - taskloops: a task a chunk, all born at the loop's begin, joined by the taskgroup
 * around it unless nogroup. N iterations in T tasks: the first N % T have N / T + 1 iterations, the
 * others N / T; grainsize(G): T = N / G. Both runtimes do so; the cases check that they do
 * (starts_right).
 */
#ifndef TESTS_OPENMP_CONSTRUCTS_TASKLOOP_H
#define TESTS_OPENMP_CONSTRUCTS_TASKLOOP_H

#include "cases.h"

static inline long chunk_begin(long n, long tasks, long k)
{
    return k * (n / tasks) + (k < n % tasks ? k : n % tasks);
}

/* The tasks of a loop of N iterations, iteration i costing A i + B. */
static inline void m_chunks(long n, long tasks, long a, long b)
{
    for (long k = 0; k < tasks; k++) {
        m_task(0);
        for (long i = chunk_begin(n, tasks, k); i < chunk_begin(n, tasks, k + 1); i++)
            m_cost(a * i + b);
        m_end();
    }
}
static inline void m_taskloop(long n, long tasks, long a, long b)
{
    m_group();
    m_chunks(n, tasks, a, b);
    m_group_end();
}

#endif
