/* plugins.c - objects opened with RTLD_LOCAL by a program that has no OpenMP of its own, each with
 * a runtime that it brought, under whatever name (as Python's wheels do). -DPLUGIN: such an object;
 * otherwise the program: plugin OBJECT...
 */
#include "libprof.h"
#ifdef PLUGIN
#include <omp.h>

__attribute__((visibility("default"))) long plugin(int threads)
{
    long s = 0;
#pragma omp parallel num_threads(threads) reduction(+ : s)
    {
        s += 1 + omp_get_thread_num();
        libprof_cost(10 + omp_get_thread_num());
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 4; i++)
            libprof_cost(5 + i);
#pragma omp single
        for (int i = 0; i < 5; i++)
#pragma omp task firstprivate(i)
            libprof_cost(20 + i);
#pragma omp critical
        libprof_cost(1);
    }
    return s;
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    long (*call[8])(int) = { 0 };
    for (int round = 0; round < 3; round++)
        for (int i = 1; i < argc && i < 8; i++) {
            void *object = round ? 0 : dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
            void *symbol = object ? dlsym(object, "plugin") : 0;
            if (symbol)
                memcpy(&call[i], &symbol, sizeof symbol);
            if (!call[i])
                return fprintf(stderr, "%s\n", dlerror()), 1;
            libprof_cost(3);
            if (call[i](4) != 10)
                return fprintf(stderr, "%s: wrong\n", argv[i]), 2;
        }
    return 0;
}
#endif
