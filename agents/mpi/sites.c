/* sites.c - see sites.h. */
#include "sites.h"
#include <stddef.h>
#include "libprof_format.h"
#include "mpi.h"
#include "base/forbid.h"

/* The C++ bindings of MPI are inline functions that call the C ones. */
static const char *const header_prefixes[] = { "_ZN3MPI", "_ZNK3MPI", "_ZN5boost3mpi", 0 };

const struct site_style mpi_site_style = { "mpi", header_prefixes, END_WAIT };

uint32_t mpi_site_flags(enum job_cause cause)
{
    static const uint32_t flags[] = {
        [JOB_LATE_SENDER] = LPF_SITE_LATE_SENDER,
        [JOB_COLLECTIVE] = LPF_SITE_COLLECTIVE,
        [JOB_LATE_RECEIVER] = LPF_SITE_LATE_RECEIVER,
        [JOB_SENT] = LPF_SITE_SENT,
        [JOB_TRANSFER] = LPF_SITE_TRANSFER,
    };
    return flags[cause];
}

struct context *mpi_elsewhere(void)
{
    static struct context *known;       /* all threads find the same */
    struct context *c = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (!c) {
        uintptr_t place = (uintptr_t)mpi.function[AT_Init] + 1;
        const struct segment *segment = path_single(place);
        const struct site_key key = { .address = { place }, .runtime = "mpi",
                                      .construct = "other ranks", .flags = LPF_SITE_ELSEWHERE };
        c = segment ? context_child_slow(context_root, 0, segment, END_WAIT, &key) : context_root;
        __atomic_store_n(&known, c, __ATOMIC_RELEASE);
    }
    return c;
}
