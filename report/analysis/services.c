/* services.c - see services.h. */
#include "analysis/services.h"
#include <stdbool.h>
#include <string.h>

enum service service_of_name(const char *function)
{
    static const struct {
        const char *part;
        enum service service;
        bool tbb;               /* only in a name of oneTBB's */
    } parts[] = {
        { "GOMP_ordered", SERVICE_TURN, false },
        { "kmpc_ordered", SERVICE_TURN, false },
        { "doacross", SERVICE_TURN, false },
        { "sched_yield", SERVICE_SPIN, false },
        { "pthread_spin_lock", SERVICE_SPIN, false },
        { "machine_pause", SERVICE_SPIN, true },
        { "atomic_backoff", SERVICE_SPIN, true },
        { "spin_wait", SERVICE_SPIN, true },
        { "spin_mutex::lock", SERVICE_SPIN, true },
        { "spin_mutex::scoped_lock::acquire", SERVICE_SPIN, true },
        { "spin_rw_mutex::lock", SERVICE_SPIN, true },
        { "spin_rw_mutex::scoped_lock::acquire", SERVICE_SPIN, true },
        { "queuing_mutex::scoped_lock::acquire", SERVICE_SPIN, true },
        { "queuing_rw_mutex::scoped_lock::acquire", SERVICE_SPIN, true },
        { "pthread_rwlock_", SERVICE_LOCK, false },
        { "lll_lock", SERVICE_LOCK, false },
        { "lll_unlock", SERVICE_LOCK, false },
        { "mutex", SERVICE_LOCK, false },
        { "set_lock", SERVICE_LOCK, false },
        { "critical", SERVICE_LOCK, false },
        { "GOMP_atomic", SERVICE_LOCK, false },
        { "pthread_cond_", SERVICE_WAIT, false },
        { "condition_variable", SERVICE_WAIT, false },
        { "pthread_barrier", SERVICE_WAIT, false },
        { "std::barrier", SERVICE_WAIT, false },
        { "barrier_wait", SERVICE_WAIT, false },
        { "pthread_join", SERVICE_WAIT, false },
        { "sem_wait", SERVICE_WAIT, false },
        { "future", SERVICE_WAIT, false },
        { "futex", SERVICE_WAIT, false },
        { "sleep", SERVICE_SLEEP, false },
        { "pthread_create", SERVICE_THREAD, false },
        { "memset", SERVICE_MEMORY, false },
        { "munmap", SERVICE_MEMORY, false },
        { "mmap", SERVICE_MEMORY, false },
        { "mremap", SERVICE_MEMORY, false },
        { "madvise", SERVICE_MEMORY, false },
        { "brk", SERVICE_MEMORY, false },
        { "sysmalloc", SERVICE_MEMORY, false },
        { "systrim", SERVICE_MEMORY, false },
    };
    enum service found = SERVICE_NONE;
    bool tbb = !strncmp(function, "tbb::", 5);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].service > found && (tbb || !parts[i].tbb) && strstr(function, parts[i].part))
            found = parts[i].service;
    return found;
}
