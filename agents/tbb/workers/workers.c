/* workers.c - libprof_workers.so: the number of oneTBB's workers, and nothing else.
 *
 * `prof bench` preloads it into the trials that are not profiled. libprof.so with PROF_DISABLE=1
 * would set the number, too. But its hooks stand between the program and libtbb even when they
 * pass everything through: 11 % of fib, 19 % of a parallel_for with grain 1. This object interposes
 * nothing, so that a task costs what it costs without it.
 *
 * It sets the number before main, when libtbb has been loaded with the program. A libtbb that
 * dlopen loads comes too late. prof bench recognises this by the CPU time of the trial, and reports
 * it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include "../control.h"

__attribute__((constructor)) static void set_workers(void)
{
    const char *text = getenv("PROF_WORKERS");
    int workers = text ? atoi(text) : 0;
    void *create = workers > 0 ? dlsym(RTLD_DEFAULT, TBB_CONTROL_CREATE) : 0;
    if (create)
        tbb_control_workers((void (*)(struct tbb_control *))create, workers);
    else if (workers > 0)       /* the program finds no error of ours: the second call frees it */
        dlerror(), dlerror();
}
