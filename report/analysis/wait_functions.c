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
        { "pthread_spin_lock", WAIT_SPIN, false },
        { "machine_pause", WAIT_SPIN, true },
        { "atomic_backoff", WAIT_SPIN, true },
        { "spin_wait", WAIT_SPIN, true },
        { "spin_mutex::lock", WAIT_SPIN, true },
        { "spin_mutex::scoped_lock::acquire", WAIT_SPIN, true },
        { "spin_rw_mutex::lock", WAIT_SPIN, true },
        { "spin_rw_mutex::scoped_lock::acquire", WAIT_SPIN, true },
        { "queuing_mutex::scoped_lock::acquire", WAIT_SPIN, true },
        { "queuing_rw_mutex::scoped_lock::acquire", WAIT_SPIN, true },
        { "pthread_cond_", WAIT_OTHERS, false },
        { "condition_variable", WAIT_OTHERS, false },
        { "pthread_rwlock_", WAIT_OTHERS, false },
        { "lll_lock_wait", WAIT_OTHERS, false },
        { "futex", WAIT_OTHERS, false },
        { "mutex", WAIT_OTHERS, false },
        { "sem_wait", WAIT_OTHERS, false },
        { "barrier_wait", WAIT_OTHERS, false },
        { "set_lock", WAIT_OTHERS, false },
        { "critical", WAIT_OTHERS, false },
        { "sleep", WAIT_SLEEP, false },
    };
    bool tbb = !strncmp(function, "tbb::", 5);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if ((tbb || !parts[i].tbb) && strstr(function, parts[i].part))
            return parts[i].wait;
    return WAIT_NONE;
}
