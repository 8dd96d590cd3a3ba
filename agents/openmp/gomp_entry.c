/* gomp_entry.c - see gomp_entry.h. */
#define _GNU_SOURCE
#include "gomp_entry.h"
#include <dlfcn.h>
#include <stddef.h>
#include "base/memory.h"
#include "unwind/runtime.h"
#include "scope.h"
#include "sequential.h"

READ_MOSTLY struct gomp_entry gomp_entry_;
READ_MOSTLY bool gomp_entry_ready;

static const struct { const char *name; size_t at; const char *version; } names[] = {
#define NAME(name) { #name, offsetof(struct gomp_entry, name), 0 },
#define PLAIN(result, name, parameters) NAME(name)
#define CHUNK(result, name, schedule, parameters, arguments) NAME(name)
#define DOACROSS(result, name, schedule, parameters, arguments) NAME(name)
#define LOCK(name, symbol, version, at) { #symbol, offsetof(struct gomp_entry, name), version },
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK
    NAME(omp_get_thread_num)
    NAME(omp_get_num_threads)
    NAME(omp_get_cancellation)
    NAME(omp_get_num_devices)
    NAME(omp_get_schedule)
#undef NAME
};

static void resolve_from(struct gomp_entry *e, void *handle)
{
    if (!handle)
        handle = RTLD_NEXT;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        /* A runtime without versions has one function for both. */
        void *f = names[i].version ? dlvsym(handle, names[i].name, names[i].version) : 0;
        *(void **)((char *)e + names[i].at) = f ? f : dlsym(handle, names[i].name);
    }
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

/* Fills E from HANDLE; NULL: from what comes after us in everybody's scope. False: there is no
 * libgomp. */
static bool resolve(struct gomp_entry *e, void *handle)
{
    resolve_from(e, handle);
    if (!e->GOMP_parallel)
        return false;
    scope_complete(e, &gomp_sequential, offsetof(struct gomp_entry, omp_get_thread_num));
    e->foreign = is_libomp((void *)e->GOMP_parallel);
    if (!e->foreign)
        runtime_register_module_of((uintptr_t)e->GOMP_parallel, "openmp");
    return true;
}

static bool resolve_table(void *table, void *handle)
{
    return resolve(table, handle);
}

/* The runtimes of objects that brought their own. */
static struct gomp_entry others[SCOPE_RUNTIMES];
static struct scope_entries known = {
    .name = "GOMP_parallel",
    .resolve = resolve_table,
    .identity = offsetof(struct gomp_entry, GOMP_parallel),
    .tables = (char *)others,
    .bytes = sizeof others[0],
    .none = &gomp_sequential,
};
LOCK_LISTED(gomp_lock, known.lock, LOCK_AGENT);

const struct gomp_entry *gomp_entry_of(const void *code)
{
    return scope_entry(&known, code);
}

/* After process/start.c's constructor (101): worker threads must be known by their creator's
 * address. */
__attribute__((constructor(110))) static void resolve_at_start(void)
{
    gomp_entry_ready = resolve(&gomp_entry_, 0);
}
