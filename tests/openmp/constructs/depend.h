/* depend.h - a task with a depend clause, on the model. */
#ifndef TESTS_OPENMP_CONSTRUCTS_DEPEND_H
#define TESTS_OPENMP_CONSTRUCTS_DEPEND_H

#include "cases.h"

static inline void m_dep_task(enum m_kind kind, long address, long c)
{
    m_depend(kind, address);
    m_task(0);
    m_cost(c);
    m_end();
}

#endif
