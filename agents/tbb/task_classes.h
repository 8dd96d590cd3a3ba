/* task_classes.h - which construct a task belongs to, from its C++ class. */
#ifndef AGENTS_TBB_TASK_CLASSES_H
#define AGENTS_TBB_TASK_CLASSES_H

#include <stdbool.h>
#include <stdint.h>
#include "callsite/site.h"

/* Tasks of a flow graph, as flow.c knows them. */
enum flow_task {
    FLOW_TASK_NONE,
    FLOW_TASK_BODY,             /* runs a node's body for a message */
    FLOW_TASK_INPUT,            /* runs an input_node's body */
    FLOW_TASK_FORWARD,          /* hands on what a node holds */
    FLOW_TASK_OTHER,            /* restores an edge between two nodes */
    FLOW_TASK_SELECTOR,         /* runs the task of the highest priority */
};

struct task_class {
    /* both must occur in the mangled name of the class; also may be NULL */
    const char *part, *also;
    const char *construct;      /* in reports */
    bool internal;              /* the construct makes such tasks by itself (splits) */
    bool reduces;               /* part of a reduction tree with join bodies */
    bool lower_bound;           /* dependences between such tasks are not all visible */
    enum flow_task flow;
    bool tree;                  /* execute_and_wait on the task waits only for its subtree */
};

/* [hook] A task of class RUNNING runs. May its construct have spawned a task of class SPAWNED by
 * itself, in a context of its own? True for the algorithms of std::execution::par. */
bool task_class_composes(const struct task_class *running, const struct task_class *spawned);

/* Items that a feeder adds: the whole loop waits for them, not the block that adds them. */
extern const struct task_class *const task_class_feeder;

/* The class of all tasks of a program without type information (-fno-rtti). */
extern const struct task_class task_class_nameless;

/* [hook] A better class for such a task, from its context. NAME: the context's
 * (d1::string_resource_index). GROUP: a task_group made the context for itself. GRAPH: a flow graph
 * did. */
const struct task_class *task_class_by_context(uint64_t name, bool group, bool graph);

/* [hook] The class of a task whose vtable is VPTR; never NULL. Cached by vtable. */
const struct task_class *task_class_find(void *const *vptr);

/* [hook] Code was unmapped: another vtable may get a known address. Empties the cache. */
void task_class_forget(void);

/* Which functions of a program are TBB's own header code. */
extern const struct site_style tbb_site_style;

#define TASK_CLASS_CACHE 256    /* direct-mapped */
extern struct task_class_entry {
    void *const *vptr; /* cleared before and set after class_ is stored: a match has its class */
    const struct task_class *class_;
} task_class_cache[TASK_CLASS_CACHE] __attribute__((visibility("hidden")));

static inline const struct task_class *task_class_of(void *const *vptr)
{
    const struct task_class_entry *c = &task_class_cache[((uintptr_t)vptr >> 4) % TASK_CLASS_CACHE];
    if (__builtin_expect(__atomic_load_n(&c->vptr, __ATOMIC_ACQUIRE) == vptr, 1)) {
        const struct task_class *k = __atomic_load_n(&c->class_, __ATOMIC_ACQUIRE);
        if (__builtin_expect(__atomic_load_n(&c->vptr, __ATOMIC_RELAXED) == vptr, 1))
            return k;
    }
    return task_class_find(vptr);
}

#endif
