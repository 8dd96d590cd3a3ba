/* site.h - from the frames of a spawn to its site in the program.
 *
 * In optimised code the runtime's headers are inlined into the program's functions. Then the return
 * address lies in the program, and is the site. Otherwise it lies in a function of the headers
 * (task_group::run<...>, std::thread::_M_start_thread), which shows little. Then the site is the
 * chain of return addresses up to the first function that is not header code. The agent lists
 * header code by prefixes of mangled names. "_R" with a crate's length and name is a crate of Rust.
 */
#ifndef PRELOAD_CALLSITE_SITE_H
#define PRELOAD_CALLSITE_SITE_H

#include <stdint.h>
#include "callsite/here.h"
#include "dag/task.h"
#include "libprof_format.h"

struct site_style {
    const char *runtime;                /* "tbb" */
    const char *const *header_prefixes; /* of mangled names, NULL-terminated */
    enum context_end end;
};

static inline unsigned site_end(const struct site_style *style, uint32_t flags)
{
    return flags & LPF_SITE_TRANSFER        ? END_TRANSFER
           : flags & LPF_SITE_SENT          ? END_SENT
           : flags & LPF_SITE_LATE_RECEIVER ? END_LATE_RECEIVER
           : flags & LPF_SITE_WAIT          ? END_WAIT
           : flags & LPF_SITE_AS_EXECUTED   ? END_REGION
                                            : style->end;
}

/* [hook] The context of a task of CONSTRUCT that TASK spawns over SEGMENT, where context_child has
 * none. TASK may be NULL: no strand. FLAGS: LPF_SITE_*, and SITE_OF_CONSTRUCT. All strings are
 * static. NULL: the spawn is part of TASK's invocation. */
struct context *site_context_slow(const struct task *task, const struct segment *segment,
                                  const struct site_style *style, const char *construct,
                                  uint32_t flags);

/* [hook] The same for any spawn; never NULL. SEGMENT may be NULL (no memory). */
static inline struct context *site_context(const struct task *task, const struct segment *segment,
                                           const struct site_style *style, const char *construct,
                                           uint32_t flags)
{
    struct context *parent = task ? task->ctx : context_root;
    struct context *c = segment && !(task && task->flags & TASK_MOVED)
                            ? context_child(parent, segment, site_end(style, flags))
                            : 0;
    if (!c && segment)
        c = site_context_slow(task, segment, style, construct, flags);
    return c ? c : parent;
}

/* [hook] Does the innermost frame of SEGMENT that is not header code belong to a runtime? */
bool site_is_of_runtime(const struct segment *segment, const struct site_style *style);

/* The running construct may have made this task by itself. It has done so if no frame between the
 * runtime's dispatcher and the spawn is the program's. The frames alone do not show this: optimised
 * code has the program's bodies inlined into the construct's own functions. */
#define SITE_OF_CONSTRUCT (1u << 31)

/* [hook] Code was unmapped: forgets the kinds of all addresses. */
void site_flush(void);
#endif
