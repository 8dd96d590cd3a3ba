/* contended.c - preloaded behind libprof.so: every 16th creation of a task in libgomp finds a lock
 * of the runtime held. It spins for 2 ms, and then gives up the CPU. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static long cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

typedef void gomp_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool,
                       unsigned, void **, int, void *);

gomp_task GOMP_task;
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
    static gomp_task *next;
    static unsigned calls;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "GOMP_task");
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 16 == 0) {
        for (long until = cpu_ns() + 2000000; cpu_ns() < until;)
            ;
        usleep(100);
    }
    next(fn, data, copy, size, align, if_clause, flags, depend, priority, detach);
}
