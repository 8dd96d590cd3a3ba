/* late.c - preloaded behind libprof.so: after an untied task has handed on its next part to
 * libomp's threads, the part that did so takes its time to return. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

struct task { void *shareds, *body; int32_t part; };

int32_t __kmpc_omp_task(void *location, int32_t gtid, struct task *t);
int32_t __kmpc_omp_task(void *location, int32_t gtid, struct task *t)
{
    static int32_t (*next)(void *, int32_t, struct task *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "__kmpc_omp_task");
    int32_t part = t->part, result = next(location, gtid, t);   /* the runtime may have freed T by
                                                                 * then */
    if (part)
        usleep(200);
    return result;
}
