/* wait_names.c - see wait_names.h. */
#include "analysis/wait_names.h"
#include <string.h>

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

static bool holds(const char *s, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(s, *parts))
            return true;
    return false;
}

bool path_name_yields(const char *function)
{
    return strstr(function, "sched_yield") != 0;
}

bool path_name_spins(const char *function)
{
    static const char *const tbb[] = { "machine_pause",       "atomic_backoff", "spin_wait",
                                       "spin_mutex::lock",    "spin_mutex::scoped_lock::acquire",
                                       "spin_rw_mutex::lock", "spin_rw_mutex::scoped_lock::acquire",
                                       "queuing_mutex::scoped_lock::acquire",
                                       "queuing_rw_mutex::scoped_lock::acquire", 0 };
    return path_name_yields(function) || strstr(function, "pthread_spin_lock") ||
           (starts(function, "tbb::") && holds(function, tbb));
}

bool path_name_locks(const char *function)
{
    static const char *const names[] = { "pthread_mutex_lock",      "pthread_mutex_timedlock",
                                         "pthread_mutex_clocklock", "pthread_rwlock_",
                                         "lll_lock_wait",           "lll_mutex_lock",
                                         "std::mutex::lock",        0 };
    static const char *const tbb[] = { "::mutex::lock", "::rw_mutex::lock", 0 };
    return holds(function, names) || (starts(function, "tbb::") && holds(function, tbb));
}
