/* gomp_entry.h - the real entry points of libgomp, which our exported namesakes call. */
#ifndef AGENTS_OPENMP_GOMP_ENTRY_H
#define AGENTS_OPENMP_GOMP_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned long long ull;

#define PLAIN(result, name, parameters) __attribute__((visibility("default"))) result name parameters;
#define CHUNK(result, name, schedule, parameters, arguments) PLAIN(result, name, parameters)
#define DOACROSS(result, name, parameters, arguments) PLAIN(result, name, parameters)
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS

struct gomp_entry {
#define PLAIN(result, name, parameters) result (*name) parameters;
#define CHUNK(result, name, schedule, parameters, arguments) result (*name) parameters;
#define DOACROSS(result, name, parameters, arguments) result (*name) parameters;
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
    int (*omp_get_thread_num)(void);
    int (*omp_get_num_threads)(void);
    int (*omp_get_cancellation)(void);
    void (*omp_get_schedule)(int *kind, int *chunk);
    bool foreign;               /* they are another runtime's, which has an agent of its own */
};

extern struct gomp_entry gomp_entry_;
extern bool gomp_entry_ready;
void gomp_entry_resolve(void) __attribute__((cold));

/* [hook] Resolution happens at start-up when the program links a runtime, else at the first call (a dlopened
 * user of it); it may use the loader and its locks. */
static inline const struct gomp_entry *gomp_entry(void)
{
    if (__builtin_expect(!__atomic_load_n(&gomp_entry_ready, __ATOMIC_ACQUIRE), 0))
        gomp_entry_resolve();
    return &gomp_entry_;
}

#endif
