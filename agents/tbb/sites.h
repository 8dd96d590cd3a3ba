/* sites.h - the spawn site behind a return address into code that TBB's headers put there. */
#ifndef AGENTS_TBB_SITES_H
#define AGENTS_TBB_SITES_H

#include <stdint.h>
#include "classes.h"
#include "context.h"

struct context *site_context_slow(struct context *parent, uintptr_t from, const struct task_class *k);

/* [hook] The context of a task of class K spawned in context PARENT by the code that returns to
 * FROM. Fast when the spawn is inlined into the program's function, as optimisers do it. */
static inline struct context *site_context(struct context *parent, uintptr_t from,
                                           const struct task_class *k)
{
    struct context *c = context_child(parent, from);
    return __builtin_expect(c != 0, 1) ? c : site_context_slow(parent, from, k);
}

#endif
