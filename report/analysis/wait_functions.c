/* wait_functions.c - see wait_functions.h. */
#include "analysis/wait_functions.h"
#include <string.h>

enum wait wait_of_name(const char *function)
{
    static const struct {
        const char *part;
        enum wait wait;
        bool tbb;               /* only in a name of oneTBB's */
    } parts[] = {
        { "sched_yield", WAIT_SPIN, false },
        { "pthread_spin_lock", WAIT_SPIN_LOCK, false },
        { "machine_pause", WAIT_SPIN, true },
        { "atomic_backoff", WAIT_SPIN, true },
        { "spin_wait", WAIT_SPIN, true },
        { "spin_mutex::lock", WAIT_SPIN_LOCK, true },
        { "spin_mutex::scoped_lock::acquire", WAIT_SPIN_LOCK, true },
        { "spin_rw_mutex::lock", WAIT_SPIN_LOCK, true },
        { "spin_rw_mutex::scoped_lock::acquire", WAIT_SPIN_LOCK, true },
        { "queuing_mutex::scoped_lock::acquire", WAIT_SPIN_LOCK, true },
        { "queuing_rw_mutex::scoped_lock::acquire", WAIT_SPIN_LOCK, true },
        { "pthread_cond_", WAIT_THREADS, false },
        { "condition_variable", WAIT_THREADS, false },
        { "pthread_mutex_lock", WAIT_LOCK, false },
        { "pthread_mutex_timedlock", WAIT_LOCK, false },
        { "pthread_mutex_clocklock", WAIT_LOCK, false },
        { "pthread_rwlock_", WAIT_LOCK, false },
        { "lll_lock_wait", WAIT_LOCK, false },
        { "lll_mutex_lock", WAIT_LOCK, false },
        { "std::mutex::lock", WAIT_LOCK, false },
        { "::mutex::lock", WAIT_LOCK, true },
        { "::rw_mutex::lock", WAIT_LOCK, true },
        { "futex", WAIT_UNKNOWN, false },
        { "mutex", WAIT_UNKNOWN, false },
        { "sem_wait", WAIT_UNKNOWN, false },
        { "barrier_wait", WAIT_UNKNOWN, false },
        { "set_lock", WAIT_UNKNOWN, false },
        { "critical", WAIT_UNKNOWN, false },
        { "sleep", WAIT_SLEEP, false },
    };
    bool tbb = !strncmp(function, "tbb::", 5);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if ((tbb || !parts[i].tbb) && strstr(function, parts[i].part))
            return parts[i].wait;
    return WAIT_NONE;
}
