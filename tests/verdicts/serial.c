/* serial.c - regions of two threads with twice as much work as span, in which the number of threads
 * limits nothing. serial.sh reads what the report states about them.
 *
 *     serial heavy    a loop handed out one by one, whose last iteration is half of the work
 *     serial steps    time steps: a single, then such a loop with as much work in short iterations
 *     serial levels   loops of one long iteration, or of many short ones
 *     serial spine    a recursion in a single: each step works before it makes a task
 *     serial reader   the master reads blocks, and makes a task for each
 */
#include <string.h>
#include "spin.h"

/* Functions of the same code would be one. */
static __attribute__((noinline)) void light(double us)
{
    ROUNDS(us);
    sink = 1;
}

static __attribute__((noinline)) void heavy(double us)
{
    ROUNDS(us);
    sink = 2;
}

static void one_iteration(void)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 501; i++)
        if (i == 500)
            heavy(150000);
        else
            light(300);
}

static void steps(void)
{
#pragma omp parallel
    for (int step = 0; step < 40; step++) {
#pragma omp single
        heavy(4000);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 100; i++)
            light(40);
    }
}

static void levels(void)
{
    for (int level = 0; level < 40; level++)
#pragma omp parallel for schedule(dynamic, 1)
        for (int i = 0; i < (level % 4 ? 1 : 180); i++)
            heavy(level % 4 ? 6000 : 100);
}

static void spine(int depth)
{
    heavy(1000);
    if (!depth)
        return;
#pragma omp task
    light(1000);
    spine(depth - 1);
#pragma omp taskwait
}

static void reader(void)
{
    for (int i = 0; i < 80; i++) {
        heavy(2000);
#pragma omp task
        light(2000);
    }
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    calibrate();
    if (!strcmp(what, "heavy")) {
        one_iteration();
    } else if (!strcmp(what, "steps")) {
        steps();
    } else if (!strcmp(what, "levels")) {
        levels();
    } else if (!strcmp(what, "spine")) {
#pragma omp parallel
#pragma omp single
        spine(149);
    } else {
#pragma omp parallel
#pragma omp master
        reader();
    }
    return 0;
}
