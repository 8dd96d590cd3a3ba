/* namespaces.c - calls that change the namespaces of a process that must have one thread. libprof's
 * threads may be the reason why the kernel refuses one (retry.h).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include "base/real.h"
#include "lifecycle/own_threads.h"
#include "lifecycle/retry.h"
#include "lifecycle/state.h"
#include "base/forbid.h"

/* Would the process have one thread without ours? True if the number is not known. */
static bool would_be_single(void)
{
    return own_threads_in_process() <= 1 + own_threads_count();
}

EXPORT int unshare(int flags)
{
    RETRY(int, result, real()->unshare(flags),
          result && errno == EINVAL && would_be_single(), ALONE)
    return result;
}

EXPORT int setns(int fd, int type)
{
    RETRY(int, result, real()->setns(fd, type),
          result && errno == EINVAL && would_be_single(), ALONE)
    return result;
}
