/* sequential.c - our OpenMP hooks where no runtime is loaded.
 *
 * A program may test whether a runtime is there by weak references (`if (GOMP_parallel)`) or by
 * dlsym. With libprof preloaded it finds our hooks, and calls them. We cannot make the loader
 * hide them. So they act as a runtime with one thread: a region calls its body once, a loop hands
 * out all iterations at once, a task runs where it is created, and nothing waits.
 *
 * A call that enters a critical section or takes a lock does nothing. We do not define the calls
 * that leave or release one. So the program finds those absent, and does not call them.
 *
 * The tables are complete: they have every name of gomp.def and kmpc_entry.h. If a runtime lacks a
 * name, its table gets that name from here, too.
 */
#include "sequential.h"
#include <alloca.h>
#include <string.h>
#include "base/inline.h"
#include "base/memory.h"
#include "doacross.h"
#include "base/forbid.h"

/* The part that was not handed out yet, of the loop or the sections that the thread is in. */
static __thread struct {
    uint64_t first, last;
    bool left;
    unsigned section, sections;
} part __attribute__((tls_model("initial-exec")));

static void loop(uint64_t first, uint64_t last, bool some)
{
    part.first = first;
    part.last = last;
    part.left = some;
}

static bool loop_next(uint64_t *first, uint64_t *last)
{
    if (!part.left)
        return false;
    part.left = false;
    *first = part.first;
    *last = part.last;
    return true;
}

static unsigned section_next(void)
{
    return part.section < part.sections ? ++part.section : 0;
}

/* R describes the memory in which gcc's code keeps a thread's reductions, zero at first:
 * {?, bytes, memory, ?, ?, ?, end of the memory, ...}. */
static void reductions_map(uintptr_t *r)
{
    if (!r)
        return;
    r[2] = (uintptr_t)memory_map(r[1]);
    r[6] = r[2] + r[1];
}

/* Space that all threads of a loop share. *MEMORY holds its size, and gets its address. The space
 * is never freed. */
static void share(void **memory)
{
    if (memory && *memory)
        *memory = memory_map((size_t)*memory);
}

/* ---- libgomp's names ---- */

static void call(void (*fn)(void *), void *data)
{
    __typeof__(part) outer = part;
    fn(data);
    part = outer;
}

static void call_loop(void (*fn)(void *), void *data, long start, long end, long step)
{
    __typeof__(part) outer = part;
    loop(start, end, step > 0 ? start < end : start > end);
    fn(data);
    part = outer;
}

#define NAME(result, name, parameters) static result seq_##name parameters
NAME(void, GOMP_parallel, (void (*fn)(void *), void *data, unsigned threads, unsigned flags))
{
    call(fn, data);
}
NAME(void, GOMP_teams_reg, (void (*fn)(void *), void *data, unsigned teams, unsigned limit,
                            unsigned flags))
{
    call(fn, data);
}
NAME(unsigned, GOMP_parallel_reductions, (void (*fn)(void *), void *data, unsigned threads,
                                          unsigned flags))
{
    uintptr_t *r = *(uintptr_t **)data;
    reductions_map(r);
    call(fn, data);
    if (r && r[2])
        memory_unmap((void *)r[2], r[1]);
    return 1;
}
NAME(void, GOMP_parallel_sections, (void (*fn)(void *), void *data, unsigned threads,
                                    unsigned count, unsigned flags))
{
    __typeof__(part) outer = part;
    part.section = 0;
    part.sections = count;
    fn(data);
    part = outer;
}
#define LOOP(name)                                                                              \
    NAME(void, name, (void (*fn)(void *), void *data, unsigned threads, long start, long end,   \
                      long step, long chunk, unsigned flags))                                   \
    {                                                                                           \
        call_loop(fn, data, start, end, step);                                                  \
    }
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
#undef LOOP
#define LOOP(name)                                                                              \
    NAME(void, name, (void (*fn)(void *), void *data, unsigned threads, long start, long end,   \
                      long step, unsigned flags))                                               \
    {                                                                                           \
        call_loop(fn, data, start, end, step);                                                  \
    }
LOOP(GOMP_parallel_loop_runtime)
LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
#undef LOOP

/* The program itself calls the body after these. */
NAME(void, GOMP_parallel_start, (void (*fn)(void *), void *data, unsigned threads)) {}
NAME(void, GOMP_parallel_sections_start, (void (*fn)(void *), void *data, unsigned threads,
                                          unsigned count))
{
    part.section = 0;
    part.sections = count;
}
#define LOOP(name)                                                                              \
    NAME(void, name, (void (*fn)(void *), void *data, unsigned threads, long start, long end,   \
                      long step, long chunk))                                                   \
    {                                                                                           \
        loop(start, end, step > 0 ? start < end : start > end);                                 \
    }
LOOP(GOMP_parallel_loop_static_start)
LOOP(GOMP_parallel_loop_dynamic_start)
LOOP(GOMP_parallel_loop_guided_start)
#undef LOOP
NAME(void, GOMP_parallel_loop_runtime_start, (void (*fn)(void *), void *data, unsigned threads,
                                              long start, long end, long step))
{
    loop(start, end, step > 0 ? start < end : start > end);
}

#define NOTHING(name, parameters) NAME(void, name, parameters) {}
#define NEVER(name, parameters) NAME(bool, name, parameters) { return false; }
NOTHING(GOMP_parallel_end, (void))
NOTHING(GOMP_barrier, (void))
NEVER(GOMP_barrier_cancel, (void))
NAME(void *, GOMP_single_copy_start, (void)) { return 0; }
NOTHING(GOMP_single_copy_end, (void *data))
NOTHING(GOMP_doacross_post, (long *at))
NOTHING(GOMP_doacross_ull_post, (ull *at))
NOTHING(GOMP_doacross_wait, (long first, ...))
NOTHING(GOMP_doacross_ull_wait, (ull first, ...))
NOTHING(GOMP_workshare_task_reduction_unregister, (bool cancelled))
NOTHING(GOMP_loop_end, (void))
NEVER(GOMP_loop_end_cancel, (void))
NOTHING(GOMP_loop_end_nowait, (void))
NOTHING(GOMP_sections_end, (void))
NEVER(GOMP_sections_end_cancel, (void))
NOTHING(GOMP_sections_end_nowait, (void))
NOTHING(GOMP_critical_start, (void))
NOTHING(GOMP_critical_name_start, (void **name))
NOTHING(GOMP_atomic_start, (void))
NOTHING(GOMP_ordered_start, (void))
NOTHING(GOMP_ordered_end, (void))
NOTHING(GOMP_taskwait, (void))
NOTHING(GOMP_taskwait_depend, (void **depend))
NOTHING(GOMP_taskgroup_start, (void))
NOTHING(GOMP_taskgroup_end, (void))
NEVER(GOMP_cancel, (int which, bool do_cancel))
NOTHING(omp_fulfill_event, (uintptr_t event))
NOTHING(omp_fulfill_event_, (uintptr_t event))
NAME(int, omp_pause_resource, (int kind, int device)) { return 0; }
NAME(int, omp_pause_resource_, (const int *kind, const int *device)) { return 0; }
NAME(int, omp_pause_resource_all, (int kind)) { return 0; }
NAME(int, omp_pause_resource_all_, (const int *kind)) { return 0; }

enum { FLAG_UP = 256, FLAG_REDUCTION = 4096, FLAG_DETACHED = 8192, LARGE = 16384 };

/* A copy of a task's block, made by the program's function if there is one. */
struct copy {
    char *base, *block;
    size_t room;
};
#define COPY(c)                                                                                 \
    size_t alignment = align > 16 ? (size_t)align : 16;                                         \
    struct copy c = { .room = ((size_t)size + 15) / 16 * 16 + alignment + 16 };                 \
    c.base = c.room <= LARGE ? alloca(c.room) : memory_map(c.room);                             \
    if (!c.base)                                                                                \
        return;                                                                                 \
    c.block = (char *)(((uintptr_t)c.base + alignment - 1) & ~(alignment - 1));                 \
    if (cpyfn)                                                                                  \
        cpyfn(c.block, data);                                                                   \
    else                                                                                        \
        memcpy(c.block, data, size);

static void copy_done(const struct copy *c)
{
    if (c->room > LARGE)
        memory_unmap(c->base, c->room);
}

NAME(void, GOMP_task, (void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size,
                       long align, bool if_clause,
                       unsigned flags, void **depend, int priority, void *detach))
{
    static char event;          /* nobody waits for it */
    if (flags & FLAG_DETACHED)
        *(void **)data = &event;
    COPY(c)
    call(fn, c.block);
    copy_done(&c);
}

/* One task gets all iterations. */
#define TASKLOOP(type, name, some)                                                              \
    NAME(void, name, (void (*fn)(void *), void *data, void (*cpyfn)(void *, void *),            \
                      long size, long align, unsigned flags,                                    \
                      unsigned long tasks, int priority, type start, type end, type step))      \
    {                                                                                           \
        if (flags & FLAG_REDUCTION)                                                             \
            reductions_map(((uintptr_t **)data)[2]);                                            \
        if (!(some))                                                                            \
            return;                                                                             \
        COPY(c)                                                                                 \
        ((type *)c.block)[0] = start;                                                           \
        ((type *)c.block)[1] = end;                                                             \
        call(fn, c.block);                                                                      \
        copy_done(&c);                                                                          \
    }
TASKLOOP(long, GOMP_taskloop, step > 0 ? start < end : start > end)
TASKLOOP(ull, GOMP_taskloop_ull, flags & FLAG_UP ? start < end : start > end)

enum { MAP_FIRSTPRIVATE = 12 };
NAME(void, GOMP_target, (int device, void (*fn)(void *), const void *unused, size_t n,
                         void **addresses, size_t *sizes, unsigned char *kinds))
{
    call(fn, addresses);
}
NAME(void, GOMP_target_ext, (int device, void (*fn)(void *), size_t n, void **addresses,
                             size_t *sizes, unsigned short *kinds,
                             unsigned flags, void **depend, void **args))
{
    size_t room = 0;
    for (size_t i = 0; i < n; i++)
        if ((kinds[i] & 0xff) == MAP_FIRSTPRIVATE)
            room += sizes[i] + (1u << (kinds[i] >> 8 & 15));
    char *own = !room ? 0 : room <= LARGE ? alloca(room) : memory_map(room), *at = own;
    for (size_t i = 0; own && i < n; i++)
        if ((kinds[i] & 0xff) == MAP_FIRSTPRIVATE) {
            uintptr_t alignment = 1u << (kinds[i] >> 8 & 15);
            at = (char *)(((uintptr_t)at + alignment - 1) & ~(alignment - 1));
            memcpy(at, addresses[i], sizes[i]);
            addresses[i] = at;
            at += sizes[i];
        }
    call(fn, addresses);
    if (own && room > LARGE)
        memory_unmap(own, room);
}
NOTHING(GOMP_target_update_ext, (int device, size_t n, void **addresses, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend))
NOTHING(GOMP_target_enter_exit_data, (int device, size_t n, void **addresses, size_t *sizes,
                                      unsigned short *kinds, unsigned flags,
                                      void **depend))

/* The functions of loops have some of these names as parameters. If a function lacks a parameter,
 * the name means the constant here. */
static const long start, end, step;
static const bool up;
static const unsigned count;
static long *const first, *const last;
static uintptr_t *const reductions;
static void **const memory;

static ALWAYS_INLINE bool has(const char *name, const char *part_of_it)
{
    return strstr(name, part_of_it);
}

#define PLAIN(result, name, parameters)
#define LOCK(name, symbol, version, at) NAME(void, name, (void *lock)) {}
#define CHUNK(result, name, schedule_, parameters, arguments)                                   \
    NAME(result, name, parameters)                                                              \
    {                                                                                           \
        if (has(#name, "_start")) {                                                             \
            bool forward = has(#name, "_ull_") ? up : (long)step > 0;                           \
            reductions_map(reductions);                                                         \
            share(memory);                                                                      \
            if (has(#name, "sections")) {                                                       \
                part.section = 0;                                                               \
                part.sections = count;                                                          \
            } else {                                                                            \
                loop(start, end, forward ? start < end : start > end);                          \
            }                                                                                   \
        }                                                                                       \
        if (has(#name, "sections"))                                                             \
            return (result)section_next();                                                      \
        /* NULL: the program divides the loop by itself */                                      \
        return !first || loop_next((uint64_t *)first, (uint64_t *)last);                        \
    }
#define DOACROSS(result, name, schedule_, parameters, arguments)                                \
    NAME(result, name, parameters)                                                              \
    {                                                                                           \
        reductions_map(reductions);                                                             \
        share(memory);                                                                          \
        loop(0, counts[0], n && counts[0]);                                                     \
        return !first || loop_next((uint64_t *)first, (uint64_t *)last);                        \
    }
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK

static int zero(void)
{
    return 0;
}
static int one(void)
{
    return 1;
}
static void static_schedule(int *kind, int *chunk)
{
    *kind = 1;
    *chunk = 0;
}

const struct gomp_entry gomp_sequential = {
#define PLAIN(result, name, parameters) .name = seq_##name,
#define CHUNK(result, name, schedule, parameters, arguments) PLAIN(result, name, parameters)
#define DOACROSS(result, name, schedule, parameters, arguments) PLAIN(result, name, parameters)
#define LOCK(name, symbol, version, at) PLAIN(void, name, ())
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK
    .omp_get_thread_num = zero, .omp_get_num_threads = one, .omp_get_cancellation = zero,
    .omp_get_num_devices = zero, .omp_get_schedule = static_schedule,
    .foreign = true,            /* so its calls are not recorded */
};

/* ---- libomp's ---- */

NAME(struct kmpc_task *, __kmpc_omp_task_alloc, (void *location, int32_t gtid, int32_t flags,
                                                 size_t bytes, size_t shared, kmpc_body *body))
{
    size_t offset = (bytes + 7) & ~(size_t)7;
    /* never freed, because we do not define the function that ends a task */
    struct kmpc_task *t = memory_map(offset + shared + 1);
    if (t) {
        t->body = body;
        t->shareds = shared ? (char *)t + offset : 0;
    }
    return t;
}
NAME(void *, __kmpc_task_allow_completion_event, (void *location, int32_t gtid,
                                                  struct kmpc_task *task))
{
    static char event;
    return &event;
}
NAME(void *, modifier_init, (void *location, int gtid, int loop, int n, void *data)) { return 0; }
NOTHING(modifier_fini, (void *location, int gtid, int loop))
NOTHING(task_begin, (void *location, int32_t gtid, void *task))
NAME(int32_t, task_with_deps, (void *location, int32_t gtid, void *task, int32_t n,
                               const struct kmpc_depend *list, int32_t more_n,
                               const struct kmpc_depend *more))
{
    ((struct kmpc_task *)task)->body(gtid, task);
    return 0;
}
NOTHING(wait_deps, (void *location, int32_t gtid, int32_t n, const struct kmpc_depend *list,
                    int32_t more_n, const struct kmpc_depend *more))
NOTHING(taskwait_deps, (void *location, int32_t gtid, int32_t n, const struct kmpc_depend *list,
                        int32_t more_n, const struct kmpc_depend *more, int32_t nowait))
NAME(void, __kmpc_taskloop, (void *location, int32_t gtid, void *task, int32_t if_clause,
                             uint64_t *lower, uint64_t *upper, int64_t step,
                             int32_t nogroup, int32_t schedule, uint64_t grain, void *duplicate))
{
    if (step > 0 ? (int64_t)*lower <= (int64_t)*upper : (int64_t)*lower >= (int64_t)*upper)
        ((struct kmpc_task *)task)->body(gtid, task);
}
NAME(void, __kmpc_taskloop_5, (void *location, int32_t gtid, void *task, int32_t if_clause,
                               uint64_t *lower, uint64_t *upper, int64_t step,
                               int32_t nogroup, int32_t schedule, uint64_t grain, int32_t modifier,
                                   void *duplicate))
{
    seq___kmpc_taskloop(location, gtid, task, if_clause, lower, upper, step, nogroup, schedule,
                        grain, duplicate);
}
NOTHING(by_thread, (void *location, int32_t gtid))
NAME(int, test_lock, (void *location, int32_t gtid, void **lock)) { return 1; }
NOTHING(doacross_init, (void *location, int32_t gtid, int32_t n,
                        const struct doacross_dimension *dimensions))
NOTHING(doacross_at, (void *location, int32_t gtid, const int64_t *at))

static __thread int64_t part_step __attribute__((tls_model("initial-exec")));
#define DISPATCH(kind, type, stride)                                                            \
    NAME(void, init_##kind, (void *location, int32_t gtid, int32_t schedule, type lower,        \
                             type upper, stride by, stride chunk))                              \
    {                                                                                           \
        loop((uint64_t)lower, (uint64_t)upper, by > 0 ? lower <= upper : lower >= upper);       \
        part_step = by;                                                                         \
    }                                                                                           \
    NAME(int, next_##kind, (void *location, int32_t gtid, int32_t *is_last, type *lower,        \
                            type *upper, stride *by))                                           \
    {                                                                                           \
        uint64_t from, to;                                                                      \
        if (!loop_next(&from, &to))                                                             \
            return 0;                                                                           \
        *lower = (type)from;                                                                    \
        *upper = (type)to;                                                                      \
        if (is_last)                                                                            \
            *is_last = 1;                                                                       \
        if (by)                                                                                 \
            *by = (stride)part_step;                                                            \
        return 1;                                                                               \
    }                                                                                           \
    NAME(void, static_##kind, (void *location, int32_t gtid, int32_t schedule, int32_t *is_last,\
                               type *lower, type *upper, stride *each, stride by,               \
                               stride chunk))                                                   \
    {                                                                                           \
        if (is_last)                                                                            \
            *is_last = 1;                                                                       \
        *each = (stride)(by > 0 ? *upper - *lower + 1 : *upper - *lower - 1);                   \
    }
DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)

const struct kmpc_entry kmpc_sequential = {
    .__kmpc_omp_task_alloc = seq___kmpc_omp_task_alloc,
    .__kmpc_task_allow_completion_event = seq___kmpc_task_allow_completion_event,
    .__kmpc_omp_task_begin_if0 = seq_task_begin,
    .__kmpc_omp_task_with_deps = seq_task_with_deps,
    .__kmpc_omp_wait_deps = seq_wait_deps, .__kmpc_omp_taskwait_deps_51 = seq_taskwait_deps,
    .omp_get_cancellation = zero,
    .__kmpc_task_reduction_modifier_init = seq_modifier_init,
    .__kmpc_taskred_modifier_init = seq_modifier_init,
    .__kmpc_task_reduction_modifier_fini = seq_modifier_fini,
    .__kmpc_taskloop = seq___kmpc_taskloop, .__kmpc_taskloop_5 = seq___kmpc_taskloop_5,
    .omp_get_schedule = static_schedule,
    .__kmpc_end_ordered = seq_by_thread,
    .__kmpc_test_lock = seq_test_lock, .__kmpc_test_nest_lock = seq_test_lock,
    .__kmpc_doacross_init = seq_doacross_init, .__kmpc_doacross_wait = seq_doacross_at,
    .__kmpc_doacross_post = seq_doacross_at,
    .__kmpc_doacross_fini = seq_by_thread, .__kmpc_for_static_fini = seq_by_thread,
#define DISPATCH_OF(kind)                                                                       \
    .__kmpc_dispatch_init_##kind = seq_init_##kind,                                             \
    .__kmpc_for_static_init_##kind = seq_static_##kind,                                         \
    .__kmpc_dispatch_next_##kind = seq_next_##kind, .__kmpc_dispatch_fini_##kind = seq_by_thread,
    DISPATCH_OF(4) DISPATCH_OF(4u) DISPATCH_OF(8) DISPATCH_OF(8u)
};
