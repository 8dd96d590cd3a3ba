/* mixed.c - one function has several constructs, each with its own limit.
 *
 *     mixed chains    two chains of tasks at a time: the one that is twice as long is the critical
 *                     path. And as many free tasks
 *     mixed master    one thread's part before a barrier; later both take a lock in turn
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include "spin.h"

#define FUNCTION(name)                                    \
    static __attribute__((noinline)) void name(double us) \
    {                                                     \
        ROUNDS(us);                                       \
        sink += __LINE__; /* no function is another one */ \
    }
FUNCTION(longer)
FUNCTION(shorter)
FUNCTION(loose)
FUNCTION(alone)
FUNCTION(inside)

static void chains(void)
{
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 40; i++) {
#pragma omp task depend(inout : x)
        longer(18000);
#pragma omp task depend(inout : y)
        shorter(9000);
#pragma omp task
        loose(3000);
    }
}

static void master(void)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        alone(600000);
#pragma omp barrier
        for (int i = 0; i < 30; i++) {
            omp_set_lock(&lock);
            inside(12000);
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "chains")) {
        chains();
    } else if (!strcmp(what, "master")) {
        master();
    } else {
        puts("chains, master?");
        return 2;
    }
    return 0;
}
