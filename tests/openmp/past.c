/* past.c - a library to preload that comes before libprof and calls libomp past it: of tasks with
 * dependences, only libomp's own tools interface tells libprof then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

static void *libomp(const char *name)
{
    void *handle = dlopen("libomp.so.5", RTLD_LAZY | RTLD_NOLOAD);
    return handle ? dlsym(handle, name) : 0;
}

int32_t __kmpc_omp_task_with_deps(void *location, int32_t gtid, void *task, int32_t n, void *list,
                                  int32_t more_n, void *more)
{
    static int32_t (*real)(void *, int32_t, void *, int32_t, void *, int32_t, void *);
    if (!real)
        *(void **)&real = libomp("__kmpc_omp_task_with_deps");
    return real(location, gtid, task, n, list, more_n, more);
}

void __kmpc_omp_wait_deps(void *location, int32_t gtid, int32_t n, void *list, int32_t more_n,
                          void *more)
{
    static void (*real)(void *, int32_t, int32_t, void *, int32_t, void *);
    if (!real)
        *(void **)&real = libomp("__kmpc_omp_wait_deps");
    real(location, gtid, n, list, more_n, more);
}
