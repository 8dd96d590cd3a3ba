/* family.h - a task and its child, which nobody waits for: on the runtime and on the model. */
#ifndef TESTS_OPENMP_CONSTRUCTS_FAMILY_H
#define TESTS_OPENMP_CONSTRUCTS_FAMILY_H

#include "cases.h"

static inline void family(long grandchild)
{
#pragma omp task firstprivate(grandchild)
    {
        cost(5);
#pragma omp task firstprivate(grandchild)
        cost(grandchild);
        cost(2);
    }
}
static inline void m_family(long grandchild)
{
    m_task(0);
    m_cost(5);
    m_task(0);
    m_cost(grandchild);
    m_end();
    m_cost(2);
    m_end();
}

#endif
