/* site.h - from the return address of a spawn to the place in the program that a person means.
 *
 * Optimised code has the runtime's headers inlined into the program's functions: the return address
 * is then in the program, and is the site. Otherwise it lies in a function of the headers
 * (task_group::run<...>, std::thread::_M_start_thread), which says little: the site is then the
 * chain of return addresses up to the first function that is not header code. Which function is,
 * the agent says by prefixes of mangled names.
 */
#ifndef PRELOAD_SITE_H
#define PRELOAD_SITE_H

#include <stdint.h>
#include "context.h"

struct site_style {
    const char *runtime;                /* "tbb" */
    const char *const *header_prefixes; /* of mangled names, NULL-terminated */
};

/* [hook] The context of a task of CONSTRUCT spawned in context PARENT by the code that returns to
 * FROM, which context_child does not know. FLAGS: LPF_SITE_*, and SITE_OF_CONSTRUCT. All strings
 * static. NULL: the spawn is part of PARENT's invocation. */
struct context *site_context_slow(struct context *parent, uintptr_t from, const struct site_style *style,
                                  const char *construct, uint32_t flags);

/* The running construct may have made this task by itself: it has, if no frame between the runtime's
 * dispatcher and the spawn is the program's. Optimised code has the program's bodies inlined into the
 * construct's own functions, so that frames alone cannot tell. */
#define SITE_OF_CONSTRUCT (1u << 31)

#endif
