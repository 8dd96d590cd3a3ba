/* classes.h - which construct a task belongs to, from its C++ class. */
#ifndef AGENTS_TBB_CLASSES_H
#define AGENTS_TBB_CLASSES_H

#include <stdbool.h>

struct task_class {
    const char *part;           /* of the mangled class name that tells it */
    const char *construct;      /* for people */
    bool internal;              /* the construct makes such tasks by itself (splits) */
    bool reduces;               /* part of a reduction tree with join bodies */
    bool lower_bound;           /* dependences between such tasks are not all visible */
};

/* [hook] The class of a task whose vtable is VPTR; never NULL. Cached by vtable. */
const struct task_class *task_class_of(void *const *vptr);

#endif
