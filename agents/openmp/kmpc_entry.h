/* kmpc_entry.h - the entry points of LLVM's libomp that ompt_*.c interpose. It does for libomp what
 * gomp_entry.h does for libgomp. */
#ifndef AGENTS_OPENMP_KMPC_ENTRY_H
#define AGENTS_OPENMP_KMPC_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct doacross_dimension;  /* doacross.h */
struct kmpc_task;
typedef int32_t kmpc_body(int32_t gtid, struct kmpc_task *);
/* The part of libomp's task that compiled code uses. */
struct kmpc_task {
    void *shareds;
    kmpc_body *body;
    int32_t part;
    kmpc_body *destructors;     /* exists only if the task was created with destructors */
};

/* A dependence, as compiled code names it: on an address, or on all addresses if that is
 * UINTPTR_MAX or KMPC_DEPEND_ALL is set. */
struct kmpc_depend {
    uintptr_t address;
    size_t bytes;
    uint8_t flags;              /* KMPC_DEPEND_* */
};
enum {
    KMPC_DEPEND_IN = 1, KMPC_DEPEND_OUT = 2, KMPC_DEPEND_MUTEXINOUTSET = 4,
    KMPC_DEPEND_INOUTSET = 8, KMPC_DEPEND_ALL = 0x80
};

struct kmpc_entry {
    struct kmpc_task *(*__kmpc_omp_task_alloc)(void *, int32_t, int32_t, size_t, size_t,
                                               kmpc_body *);
    void *(*__kmpc_task_allow_completion_event)(void *, int32_t, struct kmpc_task *);
    void (*__kmpc_omp_task_begin_if0)(void *, int32_t, void *);
    int32_t (*__kmpc_omp_task_with_deps)(void *, int32_t, void *, int32_t,
                                         const struct kmpc_depend *, int32_t,
                                         const struct kmpc_depend *);
    void (*__kmpc_omp_wait_deps)(void *, int32_t, int32_t, const struct kmpc_depend *, int32_t,
                                 const struct kmpc_depend *);
    void (*__kmpc_omp_taskwait_deps_51)(void *, int32_t, int32_t, const struct kmpc_depend *,
                                        int32_t, const struct kmpc_depend *, int32_t);
    int (*omp_get_cancellation)(void);
    void *(*__kmpc_task_reduction_modifier_init)(void *, int, int, int, void *);
    void *(*__kmpc_taskred_modifier_init)(void *, int, int, int, void *);
    void (*__kmpc_task_reduction_modifier_fini)(void *, int, int);
    void (*__kmpc_taskloop)(void *, int32_t, void *, int32_t, uint64_t *, uint64_t *, int64_t,
                            int32_t, int32_t, uint64_t, void *);
    void (*__kmpc_taskloop_5)(void *, int32_t, void *, int32_t, uint64_t *, uint64_t *, int64_t,
                              int32_t, int32_t, uint64_t, int32_t, void *);
    void (*omp_get_schedule)(int *, int *);
    void (*__kmpc_end_ordered)(void *, int32_t);
    int (*__kmpc_test_lock)(void *, int32_t, void **);
    int (*__kmpc_test_nest_lock)(void *, int32_t, void **);
    void (*__kmpc_doacross_init)(void *, int32_t, int32_t, const struct doacross_dimension *);
    void (*__kmpc_doacross_wait)(void *, int32_t, const int64_t *);
    void (*__kmpc_doacross_post)(void *, int32_t, const int64_t *);
    void (*__kmpc_doacross_fini)(void *, int32_t);
    void (*__kmpc_for_static_init_4)(void *, int32_t, int32_t, int32_t *, int32_t *, int32_t *,
                                     int32_t *, int32_t, int32_t);
    void (*__kmpc_for_static_init_4u)(void *, int32_t, int32_t, int32_t *, uint32_t *, uint32_t *,
                                      int32_t *, int32_t, int32_t);
    void (*__kmpc_for_static_init_8)(void *, int32_t, int32_t, int32_t *, int64_t *, int64_t *,
                                     int64_t *, int64_t, int64_t);
    void (*__kmpc_for_static_init_8u)(void *, int32_t, int32_t, int32_t *, uint64_t *, uint64_t *,
                                      int64_t *, int64_t, int64_t);
    void (*__kmpc_for_static_fini)(void *, int32_t);
    void (*__kmpc_dispatch_init_4)(void *, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
    void (*__kmpc_dispatch_init_4u)(void *, int32_t, int32_t, uint32_t, uint32_t, int32_t, int32_t);
    void (*__kmpc_dispatch_init_8)(void *, int32_t, int32_t, int64_t, int64_t, int64_t, int64_t);
    void (*__kmpc_dispatch_init_8u)(void *, int32_t, int32_t, uint64_t, uint64_t, int64_t, int64_t);
    int (*__kmpc_dispatch_next_4)(void *, int32_t, int32_t *, int32_t *, int32_t *, int32_t *);
    int (*__kmpc_dispatch_next_4u)(void *, int32_t, int32_t *, uint32_t *, uint32_t *, int32_t *);
    int (*__kmpc_dispatch_next_8)(void *, int32_t, int32_t *, int64_t *, int64_t *, int64_t *);
    int (*__kmpc_dispatch_next_8u)(void *, int32_t, int32_t *, uint64_t *, uint64_t *, int64_t *);
    void (*__kmpc_dispatch_fini_4)(void *, int32_t);
    void (*__kmpc_dispatch_fini_4u)(void *, int32_t);
    void (*__kmpc_dispatch_fini_8)(void *, int32_t);
    void (*__kmpc_dispatch_fini_8u)(void *, int32_t);
};

extern struct kmpc_entry kmpc_entry_;   /* of the program's own runtime, which all objects use */
extern bool kmpc_entry_ready;           /* there is such a runtime; set at start-up */
/* [init] Does the environment name another tool for the runtime? */
bool kmpc_other_tool(void);
/* [init] Does the environment switch tools off? */
bool kmpc_no_tools(void);
/* [init] Does another tool's ompt_start_tool come before ours: the program's own, or that of an
 * object before us? */
bool kmpc_tool_before(void);
/* [init] Is the runtime of CODE linked into the program, or into an object that does not export it?
 * Then we cannot interpose its functions. */
bool kmpc_is_inside(const void *code);
const struct kmpc_entry *kmpc_entry_of(const void *code);

/* [hook] As gomp_entry. CODE belongs to the caller, which may be the runtime itself. */
static inline const struct kmpc_entry *kmpc_entry(const void *code)
{
    return __builtin_expect(kmpc_entry_ready, 1) ? &kmpc_entry_ : kmpc_entry_of(code);
}

#endif
