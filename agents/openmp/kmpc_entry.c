/* kmpc_entry.c - see kmpc_entry.h. */
#define _GNU_SOURCE
#include "kmpc_entry.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "base/lookup.h"
#include "base/memory.h"
#include "caller.h"
#include "sequential.h"
#include "base/forbid.h"

READ_MOSTLY struct kmpc_entry kmpc_entry_;
READ_MOSTLY bool kmpc_entry_ready;

static const struct { char name[48]; size_t at; } names[] = {
#define NAME(name) { #name, offsetof(struct kmpc_entry, name) },
    NAME(__kmpc_omp_task_begin_if0)
    NAME(__kmpc_omp_task_with_deps)
    NAME(__kmpc_omp_wait_deps)
    NAME(__kmpc_omp_taskwait_deps_51)
    NAME(__kmpc_omp_task_alloc)
    NAME(__kmpc_task_allow_completion_event)
    NAME(omp_get_cancellation)
    NAME(__kmpc_task_reduction_modifier_init)
    NAME(__kmpc_taskred_modifier_init)
    NAME(__kmpc_task_reduction_modifier_fini)
    NAME(__kmpc_taskloop)
    NAME(__kmpc_taskloop_5)
    NAME(omp_get_schedule)
    NAME(__kmpc_end_ordered)
    NAME(__kmpc_test_lock)
    NAME(__kmpc_test_nest_lock)
    NAME(__kmpc_doacross_init)
    NAME(__kmpc_doacross_wait)
    NAME(__kmpc_doacross_post)
    NAME(__kmpc_doacross_fini)
    NAME(__kmpc_for_static_init_4)
    NAME(__kmpc_for_static_init_4u)
    NAME(__kmpc_for_static_init_8)
    NAME(__kmpc_for_static_init_8u)
    NAME(__kmpc_for_static_fini)
    NAME(__kmpc_dispatch_init_4)
    NAME(__kmpc_dispatch_init_4u)
    NAME(__kmpc_dispatch_init_8)
    NAME(__kmpc_dispatch_init_8u)
    NAME(__kmpc_dispatch_next_4)
    NAME(__kmpc_dispatch_next_4u)
    NAME(__kmpc_dispatch_next_8)
    NAME(__kmpc_dispatch_next_8u)
    NAME(__kmpc_dispatch_fini_4)
    NAME(__kmpc_dispatch_fini_4u)
    NAME(__kmpc_dispatch_fini_8)
    NAME(__kmpc_dispatch_fini_8u)
#undef NAME
};

static __attribute__((cold)) bool resolve(struct kmpc_entry *e, const void *runtime)
{
    if (!lookup_defined("__kmpc_omp_task_begin_if0") ||
        !lookup_runtime(runtime, "__kmpc_omp_task_begin_if0", 0))
        return false;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        *(void **)((char *)e + names[i].at) = lookup_runtime(runtime, names[i].name, 0);
    caller_complete(e, &kmpc_sequential, sizeof *e);
    return true;
}

static bool resolve_table(void *table, const void *runtime)
{
    return resolve(table, runtime);
}

/* The runtimes of objects that brought their own. */
static SELDOM struct kmpc_entry others[CALLER_RUNTIMES];
static struct caller_entries known = {
    .name = "__kmpc_omp_task_begin_if0",
    .resolve = resolve_table,
    .identity = offsetof(struct kmpc_entry, __kmpc_omp_task_begin_if0),
    .tables = (char *)others,
    .bytes = sizeof others[0],
    .none = &kmpc_sequential,
};
LOCK_LISTED(kmpc_lock, known.lock, LOCK_AGENT);

const struct kmpc_entry *kmpc_entry_of(const void *code)
{
    return caller_entry(&known, code);
}

bool kmpc_tool_before(void)
{
    void *first = lookup(RTLD_DEFAULT, "ompt_start_tool");
    Dl_info theirs, ours;
    return first && dladdr(first, &theirs) && dladdr((void *)resolve, &ours) &&
           theirs.dli_fbase != ours.dli_fbase;
}

bool kmpc_is_inside(const void *code)
{
    return !lookup_seen_from(code, "__kmpc_fork_call", 0);
}

__attribute__((constructor(110))) static void resolve_at_start(void)
{
    kmpc_entry_ready = resolve(&kmpc_entry_, 0);
}

/* NULL: not set, or empty. */
static const char *environment(const char *name)
{
    size_t n = strlen(name);
    for (char *const *e = environ; e && *e; e++)
        if (!strncmp(*e, name, n) && (*e)[n] == '=' && (*e)[n + 1])
            return *e + n + 1;
    return 0;
}

bool kmpc_other_tool(void)
{
    return environment("OMP_TOOL_LIBRARIES");
}

bool kmpc_no_tools(void)
{
    const char *tool = environment("OMP_TOOL");
    return tool && !strcmp(tool, "disabled");
}
