/* entry.c - see entry.h. */
#define _GNU_SOURCE
#include "entry.h"
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>
#include "base/config.h"
#include "control.h"
#include "base/lock.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/message.h"
#include "engine/engine.h"
#include "task_classes.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

/* Field, type, parameters, arguments, mangled name. */
#define ENTRIES(E)                                                                                 \
    E(spawn, void, (struct tbb_task *t, struct tbb_context *c), (t, c),                            \
      "5spawnERNS0_2d14taskERNS2_18task_group_contextE")                                           \
    E(spawn_slot, void, (struct tbb_task *t, struct tbb_context *c, uint16_t slot), (t, c, slot),  \
      "5spawnERNS0_2d14taskERNS2_18task_group_contextEt")                                          \
    E(submit, void, (struct tbb_task *t, struct tbb_context *c, void *arena, uintptr_t critical),  \
      (t, c, arena, critical), "6submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm")    \
    E(enqueue, void, (struct tbb_task *t, void *arena), (t, arena),                                \
      "7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE")                                            \
    E(enqueue_context, void, (struct tbb_task *t, struct tbb_context *c, void *arena),             \
      (t, c, arena),                                                                               \
      "7enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE")                  \
    E(wait, void, (void *wc, struct tbb_context *c), (wc, c),                                      \
      "4waitERNS0_2d112wait_contextERNS2_18task_group_contextE")                                   \
    E(execute_and_wait, void,                                                                      \
      (struct tbb_task *t, struct tbb_context *c, void *wc, struct tbb_context *of),               \
      (t, c, wc, of),                                                                              \
      "16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_")        \
    E(execute, void, (void *arena, struct tbb_delegate *d), (arena, d),                            \
      "7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE")                                  \
    E(suspend, void, (void (*f)(void *, void *), void *p), (f, p),                                 \
      "7suspendEPFvPvPNS1_18suspend_point_typeEES2_")                                              \
    E(resume, void, (void *point), (point), "6resumeEPNS1_18suspend_point_typeE")                  \
    E(context_initialize, void, (struct tbb_context *c), (c),                                      \
      "10initializeERNS0_2d118task_group_contextE")                                                \
    E(context_destroy, void, (struct tbb_context *c), (c),                                         \
      "7destroyERNS0_2d118task_group_contextE")                                                    \
    E(allocate, void *, (void **pool, size_t bytes, const struct tbb_execution_data *ed),          \
      (pool, bytes, ed), "8allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE")        \
    E(deallocate, void,                                                                            \
      (void *pool, void *p, size_t bytes, const struct tbb_execution_data *ed),                    \
      (pool, p, bytes, ed),                                                                        \
      "10deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE")                       \
    E(is_cancelled, bool, (struct tbb_context *c), (c),                                            \
      "28is_group_execution_cancelledERNS0_2d118task_group_contextE")                              \
    E(parallel_pipeline, void,                                                                     \
      (struct tbb_context *c, size_t tokens, const struct tbb_filter_node *filters),               \
      (c, tokens, filters),                                                                        \
      "17parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE")                    \
    E(set_end_of_input, void, (struct tbb_filter *f), (f),                                         \
      "16set_end_of_inputERNS0_2d111base_filterE")                                                 \
    E(allocate_memory, void *, (size_t bytes), (bytes), "15allocate_memoryEm")                     \
    E(deallocate_memory, void, (void *p), (p), "17deallocate_memoryEPv")                           \
    E(max_concurrency, int, (const void *arena), (arena),                                          \
      "15max_concurrencyEPKNS0_2d115task_arena_baseE")

static bool resolved;

/* The program calls a function that no libtbb has. Without us the loader would have found no such
 * symbol, and would have ended the program with a message. */
static void missing(void)
{
    message_release();
    message(MESSAGE_WARNING, "a function of libtbb.so.12 was called, which is not loaded or lacks "
                             "it: the program cannot go on");
    _exit(127);
}

static void resolve(bool at_start);

static void resolve_now(void)
{
    if (!__atomic_load_n(&resolved, __ATOMIC_ACQUIRE))
        resolve(false);
    if (!__atomic_load_n(&resolved, __ATOMIC_ACQUIRE))
        missing();
}

/* Until a libtbb is found, each entry point looks for it, and goes on in it. */
#define FIRST(field, type, parameters, arguments, mangled)      \
    static type first_##field parameters                        \
    {                                                           \
        resolve_now();                                          \
        return tbb_entry_.field arguments;                      \
    }
ENTRIES(FIRST)
FIRST(control_create, void, (struct tbb_control *control), (control), )
FIRST(control_destroy, void, (struct tbb_control *control), (control), )
#undef FIRST

READ_MOSTLY struct tbb_entry tbb_entry_ = {
#define FIRST(field, type, parameters, arguments, mangled) .field = first_##field,
    ENTRIES(FIRST)
#undef FIRST
    .control_create = first_control_create,
    .control_destroy = first_control_destroy,
};

static const struct { const char *name; size_t at; } names[] = {
#define NAME(field, type, parameters, arguments, mangled)       \
    { TBB(mangled), offsetof(struct tbb_entry, field) },
    ENTRIES(NAME)
#undef NAME
};

/* PROF_WORKERS. A libtbb without the entry point is too old to be supported anyway. */
static void limit_workers(const struct tbb_entry *e)
{
    if (config.workers > 0 && e->control_create)
        tbb_control_workers(e->control_create, config.workers);
}

/* Fills E from libtbb, which has RUNTIME (as in lookup_runtime()). Returns whether E is complete.
 * Looks for one name first: most processes have no libtbb, and a look-up that fails takes long. */
static bool resolve_from(struct tbb_entry *e, const void *runtime)
{
    bool complete = true;
    if (!lookup_defined(names[0].name) || !lookup_runtime(runtime, names[0].name, 0))
        return false;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *p = lookup_runtime(runtime, names[i].name, 0);
        *(void **)((char *)e + names[i].at) = p;
        complete &= p != 0;
    }
    *(void **)&e->interface_version =
        lookup_runtime(runtime, "TBB_runtime_interface_version", 0);
    *(void **)&e->control_create = lookup_runtime(runtime, TBB_CONTROL_CREATE, 0);
    *(void **)&e->control_destroy = lookup_runtime(runtime, TBB_CONTROL_DESTROY, 0);
    *(void **)&e->control_value = lookup_runtime(runtime, TBB_CONTROL_VALUE, 0);
    return complete;
}

static void fill(struct tbb_entry *e)
{
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!*(void **)((char *)e + names[i].at))
            *(void **)((char *)e + names[i].at) = (void *)missing;
    if (!e->control_create)
        e->control_create = (void (*)(struct tbb_control *))missing;
    if (!e->control_destroy)
        e->control_destroy = (void (*)(struct tbb_control *))missing;
}

/* One thread resolves, and other threads wait, because they need the result. A child of a fork
 * meanwhile resolves again. So does a thread that has waited for long: limit_workers() lets libtbb
 * open libtbbmalloc, and the waiting thread may be in a constructor that the loader runs. */
LOCK_DEFINE(resolve_lock, LOCK_LOADER);

/* At start-up, libtbb is one that the program sees. Later it is the first that was loaded. It may
 * have been loaded with RTLD_LOCAL, under any name: a wheel of Python's has its own copy,
 * libtbb-1f3a77b2.so.12.8, and a plug-in may contain libtbb. */
static __attribute__((cold)) void resolve(bool at_start)
{
    bool mine = lock_take_within(&resolve_lock, LOCK_LOADER_NS);
    if (!resolved) {
        struct tbb_entry e = { 0 };
        const void *runtime = at_start ? 0 : lookup_first(names[0].name);
        bool complete = (at_start || runtime) && resolve_from(&e, runtime);
        if (e.spawn) {
            int version = e.interface_version ? e.interface_version() : 0;
            if (!complete || version < 12000 || version >= 13000) {
                engine_recording = false;
                message_release();
                message(MESSAGE_WARNING, "TBB interface version %d is not supported (12xxx is): "
                        "not profiling", version);
            } else {
                limit_workers(&e);
            }
            runtime_register_module_of((uintptr_t)e.spawn, "tbb");
            if (runtime)
                lookup_keep(runtime);
            fill(&e);
            tbb_entry_ = e;
            __atomic_store_n(&resolved, true, __ATOMIC_RELEASE);
        }
    }
    if (mine)
        lock_release(&resolve_lock);
}

/* After lifecycle/start.c's constructor (101). Before any worker starts: a worker is recognised by
 * its creator's address, which must be registered. */
__attribute__((constructor(110))) static void resolve_at_start(void)
{
    runtime_expect("libtbb.so",
                   "libtbb is loaded but no task was seen: nothing parallel ran, or the "
                   "calls are out of reach (RTLD_DEEPBIND, TBB linked statically)");
    runtime_on_unload(task_class_forget);
    resolve(true);
}
