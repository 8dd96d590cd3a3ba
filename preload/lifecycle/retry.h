/* retry.h - makes a call of the program again that the kernel refused because libprof has threads.
 *
 * libprof's threads count towards the threads and processes that a user or a container may have.
 * And a process with threads may not change its namespaces. After such a refusal libprof ends its
 * threads (lifecycle_dismiss) and makes the call again. agents/thread does this for pthread_create
 * and thrd_create.
 */
#ifndef PRELOAD_LIFECYCLE_RETRY_H
#define PRELOAD_LIFECYCLE_RETRY_H

#include <errno.h>
#include <stdbool.h>
#include "lifecycle/lifecycle.h"

/* Did a limit of threads, processes or memory refuse a call that failed with ERROR? */
static inline bool retry_limit(int error)
{
    return error == EAGAIN || error == ENOMEM;
}

/* Makes CALL, which sets RESULT. If it was REFUSED (an expression of RESULT), makes CALL again. (A
 * failing fork runs the program's fork handlers in pairs, so a second call does no harm.) */
#define RETRY(type, result, call, refused, why)                 \
    int saved = errno;                                          \
    bool had = lifecycle_has_threads();                         \
    type result = call;                                         \
    if ((refused) && lifecycle_dismiss(had, why)) {             \
        errno = saved;                                          \
        result = call;                                          \
    }

#endif
