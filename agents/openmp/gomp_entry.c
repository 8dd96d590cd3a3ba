/* gomp_entry.c - see gomp_entry.h. */
#define _GNU_SOURCE
#include "gomp_entry.h"
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include "runtime.h"

struct gomp_entry gomp_entry_;
bool gomp_entry_ready;

static const struct { const char *name; size_t at; } names[] = {
#define NAME(name) { #name, offsetof(struct gomp_entry, name) },
#define PLAIN(result, name, parameters) NAME(name)
#define CHUNK(result, name, schedule, parameters, arguments) NAME(name)
#define DOACROSS(result, name, parameters, arguments) NAME(name)
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
    NAME(omp_get_thread_num)
    NAME(omp_get_num_threads)
    NAME(omp_get_cancellation)
    NAME(omp_get_schedule)
#undef NAME
};

static void resolve_from(struct gomp_entry *e, void *handle)
{
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        *(void **)((char *)e + names[i].at) = dlsym(handle ? handle : RTLD_NEXT, names[i].name);
}

/* Is the object that holds ADDRESS LLVM's libomp? */
static bool is_libomp(void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    bool found = handle && dlsym(handle, "__kmpc_fork_call");
    if (handle)
        dlclose(handle);
    return found;
}

void gomp_entry_resolve(void)
{
    static uint32_t lock;       /* resolution happens once; others wait, they need the result */
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    if (!gomp_entry_ready) {
        struct gomp_entry e = { 0 };
        resolve_from(&e, 0);
        if (!e.GOMP_parallel) {
            /* loaded with RTLD_LOCAL: not in our search order. The handle keeps it loaded. */
            void *handle = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
            if (handle)
                resolve_from(&e, handle);
        }
        if (e.GOMP_parallel) {
            e.foreign = is_libomp((void *)e.GOMP_parallel);
            if (!e.foreign)
                runtime_register_module_of((uintptr_t)e.GOMP_parallel, "openmp");
            gomp_entry_ = e;
            __atomic_store_n(&gomp_entry_ready, true, __ATOMIC_RELEASE);
        }
    }
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* After lifecycle's constructor (101): worker threads must be known by their creator's address. */
__attribute__((constructor(110))) static void resolve_at_start(void)
{
    gomp_entry_resolve();
}
