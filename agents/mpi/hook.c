/* hook.c - see hook.h. */
#include "hook.h"
#include "base/message.h"
#include "base/forbid.h"

int hook_absent(const char *name)
{
    message(MESSAGE_WARNING, "%s: no MPI library is loaded that has this function", name);
    return 16;                  /* MPI_ERR_OTHER */
}

void *hook_real(const struct hook *h)
{
    return !mpi_loaded()           ? 0
           : h->id & HOOK_PMPI ? mpi.pmpi[h->id & ~HOOK_PMPI]
                                   : mpi.function[h->id];
}

bool hook_begin(const struct hook *h, struct call *c, enum job_cause cause)
{
    return call_begin(c, h->from, hook_name(h), cause);
}
