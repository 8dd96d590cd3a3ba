/* gomp_entry.h - the real entry points of libgomp, which our exported namesakes call. */
#ifndef AGENTS_OPENMP_GOMP_ENTRY_H
#define AGENTS_OPENMP_GOMP_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long ull;

#define EXPORTED visibility("default")
#define PLAIN(result, name, parameters) __attribute__((EXPORTED)) result name parameters;
#define CHUNK(result, name, schedule, parameters, arguments) PLAIN(result, name, parameters)
#define DOACROSS(result, name, schedule, parameters, arguments) PLAIN(result, name, parameters)
#define LOCK(name, symbol, version, at)                                                         \
    __attribute__((EXPORTED, symver(#symbol at version))) void name(void *lock);
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK
#undef EXPORTED

struct gomp_entry {
#define PLAIN(result, name, parameters) result (*name) parameters;
#define CHUNK(result, name, schedule, parameters, arguments) result (*name) parameters;
#define DOACROSS(result, name, schedule, parameters, arguments) result (*name) parameters;
#define LOCK(name, symbol, version, at) void (*name)(void *lock);
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK
    int (*omp_get_thread_num)(void);
    int (*omp_get_num_threads)(void);
    int (*omp_get_cancellation)(void);
    int (*omp_get_num_devices)(void);
    void (*omp_get_schedule)(int *kind, int *chunk);
    /* Of each LOCK that libgomp itself has: omp_test_lock and the like. NULL: there is none */
#define PLAIN(result, name, parameters)
#define CHUNK(result, name, schedule, parameters, arguments)
#define DOACROSS(result, name, schedule, parameters, arguments)
#define LOCK(name, symbol, version, at) int (*test_##name)(void *lock);
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK
    bool foreign;               /* another runtime has these functions, with an agent of its own */
};

extern struct gomp_entry gomp_entry_;   /* of the program's own runtime, which all objects use */
extern bool gomp_entry_ready;           /* there is such a runtime; set at start-up */

/* [hook] gomp_entry, where the program's own runtime is not known. */
const struct gomp_entry *gomp_entry_of(const void *code);
/* [hook] The entry points of the runtime that the code at CODE calls. The program's own are known
 * from the start. Others are found at a first call. */
static inline const struct gomp_entry *gomp_entry(const void *code)
{
    return __builtin_expect(gomp_entry_ready, 1) ? &gomp_entry_ : gomp_entry_of(code);
}

#endif
