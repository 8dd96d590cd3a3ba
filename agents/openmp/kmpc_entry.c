/* kmpc_entry.c - see kmpc_entry.h. */
#define _GNU_SOURCE
#include "kmpc_entry.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "block.h"
#include "scope.h"

READ_MOSTLY struct kmpc_entry kmpc_entry_;
READ_MOSTLY bool kmpc_entry_ready;

static const struct { const char *name; size_t at; } names[] = {
#define NAME(name) { #name, offsetof(struct kmpc_entry, name) },
    NAME(__kmpc_omp_task_begin_if0)
    NAME(__kmpc_omp_task_alloc)
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
    NAME(__kmpc_dispatch_init_4)
    NAME(__kmpc_dispatch_init_4u)
    NAME(__kmpc_dispatch_init_8)
    NAME(__kmpc_dispatch_init_8u)
    NAME(__kmpc_dispatch_next_4)
    NAME(__kmpc_dispatch_next_4u)
    NAME(__kmpc_dispatch_next_8)
    NAME(__kmpc_dispatch_next_8u)
#undef NAME
};

static bool resolve(struct kmpc_entry *e, void *handle)
{
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        *(void **)((char *)e + names[i].at) = dlsym(handle, names[i].name);
    return e->__kmpc_omp_task_begin_if0 != 0;
}

/* Of objects that brought their own. Written once each, before the cache leads to it. */
static struct kmpc_entry others[SCOPE_RUNTIMES];
static unsigned other_count;
static uint32_t other_lock;     /* a leaf lock, as gomp_entry.c's */
static struct scope_cache others_of;

const struct kmpc_entry *kmpc_entry_of(const void *code)
{
    int known = scope_find(&others_of, code);
    if (__builtin_expect(known >= 0, 1))
        return &others[known];
    int saved = errno;
    struct kmpc_entry e = { 0 };
    void *handle = scope_handle(code, names[0].name);
    unsigned i = 0;
    if (handle && resolve(&e, handle)) {
        spin_lock(&other_lock);
        while (i < other_count && others[i].__kmpc_omp_task_begin_if0 != e.__kmpc_omp_task_begin_if0)
            i++;
        if (i == SCOPE_RUNTIMES)
            i = 0;              /* nobody has so many */
        if (i == other_count) {
            others[i] = e;
            other_count++;
        }
        spin_unlock(&other_lock);
        scope_keep(&others_of, code, i);
    }
    errno = saved;
    return &others[i];
}

__attribute__((constructor(110))) static void resolve_at_start(void)
{
    kmpc_entry_ready = resolve(&kmpc_entry_, RTLD_NEXT);
}

bool kmpc_other_tool(void)
{
    static const char name[] = "OMP_TOOL_LIBRARIES=";
    for (char *const *e = environ; e && *e; e++)
        if (!strncmp(*e, name, sizeof name - 1) && (*e)[sizeof name - 1])
            return true;
    return false;
}
