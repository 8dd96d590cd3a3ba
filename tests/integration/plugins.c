/* plugins.c - plug-ins that are mapped where others were: plugins ROUNDS OBJECT..., each opened,
 * called and closed in turn; prints where it was. THREADS: that have tasks meanwhile. At the end:
 * tasks, and the memory that came after the first tenth, in kB. -DPLUGIN=NAME: such a plug-in,
 * whose functions have the same addresses in all of them; COST: of its thread, and ms of its own.
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

/* Two addresses. A spawn from the second one knows all of its callers, too. */
__attribute__((noinline)) void NAME(PLUGIN, _spawn)(void)
{
    pthread_t t;
    pthread_create(&t, 0, NAME(PLUGIN, _thread), 0);
    pthread_join(t, 0);
    __asm__ volatile("");
}

/* The program spawns for the plug-in. */
__attribute__((noinline)) void NAME(PLUGIN, _call)(void (*spawn)(long))
{
    spawn(COST);
    __asm__ volatile("");
}

void run(int busy, void (*spawn)(long))
{
    NAME(PLUGIN, _spawn)();
    NAME(PLUGIN, _call)(spawn);
    if (busy)
        NAME(PLUGIN, _busy)(COST);
    __asm__ volatile("");
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int over;
static long tasks;

static __attribute__((noinline)) void tree(int n)
{
    libprof_cost(1);
    __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
    if (n < 2)
        return;
#pragma omp task
    tree(n - 1);
    tree(n - 2);
#pragma omp taskwait
}

static void *costs(void *ns)
{
    libprof_cost((long)ns);
    return 0;
}

static void spawn(long ns)
{
    pthread_t t;
    pthread_create(&t, 0, costs, (void *)ns);
    pthread_join(t, 0);
    __asm__ volatile("");
}

static void *meanwhile(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
#pragma omp parallel num_threads(2)
#pragma omp single
        tree(9);
    }
    return unused;
}

static long resident(void)
{
    long all = 0, kb = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &kb) != 2)
        kb = -1;
    if (f)
        fclose(f);
    return kb * 4;
}

int main(int argc, char **argv)
{
    int busy = getenv("BUSY") != 0, rounds = atoi(argv[1]);
    long before = 0;
    pthread_t thread[8];
    int threads = getenv("THREADS") ? atoi(getenv("THREADS")) : 0;
    for (int i = 0; i < threads && i < 8; i++)
        pthread_create(&thread[i], 0, meanwhile, 0);
    for (int i = 0; i < rounds; i++) {
        void *object = dlopen(argv[2 + i % (argc - 2)], RTLD_NOW),
             *symbol = object ? dlsym(object, "run") : 0;
        void (*run)(int, void (*)(long));
        if (!symbol)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        memcpy(&run, &symbol, sizeof run);
        run(busy, spawn);
        if (rounds < 10)
            printf("%p\n", symbol);
        dlclose(object);
        if (i == rounds / 10)
            before = resident();
    }
    over = 1;
    for (int i = 0; i < threads && i < 8; i++)
        pthread_join(thread[i], 0);
    fprintf(stdout, rounds < 10 ? "" : "%ld %ld\n", tasks, resident() - before);
    return 0;
}
#endif
