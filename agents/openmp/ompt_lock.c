/* ompt_lock.c - critical, atomic, locks and ordered blocks of libomp: one strand at a time. See
 * ompt.h. */
#include "ompt.h"
#include "doacross.h"
#include "libprof_format.h"
#include "base/forbid.h"

void ompt_on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t id,
                           const void *code)
{
    if (!ompt_here.tests)
        ompt_here.entering = omp_wait_begin();
}

void ompt_on_mutex_acquired(int kind, uint64_t id, const void *code)
{
    static const char *const constructs[] = { [OMPT_MUTEX_LOCK] = "lock",
                                              [OMPT_MUTEX_NEST_LOCK] = "lock",
                                              [OMPT_MUTEX_CRITICAL] = "critical",
                                              [OMPT_MUTEX_ATOMIC] = "atomic",
                                              [OMPT_MUTEX_ORDERED] = "ordered" };
    struct path_point mine = PATH_POINT();
    ompt_waited_for(ompt_here.entering, mine,
                    kind > 0 && kind <= OMPT_MUTEX_ORDERED ? constructs[kind] : 0,
                    kind == OMPT_MUTEX_ORDERED ? LPF_SITE_IN_ORDER : 0);
    ompt_here.entering = 0;
    if (kind == OMPT_MUTEX_ORDERED)
        omp_ordered_enter();
}

/* If a strand only tests a lock and does not get it, OMPT reports nothing more. libomp 14 reports
 * such strands with the same kind as strands that wait. So we mark them. */
#define TEST_LOCK(name)                                                                         \
    EXPORT int name(void *location, int32_t gtid, void **lock);                                 \
    EXPORT int name(void *location, int32_t gtid, void **lock)                                  \
    {                                                                                           \
        ompt_here.tests = true;                                                                 \
        int got = kmpc_entry(__builtin_return_address(0))->name(location, gtid, lock);          \
        ompt_here.tests = false;                                                                \
        return got;                                                                             \
    }
TEST_LOCK(__kmpc_test_lock)
TEST_LOCK(__kmpc_test_nest_lock)

/* The thread takes a nest lock again that it holds. mutex_acquire has announced this. */
void ompt_on_nest_lock(ompt_endpoint endpoint, uint64_t id, const void *code)
{
    if (endpoint == OMPT_BEGIN)
        ompt_on_mutex_acquired(OMPT_MUTEX_NEST_LOCK, id, code);
}

/* OMPT reports a release too late: the next strand may have entered already. */
EXPORT void __kmpc_end_ordered(void *location, int32_t gtid);
EXPORT void __kmpc_end_ordered(void *location, int32_t gtid)
{
    if (ompt_get_task_info)
        omp_ordered_leave();
    kmpc_entry(__builtin_return_address(0))->__kmpc_end_ordered(location, gtid);
}
