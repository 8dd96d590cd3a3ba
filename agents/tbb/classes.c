/* classes.c - see classes.h. The table is searched once a vtable; first match wins, so the more
 * special name stands first.
 */
#include "classes.h"
#include <string.h>
#include "layout.h"

/* TBB is header code, and so is what the standard library's parallel algorithms put around it. */
static const char *const header_prefixes[] = {
    "_ZN3tbb", "_ZNK3tbb", "_ZN6__pstl", "_ZNK6__pstl", "_ZSt", "_ZNSt", "_ZNKSt", "_ZN9__gnu_cxx", 0,
};
const struct site_style tbb_site_style = { "tbb", header_prefixes, END_TASK };

enum { PSTL = 15, FEEDER = 18 };
#define INTERNAL true
#define REDUCES true
#define LOWER_BOUND true
#define TREE true
static const struct task_class table[] = {
    /* lower bounds where flow.c does not know the graph or the node */
    { "22apply_body_task_bypassI", 0, "flow graph", INTERNAL, false, LOWER_BOUND, FLOW_TASK_BODY, false },
    { "22input_node_task_bypassI", 0, "flow graph", INTERNAL, false, LOWER_BOUND, FLOW_TASK_INPUT, false },
    { "19forward_task_bypassI", 0, "flow graph", INTERNAL, false, LOWER_BOUND, FLOW_TASK_FORWARD, false },
    { "25register_predecessor_taskE", 0, "flow graph", INTERNAL, false, LOWER_BOUND, FLOW_TASK_OTHER, false },
    { "22priority_task_selectorE", 0, "flow graph (priorities)", INTERNAL, false, LOWER_BOUND, FLOW_TASK_SELECTOR, false },
    { "quick_sort", 0, "parallel_sort", INTERNAL, false, false, FLOW_TASK_NONE, false },
    { "start_for", "__pstl", "std::execution::par (parallel_for)", INTERNAL, false, false, FLOW_TASK_NONE, TREE },
    { "start_for", 0, "parallel_for", INTERNAL, false, false, FLOW_TASK_NONE, TREE },
    { "start_deterministic_reduce", 0, "parallel_deterministic_reduce", INTERNAL, REDUCES, false, FLOW_TASK_NONE, TREE },
    { "start_reduce", "__pstl", "std::execution::par (parallel_reduce)", INTERNAL, REDUCES, false, FLOW_TASK_NONE, TREE },
    { "start_reduce", 0, "parallel_reduce", INTERNAL, REDUCES, false, FLOW_TASK_NONE, TREE },
    { "start_scan", 0, "parallel_scan", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
    { "final_sum", 0, "parallel_scan", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
    { "finish_scan", 0, "parallel_scan", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
    { "sum_node", 0, "parallel_scan", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
    [PSTL] = { "__pstl", 0, "std::execution::par", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
    { "invoke_subroot_task", 0, "parallel_invoke", INTERNAL, false, false, FLOW_TASK_NONE, false },
    { "function_invoker", 0, "parallel_invoke", INTERNAL, false, false, FLOW_TASK_NONE, false },
    [FEEDER] = { "feeder_item_task", 0, "parallel_for_each", INTERNAL, false, false, FLOW_TASK_NONE, false },
    { "for_each", 0, "parallel_for_each", INTERNAL, false, false, FLOW_TASK_NONE, false },
    { "block_handling", 0, "parallel_for_each", INTERNAL, false, false, FLOW_TASK_NONE, false },
    /* seen only where pipeline.c stood aside: no memory, or filters that it does not know */
    { "stage_task", 0, "parallel_pipeline", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
    { "function_stack_task", 0, "task_group::run_and_wait", false, false, false, FLOW_TASK_NONE, false },
    { "function_task", 0, "task_group", false, false, false, FLOW_TASK_NONE, false },
    { "enqueue_task", 0, "task_arena::enqueue", false, false, false, FLOW_TASK_NONE, false },
    { "graph", 0, "flow graph", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
};
static const struct task_class other = { "", 0, "task", false, false, false, FLOW_TASK_NONE, false };
const struct task_class task_class_nameless = { "", 0, "task", false, false, false, FLOW_TASK_NONE, false };

/* Without type information: by the context's name. Reductions of both kinds have one; so have a loop's items and what
 * a feeder adds; in a context of the program's anything may run. */
static const struct task_class by_context[] = {
    [1] = { "", 0, "parallel_for", INTERNAL, false, false, FLOW_TASK_NONE, TREE },
    { "", 0, "parallel_for_each", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, TREE },
    { "", 0, "parallel_invoke", INTERNAL, false, false, FLOW_TASK_NONE, false },
    { "", 0, "parallel_reduce", INTERNAL, REDUCES, false, FLOW_TASK_NONE, TREE },
    { "", 0, "parallel_scan", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false },
    { "", 0, "parallel_sort", INTERNAL, false, false, FLOW_TASK_NONE, TREE },
};
static const struct task_class in_group = { "", 0, "task_group", false, false, false, FLOW_TASK_NONE, false };
static const struct task_class in_graph = { "", 0, "flow graph", INTERNAL, false, LOWER_BOUND, FLOW_TASK_NONE, false };
static const struct task_class in_any = { "", 0, "tasks without type information", false, false, LOWER_BOUND,
                                          FLOW_TASK_NONE, false };

const struct task_class *task_class_by_context(uint64_t name, bool group, bool graph)
{
    if (group || graph)
        return group ? &in_group : &in_graph;
    return name && name < sizeof by_context / sizeof by_context[0] ? &by_context[name] : &in_any;
}

const struct task_class *const task_class_feeder = &table[FEEDER];

bool task_class_composes(const struct task_class *running, const struct task_class *spawned)
{
    return running == &table[PSTL] && !strncmp(spawned->construct, "std::execution", 14);
}

struct task_class_entry task_class_cache[TASK_CLASS_CACHE];

static const struct task_class *find(const char *name)
{
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strstr(name, table[i].part) && (!table[i].also || strstr(name, table[i].also)))
            return &table[i];
    return &other;
}

void task_class_forget(void)
{
    for (unsigned i = 0; i < TASK_CLASS_CACHE; i++)
        __atomic_store_n(&task_class_cache[i].vptr, (void *const *)0, __ATOMIC_RELEASE);
}

const struct task_class *task_class_find(void *const *vptr)
{
    struct task_class_entry *c = &task_class_cache[((uintptr_t)vptr >> 4) % TASK_CLASS_CACHE];
    const struct tbb_typeinfo *type = vptr[VTABLE_TYPEINFO];
    const struct task_class *k = !type || !type->name ? &task_class_nameless : find(type->name);
    __atomic_store_n(&c->vptr, (void *const *)0, __ATOMIC_RELEASE);
    __atomic_store_n(&c->class_, k, __ATOMIC_RELEASE);
    __atomic_store_n(&c->vptr, vptr, __ATOMIC_RELEASE);
    return k;
}
