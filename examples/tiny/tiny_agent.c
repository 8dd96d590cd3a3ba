/* tiny_agent.c - an agent for tiny, by libprof's public header alone:
 *
 *     LD_PRELOAD="libprof.so libtiny_agent.so" ./fib
 *
 * It interposes tiny's three functions. -fexceptions is needed where bodies may throw (C++
 * programs).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libprof_agent.h>
#include "tiny.h"

static void (*real_start)(int);
static void (*real_spawn)(struct tiny_task *, void (*)(void *), void *);
static void (*real_sync)(void);
static void (*real_run)(struct tiny_task *);

static struct libprof_runtime tiny = { .size = sizeof tiny, .name = "tiny" };
static const struct libprof_agent *libprof;     /* NULL: not preloaded */

__attribute__((constructor)) static void attach(void)
{
    *(void **)&real_start = dlsym(RTLD_NEXT, "tiny_start");
    *(void **)&real_spawn = dlsym(RTLD_NEXT, "tiny_spawn");
    *(void **)&real_sync = dlsym(RTLD_NEXT, "tiny_sync");
    *(void **)&real_run = dlsym(RTLD_NEXT, "tiny_run");
    tiny.text = (const void *)real_run;
    tiny.agent = (const void *)attach;
    if (real_run)
        libprof = libprof_agent(&tiny);
}

void tiny_start(int p)
{
    if (libprof)
        libprof->workers(p);
    real_start(p);
}

void tiny_spawn(struct tiny_task *task, void (*function)(void *), void *argument)
{
    struct libprof_point from = LIBPROF_POINT();
    if (libprof)
        task->reserved = libprof->spawn(&tiny, &from, 0, "tiny_spawn", 0);
    real_spawn(task, function, argument);
}

/* The program's tiny_sync and the one at a task's end, which tiny calls by itself. */
void tiny_sync(void)
{
    struct libprof_task *strand = libprof ? libprof->pause() : 0;
    real_sync();
    if (libprof) {
        libprof->resume(strand);
        libprof->join(0);
    }
}

void tiny_run(struct tiny_task *task)
{
    if (!libprof || !task->reserved) {
        real_run(task);
        return;
    }
    libprof->begin(task->reserved, __builtin_frame_address(0));
    real_run(task);
    libprof->end();
}
