/* hook.h - how a function of MPI is wrapped, under both of its names.
 *
 * A tool may stand between: it has a function MPI_Send of its own, which calls PMPI_Send. And the
 * Fortran functions call either name. So both names are wrapped. The outer hook alone does
 * something (call_begin).
 */
#ifndef AGENTS_MPI_HOOK_H
#define AGENTS_MPI_HOOK_H

#include "base/export.h"
#include "mpi.h"
#include "point.h"

/* [hook] No MPI is loaded, or it lacks this function: prints one line. Returns the status for the
 * caller. */
int hook_absent(const char *name);

/* A hook passes on which function it wraps, and where the program called it. */
struct hook {
    unsigned id;                /* enum mpi_function; HOOK_PMPI: as PMPI_NAME */
    struct path_point from;
};
#define HOOK_PMPI 0x8000u

static inline const char *hook_name(const struct hook *h)
{
    const char *name = mpi.name[h->id & ~HOOK_PMPI];
    return name ? name + 1 : "MPI";
}

/* The function behind; NULL: there is none. */
void *hook_real(const struct hook *h) __attribute__((noinline));

/* Defines MPI_NAME and PMPI_NAME with N arguments. BODY: their value, which takes &hook. */
#define HOOK_(prefix, flag, name, n, body)                                                       \
    EXPORT int prefix##name(PARAMETERS(n));                                                      \
    EXPORT int prefix##name(PARAMETERS(n))                                                       \
    {                                                                                            \
        const struct hook hook = { AT_##name | (flag), PATH_POINT() };                           \
        return body;                                                                             \
    }
#define HOOK(name, n, body) HOOK_(MPI_, 0, name, n, body) HOOK_(PMPI_, HOOK_PMPI, name, n, body)
#define HOOK_BIG(name, n, body) HOOK(name, n, body) HOOK(name##_c, n, body)

/* The start of a body: `real` is the function behind. */
#define BODY_START                                                                               \
    void *real = hook_real(hook);                                                                \
    if (!real)                                                                                   \
        return hook_absent(hook_name(hook))

bool hook_begin(const struct hook *h, struct call *c, enum job_cause cause)
    __attribute__((noinline));

/* A body that several hooks share. */
#define BODY static __attribute__((noinline)) int

/* The source of a status before the call: no rank. */
enum { NO_SOURCE = -999999 };

#endif
