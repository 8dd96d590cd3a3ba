/* classes.h - which construct a task belongs to, from its C++ class. */
#ifndef AGENTS_TBB_CLASSES_H
#define AGENTS_TBB_CLASSES_H

#include <stdbool.h>

struct task_class {
    const char *part, *also;    /* of the mangled class name: both must occur (also may be NULL) */
    const char *construct;      /* for people */
    bool internal;              /* the construct makes such tasks by itself (splits) */
    bool reduces;               /* part of a reduction tree with join bodies */
    bool lower_bound;           /* dependences between such tasks are not all visible */
};

/* Items added by a feeder: waited for by the whole loop, not by the block that adds them. */
extern const struct task_class *const task_class_feeder;

/* [hook] The class of a task whose vtable is VPTR; never NULL. Cached by vtable. */
const struct task_class *task_class_of(void *const *vptr);

#endif
