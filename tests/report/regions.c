/* regions.c - OpenMP constructs whose calls have no line of their own by gcc: the statement before
 * each is an inlined function's, or the call's arguments are the same in each turn of a loop. Each
 * pragma with // SITE is one spawn site of regions(). */
#include "libprof.h"

static volatile int v;
static int n;

static void step(int i) { v = i; }
__attribute__((noinline)) static void far(int i)
{
    libprof_cost(1000);
    v += i;
}

__attribute__((noinline)) static void regions(int m)
{
    step(1);
    #pragma omp parallel // SITE parallel
    {
        step(2);
    }
    step(3);

    #pragma omp parallel for schedule(dynamic, 4) // SITE parallel for
    for (int i = 0; i < n; i++)
        step(i);
    step(4);
    #pragma omp parallel sections // SITE parallel sections
    {
        #pragma omp section
        step(5);
        #pragma omp section
        step(6);
    }
    for (int turn = 0; turn < 2; turn++) {
        far(7);
        #pragma omp parallel // SITE parallel
        far(8);
        far(9);
        #pragma omp parallel // SITE parallel
        #pragma omp single
        for (int i = 0; i < 4; i++) {
            far(10);
            #pragma omp task // SITE task
            far(11);
            #pragma omp task firstprivate(m) // SITE task
            far(m);
        }
    }
    #pragma omp parallel // SITE parallel
    #pragma omp single
    {
        step(12);
        #pragma omp taskloop grainsize(2) // SITE taskloop
        for (int i = 0; i < n; i++)
            far(i);
    }
    step(13);
    v++;
}

int main(int argc, char **argv)
{
    (void)argv;
    n = 3 + argc;
    regions(n);
    return 0;
}
