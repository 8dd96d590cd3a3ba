/* task_classes.c - see task_classes.h. The table is searched once for each vtable. The first match
 * counts, so more special names come first.
 */
#include "task_classes.h"
#include <string.h>
#include "tbb_abi.h"
#include "base/memory.h"
#include "base/forbid.h"

/* TBB is header code, and so is what the standard library's parallel algorithms put around it. */
static const char *const header_prefixes[] = {
    "_ZN3tbb", "_ZNK3tbb", "_ZN6__pstl", "_ZNK6__pstl", "_ZSt", "_ZNSt", "_ZNKSt", "_ZN9__gnu_cxx",
        0,
};
const struct site_style tbb_site_style = { "tbb", header_prefixes, END_TASK };

enum { PSTL = 16, FEEDER = 19 };
static const struct task_class table[] = {
    /* A task with another layout: it knows for which message a strand waits. */
    { "29trackable_messages_graph_taskE", 0, "flow graph (try_put_and_wait)", .internal = true,
      .lower_bound = true },
    /* Lower bounds where flow.c does not know the graph or the node. */
    { "22apply_body_task_bypassI", 0, "flow graph", .internal = true, .lower_bound = true,
      .flow = FLOW_TASK_BODY },
    { "22input_node_task_bypassI", 0, "flow graph", .internal = true, .lower_bound = true,
      .flow = FLOW_TASK_INPUT },
    { "19forward_task_bypassI", 0, "flow graph", .internal = true, .lower_bound = true,
      .flow = FLOW_TASK_FORWARD },
    { "25register_predecessor_taskE", 0, "flow graph", .internal = true, .lower_bound = true,
      .flow = FLOW_TASK_OTHER },
    { "22priority_task_selectorE", 0, "flow graph (priorities)", .internal = true,
      .lower_bound = true, .flow = FLOW_TASK_SELECTOR },
    { "quick_sort", 0, "parallel_sort", .internal = true, .tree = true },
    { "start_for", "__pstl", "std::execution::par (parallel_for)", .internal = true,
      .tree = true },
    { "start_for", 0, "parallel_for", .internal = true, .tree = true },
    { "start_deterministic_reduce", 0, "parallel_deterministic_reduce", .internal = true,
      .reduces = true, .tree = true },
    { "start_reduce", "__pstl", "std::execution::par (parallel_reduce)", .internal = true,
      .reduces = true, .tree = true },
    { "start_reduce", 0, "parallel_reduce", .internal = true, .reduces = true, .tree = true },
    { "start_scan", 0, "parallel_scan", .internal = true, .lower_bound = true },
    { "final_sum", 0, "parallel_scan", .internal = true, .lower_bound = true },
    { "finish_scan", 0, "parallel_scan", .internal = true, .lower_bound = true },
    { "sum_node", 0, "parallel_scan", .internal = true, .lower_bound = true },
    [PSTL] = { "__pstl", 0, "std::execution::par", .internal = true, .lower_bound = true },
    { "invoke_subroot_task", 0, "parallel_invoke", .internal = true },
    { "function_invoker", 0, "parallel_invoke", .internal = true },
    [FEEDER] = { "feeder_item_task", 0, "parallel_for_each", .internal = true },
    { "for_each", 0, "parallel_for_each", .internal = true },
    { "block_handling", 0, "parallel_for_each", .internal = true },
    /* Seen only where pipeline.c does not act: no memory, or filters that it does not know. */
    { "stage_task", 0, "parallel_pipeline", .internal = true, .lower_bound = true },
    { .part = "function_stack_task", .construct = "task_group::run_and_wait" },
    { .part = "function_task", .construct = "task_group" },
    { .part = "enqueue_task", .construct = "task_arena::enqueue" },
    { "graph", 0, "flow graph", .internal = true, .lower_bound = true },
};
static const struct task_class other = { .part = "", .construct = "task" };
const struct task_class task_class_nameless = { .part = "", .construct = "task" };

/* For programs without type information: by the context's name. Both kinds of reductions have the
 * same name. So have a loop's items and the items that a feeder adds. In a context of the program's
 * own, any task may run. */
static const struct task_class by_context[] = {
    [1] = { "", 0, "parallel_for", .internal = true, .tree = true },
    { "", 0, "parallel_for_each", .internal = true, .lower_bound = true, .tree = true },
    { "", 0, "parallel_invoke", .internal = true },
    { "", 0, "parallel_reduce", .internal = true, .reduces = true, .tree = true },
    { "", 0, "parallel_scan", .internal = true, .lower_bound = true },
    { "", 0, "parallel_sort", .internal = true, .tree = true },
};
static const struct task_class in_group = { .part = "", .construct = "task_group" };
static const struct task_class in_graph = {
    "", 0, "flow graph", .internal = true, .lower_bound = true
};
static const struct task_class in_any = {
    "", 0, "tasks without type information", .lower_bound = true
};

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

SELDOM struct task_class_entry task_class_cache[TASK_CLASS_CACHE];

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
