/* classes.c - see classes.h. The table is searched once a vtable; first match wins, so the more
 * special name stands first. A dlclose'd class whose address is reused may be taken for the old
 * one: that changes a construct's name, never a cost.
 */
#include "classes.h"
#include <stdint.h>
#include <string.h>
#include "layout.h"

static const struct task_class table[] = {
    /* part, construct, internal, reduces, lower bound */
    { "quick_sort", "parallel_sort", true, false, false },
    { "__pstl", "std::execution::par", true, false, true },
    { "start_for", "parallel_for", true, false, false },
    { "start_deterministic_reduce", "parallel_deterministic_reduce", true, true, false },
    { "start_reduce", "parallel_reduce", true, true, false },
    { "start_scan", "parallel_scan", true, false, true },
    { "final_sum", "parallel_scan", true, false, true },
    { "finish_scan", "parallel_scan", true, false, true },
    { "sum_node", "parallel_scan", true, false, true },
    { "invoke_subroot_task", "parallel_invoke", true, false, false },
    { "function_invoker", "parallel_invoke", true, false, false },
    { "for_each", "parallel_for_each", true, false, false },
    { "feeder", "parallel_for_each", true, false, false },
    { "block_handling", "parallel_for_each", true, false, false },
    { "stage_task", "parallel_pipeline", true, false, true },
    { "function_stack_task", "task_group::run_and_wait", false, false, false },
    { "function_task", "task_group", false, false, false },
    { "enqueue_task", "task_arena::enqueue", false, false, false },
    { "graph", "flow graph", true, false, true },
    { "bypass", "flow graph", true, false, true },
    { "apply_body", "flow graph", true, false, true },
    { "forward_task", "flow graph", true, false, true },
};
static const struct task_class other = { "", "task", false, false, false };

#define CACHE 256               /* direct-mapped; an entry is one word, so it is never half new */
static struct cached { void *const *vptr; const struct task_class *class_; } cache[CACHE];

static const struct task_class *find(const char *name)
{
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strstr(name, table[i].part))
            return &table[i];
    return &other;
}

const struct task_class *task_class_of(void *const *vptr)
{
    struct cached *c = &cache[((uintptr_t)vptr >> 4) % CACHE];
    /* class_ is stored after vptr was cleared and before it is set: a match has its class */
    if (__builtin_expect(__atomic_load_n(&c->vptr, __ATOMIC_ACQUIRE) == vptr, 1)) {
        const struct task_class *k = __atomic_load_n(&c->class_, __ATOMIC_RELAXED);
        if (__atomic_load_n(&c->vptr, __ATOMIC_ACQUIRE) == vptr)
            return k;
    }
    const struct tbb_typeinfo *type = vptr[VTABLE_TYPEINFO];
    const struct task_class *k = type && type->name ? find(type->name) : &other;
    __atomic_store_n(&c->vptr, (void *const *)0, __ATOMIC_RELEASE);
    __atomic_store_n(&c->class_, k, __ATOMIC_RELEASE);
    __atomic_store_n(&c->vptr, vptr, __ATOMIC_RELEASE);
    return k;
}
