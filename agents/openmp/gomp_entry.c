/* gomp_entry.c - see gomp_entry.h. */
#define _GNU_SOURCE
#include "gomp_entry.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include "base/lookup.h"
#include "base/memory.h"
#include "unwind/runtime_registry.h"
#include "caller.h"
#include "sequential.h"

READ_MOSTLY struct gomp_entry gomp_entry_;
READ_MOSTLY bool gomp_entry_ready;

/* The names are in the table, because the loader would have to make pointers to them right at each
 * start. TEST: where the function that tests the lock is, of one that sets it. */
static const struct { char name[48], version[8]; size_t at, test; } names[] = {
#define NAME(name) { #name, "", offsetof(struct gomp_entry, name), 0 },
#define PLAIN(result, name, parameters) NAME(name)
#define CHUNK(result, name, schedule, parameters, arguments) NAME(name)
#define DOACROSS(result, name, schedule, parameters, arguments) NAME(name)
#define LOCK(name, symbol, version, at)                                                         \
    { #symbol, version, offsetof(struct gomp_entry, name),                                      \
      offsetof(struct gomp_entry, test_##name) },
#include "gomp.def"
#include "base/forbid.h"
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

/* libgomp's function NAME of this VERSION. NULL: libgomp has no versions, or another object defines
 * NAME before it. Then that definition serves calls of any version. */
static void *of_version(const void *runtime, const char *name, const char *version)
{
    void *latest = lookup_runtime(runtime, name, "OMP_3.0");
    return latest && latest == lookup_runtime(runtime, name, 0)
               ? lookup_runtime(runtime, name, version) : 0;
}

static void resolve_from(struct gomp_entry *e, const void *runtime)
{
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *version = names[i].version;
        void *f = *version ? of_version(runtime, names[i].name, version) : 0;
        if (f) {
            char test[32] = "omp_test";
            strcpy(test + 8, names[i].name + 7);    /* omp_set... */
            *(void **)((char *)e + names[i].test) = of_version(runtime, test, version);
        }
        *(void **)((char *)e + names[i].at) = f ? f : lookup_runtime(runtime, names[i].name, 0);
    }
}

/* Fills E. RUNTIME: as in lookup_runtime(). False: there is no libgomp. */
static __attribute__((cold)) bool resolve(struct gomp_entry *e, const void *runtime)
{
    /* One name first: most processes have no libgomp, and a look-up that fails takes long. */
    if (!lookup_defined("GOMP_parallel") || !lookup_runtime(runtime, "GOMP_parallel", 0))
        return false;
    resolve_from(e, runtime);
    caller_complete(e, &gomp_sequential, offsetof(struct gomp_entry, omp_get_thread_num));
    /* LLVM's libomp has libgomp's names, too */
    e->foreign = lookup_seen_from((void *)e->GOMP_parallel, "__kmpc_fork_call", 0);
    if (!e->foreign)
        runtime_register_module_of((uintptr_t)e->GOMP_parallel, "openmp");
    return true;
}

static bool resolve_table(void *table, const void *runtime)
{
    return resolve(table, runtime);
}

/* The runtimes of objects that brought their own. */
static SELDOM struct gomp_entry others[CALLER_RUNTIMES];
static struct caller_entries known = {
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
    return caller_entry(&known, code);
}

/* After lifecycle/start.c's constructor (101). Before any worker starts: a worker is recognised by
 * its creator's address, which must be registered. */
__attribute__((constructor(110))) static void resolve_at_start(void)
{
    gomp_entry_ready = resolve(&gomp_entry_, 0);
}
