/* cut.c - a loop of 400 iterations under the virtual clock, cut in the ways that OpenMP has.
 * check.sh reads who chose the size of its chunks.
 *
 *     cut dynamic | nowait | grainsize | num_tasks    chunks of 50, by a clause of the program's
 *     cut guided | runtime                            no profile shows the program's chunk size
 *     cut threads                                     a taskloop that the runtime cuts
 *     cut shares                  a guided loop, and a static one that is most of the critical path
 */
#include <stdlib.h>
#include <string.h>
#include "libprof.h"

enum { N = 400 };

static void body(void)
{
    libprof_cost(10);
}

#define LOOP(NAME, CLAUSE)                                       \
    static void NAME(void)                                       \
    {                                                            \
        _Pragma(CLAUSE) for (int i = 0; i < N; i++) body();      \
    }
LOOP(dynamic, "omp parallel for schedule(dynamic, 50)")
LOOP(guided, "omp parallel for schedule(guided, 50)")
LOOP(runtime, "omp parallel for schedule(runtime)")
LOOP(equal, "omp parallel for schedule(static)")

static void shares(void)
{
    guided();
    equal();
}

static void nowait(void)
{
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 50) nowait
        for (long i = N; i > 0; i--)
            body();
    }
}

#define TASKLOOP(NAME, CLAUSE)                                   \
    static void NAME(void)                                       \
    {                                                            \
        _Pragma("omp parallel") _Pragma("omp single")            \
        _Pragma(CLAUSE) for (int i = 0; i < N; i++) body();      \
    }
TASKLOOP(grainsize, "omp taskloop grainsize(50)")
TASKLOOP(num_tasks, "omp taskloop num_tasks(8)")
TASKLOOP(threads, "omp taskloop")

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } loops[] = { { "dynamic", dynamic },     { "nowait", nowait },   { "grainsize", grainsize },
                  { "num_tasks", num_tasks }, { "guided", guided },   { "runtime", runtime },
                  { "threads", threads },     { "shares", shares } };
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
        if (argc > 1 && !strcmp(argv[1], loops[i].name))
            return loops[i].run(), 0;
    return 2;
}
