/* weak.c - a program without an OpenMP runtime that asks for one by weak references. "absent":
 * there is none; "sequential, N names": all that were asked for are there, and do what one thread
 * would. With an argument, a runtime's file: it is opened then, for this object alone or (a second
 * argument) for all, and a region gets its two threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;
#pragma GCC diagnostic ignored "-Waddress"

#define PLAIN(result, name, parameters) extern result name parameters __attribute__((weak));
#define CHUNK(result, name, schedule, parameters, arguments) PLAIN(result, name, parameters)
#define DOACROSS(result, name, schedule, parameters, arguments) PLAIN(result, name, parameters)
#define LOCK(name, symbol, version, at) extern void symbol(void *lock) __attribute__((weak));
#include "gomp.def"
#define KMPC(name) PLAIN(int, __kmpc_##name, ())
#define KMPC_ALL                                                                                \
    KMPC(dispatch_fini_4) KMPC(dispatch_fini_4u) KMPC(dispatch_fini_8) KMPC(dispatch_fini_8u)   \
    KMPC(dispatch_init_4) KMPC(dispatch_init_4u) KMPC(dispatch_init_8) KMPC(dispatch_init_8u)   \
    KMPC(dispatch_next_4) KMPC(dispatch_next_4u) KMPC(dispatch_next_8) KMPC(dispatch_next_8u)   \
    KMPC(doacross_fini) KMPC(doacross_init) KMPC(doacross_post) KMPC(doacross_wait)             \
    KMPC(end_ordered)                                                                           \
    KMPC(for_static_fini) KMPC(for_static_init_4) KMPC(for_static_init_4u) KMPC(for_static_init_8) \
    KMPC(for_static_init_8u)                                                                    \
    KMPC(omp_task_begin_if0) KMPC(omp_task_with_deps) KMPC(omp_wait_deps)                       \
    KMPC(omp_taskwait_deps_51) KMPC(task_reduction_modifier_fini)                               \
    KMPC(task_reduction_modifier_init) KMPC(taskred_modifier_init) KMPC(test_lock)              \
    KMPC(test_nest_lock)
KMPC_ALL
#undef KMPC
PLAIN(void *, __kmpc_omp_task_alloc, (void *, int, int, size_t, size_t, int (*)(int, void *)))
PLAIN(void *, __kmpc_task_allow_completion_event, (void *, int, void *))
PLAIN(void, __kmpc_taskloop, (void *, int, void *, int, uint64_t *, uint64_t *, int64_t, int, int,
                              uint64_t, void *))
PLAIN(void, __kmpc_taskloop_5, (void *, int, void *, int, uint64_t *, uint64_t *, int64_t, int, int,
                                uint64_t, int, void *))
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK

static const struct { const char *name; void *at; } names[] = {
#define PLAIN(result, name, parameters) { #name, (void *)name },
#define CHUNK(result, name, schedule, parameters, arguments) PLAIN(, name, )
#define DOACROSS(result, name, schedule, parameters, arguments) PLAIN(, name, )
#define LOCK(name, symbol, version, at) { #symbol, (void *)symbol },
#include "gomp.def"
#define KMPC(name) PLAIN(, __kmpc_##name, )
KMPC_ALL KMPC(omp_task_alloc) KMPC(task_allow_completion_event) KMPC(taskloop) KMPC(taskloop_5)
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK
};

static void wants(bool right, const char *what)
{
    if (!right)
        printf("wrong: %s\n", what);
}
#define WANTS(condition) wants(condition, #condition)

static int calls, copies;
static long seen[2];
static void body(void *data) { __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); }
static bool called(int n)
{
    bool right = calls == n;
    calls = 0;
    return right;
}

static bool (*next)(long *, long *);    /* what a region's body asks for its loop's part */
static void loop_body(void *data)
{
    body(data);
    long a = 0, b = 0, more[2];
    WANTS(next(&a, &b) && a == 3 && b == 17);
    WANTS(!next(&more[0], &more[1]));
}
static void sections_body(void *data)
{
    body(data);
    WANTS(GOMP_sections_next() == 1 && GOMP_sections_next() == 2 && GOMP_sections_next() == 0);
}
static void range_body(void *data)
{
    body(data);
    memcpy(seen, data, sizeof seen);
}
static void copy(void *to, void *from)
{
    copies++;
    memcpy(to, from, 4 * sizeof(long));
}
static void aligned_body(void *data)
{
    body(data);
    WANTS(!((uintptr_t)data & 63) && ((long *)data)[2] == 42);
}
static void reductions_body(void *data)
{
    body(data);
    uintptr_t *r = *(uintptr_t **)data;
    WANTS(r[6] - r[2] == 64 && *(long *)r[2] == 0);
    *(long *)r[2] = 1;
}
static int kmpc_body(int gtid, void *task) { body(task); return 0; }

static void regions(void)
{
    long data[4] = { 0, 0, 42 };
    GOMP_parallel(body, data, 0, 0);
    GOMP_teams_reg(body, data, 3, 0, 0);
    GOMP_parallel_start(body, data, 4);
    body(data);
    GOMP_parallel_end();
    WANTS(called(3));
    uintptr_t r[8] = { 1, 64 }, *rp = r;
    WANTS(GOMP_parallel_reductions(reductions_body, &rp, 4, 0) == 1 && called(1));
    GOMP_parallel_sections(sections_body, data, 4, 2, 0);
    GOMP_parallel_sections_start(sections_body, data, 4, 2);
    sections_body(data);
    GOMP_parallel_end();
    WANTS(called(2));
#define REGION(kind)                                                                            \
    next = GOMP_loop_##kind##_next;                                                             \
    GOMP_parallel_loop_##kind(loop_body, data, 4, 3, 17, 1, 2, 0);                              \
    WANTS(called(1))
#define RUNTIME(kind)                                                                           \
    next = GOMP_loop_##kind##_next;                                                             \
    GOMP_parallel_loop_##kind(loop_body, data, 4, 3, 17, 1, 0);                                 \
    WANTS(called(1))
    REGION(static); REGION(dynamic); REGION(guided); REGION(nonmonotonic_dynamic);
    REGION(nonmonotonic_guided);
    RUNTIME(runtime); RUNTIME(nonmonotonic_runtime); RUNTIME(maybe_nonmonotonic_runtime);
#define STARTED(kind, more)                                                                     \
    next = GOMP_loop_##kind##_next;                                                             \
    GOMP_parallel_loop_##kind##_start(loop_body, data, 4, 3, 17, 1 more);                       \
    loop_body(data); GOMP_parallel_end(); WANTS(called(1))
#define COMMA ,
    STARTED(static, COMMA 2); STARTED(dynamic, COMMA 2); STARTED(guided, COMMA 2);
    STARTED(runtime, );
}

/* Every function of a loop, by its parameters' names. */
static void loops(void)
{
    long a, b, counts_[2] = { 10, 5 };
    void *first = &a, *last = &b, *counts = counts_, **memory = 0;
    uintptr_t *reductions = 0;
    long start, end, step, chunk = 2, schedule = 2;
    unsigned n = 2, count = 2;
    bool up;
#define PLAIN(result, name, parameters)
#define LOCK(name, symbol, version, at)
#define CHUNK(result, name, schedule_, parameters, arguments)                                   \
    a = b = -1; start = 2; end = 12; step = 3; up = true;                                       \
    if (strstr(#name, "sections_next"))                                                         \
        wants((long)name arguments == 2 && !name arguments, #name);                             \
    else if (strstr(#name, "sections"))                                                         \
        wants((long)name arguments == 1, #name);                                                \
    else if (!strstr(#name, "_start"))                                                          \
        wants(!name arguments && a == -1, #name);                                               \
    else {                                                                                      \
        wants(name arguments && a == 2 && b == 12, #name);                                      \
        start = 12; end = 2; step = -3; up = false;                                             \
        wants(name arguments && a == 12 && b == 2, #name " backward");                          \
        start = end;                                                                            \
        wants(!name arguments, #name " without iterations");                                    \
    }
#define DOACROSS(result, name, schedule_, parameters, arguments)                                \
    a = b = -1;                                                                                 \
    wants(name arguments && a == 0 && b == 10, #name);
#include "gomp.def"
#undef CHUNK
#undef DOACROSS
    GOMP_loop_end(); GOMP_loop_end_nowait(); GOMP_sections_end(); GOMP_sections_end_nowait();
    WANTS(!GOMP_loop_end_cancel() && !GOMP_sections_end_cancel() && !GOMP_barrier_cancel() &&
          !GOMP_cancel(1, true));
    GOMP_doacross_post(counts_); GOMP_doacross_wait(1, 2); GOMP_doacross_ull_post((ull *)counts_);
    GOMP_doacross_ull_wait(1, 2);
    GOMP_ordered_start(); GOMP_ordered_end(); GOMP_barrier();
    GOMP_workshare_task_reduction_unregister(false);
    WANTS(!GOMP_single_copy_start());
    GOMP_single_copy_end(0);
    void *shared = (void *)64;
    memory = &shared;
    WANTS(GOMP_loop_start(0, 4, 1, 2, 1, first, last, 0, memory) && *(long *)shared == 0);
}

static void exclusion(void)
{
    char lock[64] = { 0 };
    void *name = 0;
    for (int i = 0; i < 2; i++) {       /* what leaves them is absent */
        GOMP_critical_start(); GOMP_critical_name_start(&name); GOMP_atomic_start();
        omp_set_lock((void *)lock); omp_set_nest_lock((void *)lock); omp_set_lock_((void *)lock);
        omp_set_nest_lock_((void *)lock);
    }
}

static void tasks(void)
{
    long data[4] = { 0, 0, 42 };
    void *host[] = { &data[0], (void *)7 }, *depend[] = { (void *)1, (void *)1, data };
    size_t sizes[] = { 8, 0 };
    unsigned char kinds1[] = { 3, 13 };
    unsigned short kinds[] = { 12 | 3 << 8, 13 };
    GOMP_task(aligned_body, data, 0, sizeof data, 64, true, 0, 0, 0, 0);
    GOMP_task(aligned_body, data, copy, sizeof data, 64, false, 8, depend, 0, 0);
    GOMP_task(body, data, 0, sizeof data, 8, true, 8192, 0, 0, 0);
    WANTS(called(3) && copies == 1 && data[0]);
    omp_fulfill_event(data[0]); omp_fulfill_event_(data[0]);
    GOMP_taskgroup_start();
    GOMP_taskloop(range_body, data, 0, sizeof data, 8, 0, 3, 0, 5, 25, 2);
    WANTS(called(1) && seen[0] == 5 && seen[1] == 25);
    GOMP_taskloop(range_body, data, copy, sizeof data, 8, 0, 3, 0, 25, 5, -2);
    WANTS(called(1) && copies == 2 && seen[0] == 25);
    GOMP_taskloop(range_body, data, 0, sizeof data, 8, 0, 3, 0, 5, 5, 2);
    WANTS(called(0));
    GOMP_taskloop_ull(range_body, data, 0, sizeof data, 8, 256, 3, 0, 5, 25, 2);
    WANTS(called(1) && seen[1] == 25);
    GOMP_taskgroup_end(); GOMP_taskwait(); GOMP_taskwait_depend(depend);
    GOMP_target(-1, body, 0, 2, host, sizes, kinds1);
    GOMP_target_ext(-1, body, 2, host, sizes, kinds, 0, 0, 0);
    WANTS(called(2) && host[0] != &data[0] && host[1] == (void *)7);    /* firstprivate is a copy */
    GOMP_target_update_ext(-1, 2, host, sizes, kinds, 0, 0);
    GOMP_target_enter_exit_data(-1, 2, host, sizes, kinds, 0, 0);
    int zero = 0;
    WANTS(!omp_pause_resource(1, 0) && !omp_pause_resource_(&zero, &zero) &&
          !omp_pause_resource_all(1) && !omp_pause_resource_all_(&zero));
}

static void libomp(void)
{
    struct { void *shareds; int (*body)(int, void *); int part; void *other; uint64_t lower, upper;
    } *t;
    t = __kmpc_omp_task_alloc(0, 0, 1, sizeof *t, 64, kmpc_body);
    WANTS(t && t->body == kmpc_body && t->shareds && __kmpc_task_allow_completion_event(0, 0, t));
    t->upper = 9;
    __kmpc_taskloop(0, 0, t, 1, &t->lower, &t->upper, 1, 0, 0, 0, 0);
    __kmpc_taskloop_5(0, 0, t, 1, &t->lower, &t->upper, 1, 0, 0, 0, 0, 0);
    WANTS(called(2));
    __kmpc_omp_task_begin_if0(0, 0, t);
    int64_t list[3] = { 0, 8, 3 };
    __kmpc_omp_wait_deps(0, 0, 1, list, 0, (void *)0);
    __kmpc_omp_taskwait_deps_51(0, 0, 1, list, 0, (void *)0, 0);
    WANTS(__kmpc_omp_task_with_deps(0, 0, t, 1, list, 0, (void *)0) == 0 && called(1));
    __kmpc_task_reduction_modifier_init(0, 0, 0, 0, (void *)0);
    __kmpc_taskred_modifier_init(0, 0, 0, 0, (void *)0);
    __kmpc_task_reduction_modifier_fini(0, 0, 0);
    void *lock[32] = { 0 };
    WANTS(__kmpc_test_lock(0, 0, lock) == 1 && __kmpc_test_nest_lock(0, 0, lock) == 1);
    int64_t at[4] = { 0 };
    __kmpc_doacross_init(0, 0, 1, at); __kmpc_doacross_wait(0, 0, at);
    __kmpc_doacross_post(0, 0, at); __kmpc_doacross_fini(0, 0);
    __kmpc_end_ordered(0, 0);
#define DISPATCH(kind, type, stride) do {                                                       \
        int end = 0;                                                                            \
        type lower = 0, upper = 0;                                                              \
        stride by = 0;                                                                          \
        ((void (*)(void *, int, int, type, type, stride, stride))__kmpc_dispatch_init_##kind)(  \
            0, 0, 35, 2, 11, 3, 1);                                                             \
        WANTS(__kmpc_dispatch_next_##kind(0, 0, &end, &lower, &upper, &by) && end &&            \
              lower == 2 && upper == 11 && by == 3);                                            \
        WANTS(!__kmpc_dispatch_next_##kind(0, 0, &end, &lower, &upper, &by));                   \
        __kmpc_dispatch_fini_##kind(0, 0);                                                      \
        lower = 2, upper = 11, end = 0;                                                         \
        ((void (*)(void *, int, int, int *, type *, type *, stride *, stride, stride))          \
             __kmpc_for_static_init_##kind)(0, 0, 34, &end, &lower, &upper, &by, 3, 1);         \
        WANTS(end && lower == 2 && upper == 11 && by >= 10);                                    \
        __kmpc_for_static_fini(0, 0);                                                           \
    } while (0)
    DISPATCH(4, int32_t, int32_t); DISPATCH(4u, uint32_t, int32_t); DISPATCH(8, int64_t, int64_t);
    DISPATCH(8u, uint64_t, int64_t);
}

int main(int argc, char **argv)
{
    int all = sizeof names / sizeof names[0], present = 0, distinct = 0;
    for (int i = 0; i < all; i++) {
        present += names[i].at != 0;
        int same = 0;
        while (strcmp(names[same].name, names[i].name))
            same++;
        distinct += same == i;
    }
    if (!present) {
        puts("absent");
        return 0;
    }
    if (present < all)
        printf("wrong: %d names of %d\n", present, all);
    regions();
    loops();
    exclusion();
    tasks();
    libomp();
    printf("sequential, %d names\n", distinct);
    if (argc > 1) {
        if (!dlopen(argv[1], argc > 2 ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW))
            return puts(dlerror()), 1;
        GOMP_parallel(body, 0, 2, 0);
        WANTS(called(2));
    }
    return 0;
}
