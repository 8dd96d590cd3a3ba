/* own_cost.c NAME TASKS STEPS THREADS - TASKS bodies of STEPS multiplications, as tasks or chunks
 * of OpenMP; prints their CPU time in ns, the runtime's with it. Without arguments: the names. */
#include <omp.h>
#include "own_cost.h"

static char address;

static void calls(void)             /* no construct: what the bodies cost */
{
    for (int i = 0; i < tasks; i++)
        body();
}
static void task(void)
{
    for (int i = 0; i < tasks; i++)
#pragma omp task
        body();
}
static void untied(void)
{
    for (int i = 0; i < tasks; i++)
#pragma omp task untied
        body();
}
static void undeferred(void)
{
    for (int i = 0; i < tasks; i++)
#pragma omp task if (0)
        body();
}
static void depend_chain(void)
{
    for (int i = 0; i < tasks; i++)
#pragma omp task depend(inout : address)
        body();
}
static void taskloop(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < tasks; i++)
        body();
}
static void loop_dynamic(void)
{
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < tasks; i++)
        body();
}

static void start(const struct construct *c, int threads)
{
#pragma omp parallel num_threads(threads)
    if (c->all) {
        c->run();
    } else {
#pragma omp single
        c->run();
    }
}

int main(int argc, char **argv)
{
    static const struct construct all[] = {
        { "calls", calls, 0 }, { "task", task, 0 }, { "untied", untied, 0 },
        { "undeferred", undeferred, 0 }, { "depend_chain", depend_chain, 0 },
        { "taskloop", taskloop, 0 }, { "loop_dynamic", loop_dynamic, 1 },
    };
    return own_cost_main(argc, argv, all, sizeof all / sizeof *all, start);
}
