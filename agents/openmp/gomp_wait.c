/* gomp_wait.c - the waits of libgomp: barriers, single, critical, atomic, locks, taskwait,
 * taskgroup. Also the program's requests: cancellation, events, omp_pause_resource. See gomp.h.
 */
#include "lifecycle/thread.h"
#include "gomp.h"
#include "cancel.h"
#include "gomp_detach.h"
#include "ompt_agent.h"
#include "base/forbid.h"

/* ---- barriers ---- */

EXPORT void GOMP_barrier(void)
{
    AT_BARRIER(e->GOMP_barrier())
}

EXPORT bool GOMP_barrier_cancel(void)
{
    bool cancelled;
    AT_BARRIER(cancelled = e->GOMP_barrier_cancel())
    return cancelled;
}

EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    if (cancelled) {
        ENTRY()->GOMP_workshare_task_reduction_unregister(cancelled);
        return;
    }
    AT_BARRIER(e->GOMP_workshare_task_reduction_unregister(cancelled))
}

/* One thread, the winner, runs its block up to single_copy_end, and the others wait for that. So
 * each thread goes on after all threads have come, and after the winner's block. gcc's barrier
 * after the construct does the rest. */
EXPORT void *GOMP_single_copy_start(void)
{
    const struct gomp_entry *e = ENTRY();
    if (!recorded(e) || !gomp_depth)
        return e->GOMP_single_copy_start();
    omp_meet_put(OMP_MEET_SINGLE);
    struct task *strand = omp_wait_begin();
    void *copy = e->GOMP_single_copy_start();
    omp_entered(strand);
    if (copy)
        omp_meet_get(OMP_MEET_SINGLE);
    return copy;
}

EXPORT void GOMP_single_copy_end(void *data)
{
    const struct gomp_entry *e = ENTRY();
    bool wrapped = recorded(e) && gomp_depth;
    if (wrapped)
        omp_meet_put(OMP_MEET_SINGLE);
    struct task *strand = wrapped ? omp_wait_begin() : 0;
    e->GOMP_single_copy_end(data);
    if (wrapped) {
        omp_entered(strand);
        omp_meet_get(OMP_MEET_SINGLE);
    }
}

/* ---- one strand at a time ---- */

EXPORT void GOMP_critical_start(void)
{
    ENTER("critical", 0, e->GOMP_critical_start())
}

EXPORT void GOMP_critical_name_start(void **name)
{
    ENTER("critical", 0, e->GOMP_critical_name_start(name))
}

EXPORT void GOMP_atomic_start(void)
{
    ENTER("atomic", 0, e->GOMP_atomic_start())
}

/* A lock that is free needs no wait, and no reading of the clock. The functions that only test a
 * lock never wait, so they are not interposed. On another runtime a test is an event of its own. */
#define PLAIN(result, name, parameters)
#define CHUNK(result, name, schedule, parameters, arguments)
#define DOACROSS(result, name, schedule, parameters, arguments)
#define LOCK(name, symbol, version, at)                                                         \
    void name(void *lock)                                                                       \
    {                                                                                           \
        const struct gomp_entry *tests = ENTRY();                                               \
        if (recorded(tests) && tests->test_##name && tests->test_##name(lock))                  \
            return;                                                                             \
        ENTER("lock", 0, e->name(lock))                                                         \
    }
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK

/* ---- tasks ---- */

EXPORT void GOMP_taskwait(void)
{
    const struct gomp_entry *e = ENTRY();
    struct task *strand = recorded(e) && gomp_depth ? omp_wait_begin() : 0;
    e->GOMP_taskwait();
    omp_wait_end(strand, true);
}

EXPORT void GOMP_taskwait_depend(void **depend)
{
    const struct gomp_entry *e = ENTRY();
    struct task *strand = recorded(e) && gomp_depth ? omp_wait_begin() : 0;
    e->GOMP_taskwait_depend(depend);
    omp_entered(strand);
    if (strand)
        gomp_depend_wait(depend);
}

EXPORT void GOMP_taskgroup_start(void)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e) && gomp_depth)
        omp_group_begin();
    e->GOMP_taskgroup_start();
}

EXPORT void GOMP_taskgroup_end(void)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e) && gomp_depth)
        gomp_only_children(thread_self());
    struct task *strand = recorded(e) && gomp_depth ? omp_wait_begin() : 0;
    e->GOMP_taskgroup_end();
    omp_group_end(strand);
}

/* ---- what the program asks of the runtime ---- */

EXPORT bool GOMP_cancel(int which, bool do_cancel)
{
    const struct gomp_entry *e = ENTRY();
    if (do_cancel)
        omp_cancelled();
    return e->GOMP_cancel(which, do_cancel);
}

/* A name that ends with _ is Fortran's. */
#define FULFILL(name)                                                                           \
    EXPORT void name(uintptr_t event)                                                           \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (recorded(e))                                                                        \
            omp_event_fulfill(event);                                                           \
        if (e->foreign)                                                                         \
            ompt_fulfilling(true);                                                              \
        e->name(event);                                                                         \
        if (e->foreign)                                                                         \
            ompt_fulfilling(false);                                                             \
    }
FULFILL(omp_fulfill_event)
FULFILL(omp_fulfill_event_)

/* On libomp, omp_pause_resource may end the tools interface for good. */
#define PAUSE(name, parameters, arguments)                                                      \
    EXPORT int name parameters                                                                  \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        bool before = e->foreign && ompt_has_reports();                                         \
        int result = e->name arguments;                                                         \
        if (before && !ompt_has_reports())                                                      \
            run_lower_bound("OpenMP (after omp_pause_resource)");                            \
        return result;                                                                          \
    }
PAUSE(omp_pause_resource, (int kind, int device), (kind, device))
PAUSE(omp_pause_resource_, (const int *kind, const int *device), (kind, device))
PAUSE(omp_pause_resource_all, (int kind), (kind))
PAUSE(omp_pause_resource_all_, (const int *kind), (kind))
