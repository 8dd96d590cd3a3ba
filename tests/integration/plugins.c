/* plugins.c - plug-ins that are mapped where others were: plugins OBJECT..., each opened, called and closed in turn; prints where it was.
 * -DPLUGIN=NAME: such a plug-in, whose functions have the same addresses in all of them; COST: of its thread, and ms of its own.
 */
#include "libprof.h"
#include <stdio.h>
#ifdef PLUGIN
#include <pthread.h>
#include <time.h>
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

static void *NAME(PLUGIN, _thread)(void *unused)
{
    libprof_cost(COST);
    return unused;
}

static __attribute__((noinline)) void NAME(PLUGIN, _busy)(long ms)
{
    struct timespec t;
    for (long end = 0;;) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        long now = t.tv_sec * 1000 + t.tv_nsec / 1000000;
        if (!end)
            end = now + ms;
        if (now >= end)
            return;
        for (int i = 0; i < 100000; i++)
            __asm__ volatile("");
    }
}

/* Two addresses: who spawns from the second one knows all of its callers, too. */
__attribute__((noinline)) void NAME(PLUGIN, _spawn)(void)
{
    pthread_t t;
    pthread_create(&t, 0, NAME(PLUGIN, _thread), 0);
    pthread_join(t, 0);
    __asm__ volatile("");
}

void run(int busy)
{
    NAME(PLUGIN, _spawn)();
    if (busy)
        NAME(PLUGIN, _busy)(COST);
    __asm__ volatile("");
}
#else
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int busy = getenv("BUSY") != 0;
    for (int i = 1; i < argc; i++) {
        void *object = dlopen(argv[i], RTLD_NOW), *symbol = object ? dlsym(object, "run") : 0;
        void (*run)(int);
        if (!symbol)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        memcpy(&run, &symbol, sizeof run);
        run(busy);
        printf("%p\n", symbol);
        dlclose(object);
    }
    return 0;
}
#endif
