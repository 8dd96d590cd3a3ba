/* tool.c - looks to libprof like a program that has libomp linked into it. The runtime searches for
 * a tool by name, behind the program, and initialises it. Its functions are the program's. -DOWN: a
 * program that has a tool of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include "libprof.h"

struct result {
    int (*initialize)(void *(*lookup)(const char *), int device, void *data);
    void (*finalize)(void *data);
    unsigned long data;
};

#ifdef OWN
static int initialize(void *(*lookup)(const char *), int device, void *data) { return 1; }
static void finalize(void *data) { }
struct result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct result mine = { initialize, finalize, 0 };
    return &mine;
}
#else
static void *callbacks[64];
static int ompt_set_callback(int which, void *callback)
{
    callbacks[which] = callback;
    return 5;
}
static int ompt_get_task_info(int level, int *flags, void **task, void **frame, void **parallel,
                              int *num)
{
    return 0;
}
static void *lookup(const char *name)
{
    return name[5] == 's' ? (void *)ompt_set_callback : (void *)ompt_get_task_info;
}
#endif

int main(void)
{
#ifdef OWN
#pragma omp parallel num_threads(2)
#pragma omp single
#else
    struct result *(*start)(unsigned, const char *) = (struct result * (*)(unsigned, const char *))
        dlsym(RTLD_NEXT, "ompt_start_tool");
    struct result *tool = start ? start(201811, "static") : NULL;
    if (tool && !tool->initialize(lookup, 0, &tool->data))
        return 1;
    unsigned long data[2] = { 0, 0 };
    void *frame[2] = { NULL, NULL };
    enum { PARALLEL_BEGIN = 3, PARALLEL_END = 4 };
    if (tool) {
        ((void (*)(void *, void *, void *, unsigned, int, const void *))callbacks[PARALLEL_BEGIN])(
            data, frame, data + 1, 1, 0, NULL);
        ((void (*)(void *, void *, int, const void *))callbacks[PARALLEL_END])(data + 1, data, 0,
                                                                               NULL);
    }
#endif
    libprof_cost(74);
    return 0;
}
