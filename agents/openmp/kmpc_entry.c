/* kmpc_entry.c - see kmpc_entry.h. */
#define _GNU_SOURCE
#include "kmpc_entry.h"
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

struct kmpc_entry kmpc_entry_;
bool kmpc_entry_ready;

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

/* Idempotent, so that threads that come here at once need no lock. A libomp that was loaded with RTLD_LOCAL is not in our
 * search order; it is found by its names in Debian. */
void kmpc_entry_resolve(void)
{
    static const char *const libraries[] = { "libomp.so.5", "libomp.so", "libiomp5.so", 0 };
    struct kmpc_entry e = { 0 };
    void *handle = RTLD_NEXT;
    for (unsigned l = 0; !dlsym(handle, names[0].name) && libraries[l]; l++) {
        void *h = dlopen(libraries[l], RTLD_LAZY | RTLD_NOLOAD);
        handle = h ? h : RTLD_NEXT;
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        *(void **)((char *)&e + names[i].at) = dlsym(handle, names[i].name);
    kmpc_entry_ = e;
    if (e.__kmpc_omp_task_begin_if0)
        __atomic_store_n(&kmpc_entry_ready, true, __ATOMIC_RELEASE);
}

bool kmpc_other_tool(void)
{
    static const char name[] = "OMP_TOOL_LIBRARIES=";
    for (char *const *e = environ; e && *e; e++)
        if (!strncmp(*e, name, sizeof name - 1) && (*e)[sizeof name - 1])
            return true;
    return false;
}
