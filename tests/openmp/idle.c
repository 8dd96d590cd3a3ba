/* idle.c - of two threads one works, the other waits for it. Prints how many ns it waits, by the
 * program's own clock. What it waits for, or what comes after:
 */
/* clang-format off
 *   one       the region is the last: the waiting thread gets no event of its end
 *   fewer     the next region has one thread; libgomp lets the other one end
 *   again     there is a next region
 *   copy      what single's thread copies
 *   depend    a task that a taskwait depends on
 *   if0       a task that an undeferred task depends on
 *   copied    the same, with an argument which libgomp has copied
 *   loops     the begin of a loop: libomp knows seven at a time
 *   doacross  the same, of a loop whose iterations wait
 * clang-format on
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static double works(double seconds)
{
    double from = omp_get_wtime();
    for (double to = from + seconds; omp_get_wtime() < to;)
        ;
    return omp_get_wtime() - from;
}

static int started;

static double task(double seconds)
{
    __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
    return works(seconds);
}

/* The other thread executes what the first creates, which waits for it in the middle of a
 * construct. */
static double waits(const char *what)
{
    double from, waited = 0;
    int x = 0;
#pragma omp parallel num_threads(2)
    if (!strcmp(what, "copy")) {
        double worked;
#pragma omp single copyprivate(worked)
        worked = works(0.2);
#pragma omp single
        waited = worked;
    } else {
#pragma omp single
        {
#pragma omp task depend(out : x)
            task(0.2);
            while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
                ;
            from = omp_get_wtime();
            if (!strcmp(what, "depend")) {
#pragma omp taskwait depend(in : x)
                waited = omp_get_wtime() - from;
            } else if (!strcmp(what, "copied")) {
                struct { char bytes[100]; } argument = { { 1 } };
#pragma omp task depend(in : x) if (0) firstprivate(argument)
                waited = argument.bytes[0] * (omp_get_wtime() - from);
            } else {
#pragma omp task depend(in : x) if (0)
                waited = omp_get_wtime() - from;
            }
        }
    }
    return waited;
}

static double begins(const char *what)
{
    double worked = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            worked = works(0.2);
        for (int round = 0; round < 20; round++)
            if (!strcmp(what, "loops")) {
#pragma omp for schedule(dynamic, 1) nowait
                for (int i = 0; i < 2; i++)
                    works(1e-5);
            } else {
#pragma omp for ordered(1) schedule(static, 1) nowait
                for (int i = 0; i < 1; i++) {
#pragma omp ordered depend(sink : i - 1)
                    works(1e-5);
#pragma omp ordered depend(source)
                }
            }
    }
    return worked;
}

int main(int argc, char **argv)
{
    double waited = 0;
    if (argc > 1 && (!strcmp(argv[1], "loops") || !strcmp(argv[1], "doacross"))) {
        printf("%.0f\n", begins(argv[1]) * 1e9);
        return 0;
    }
    if (argc > 1 && strchr("cdi", *argv[1])) {
        printf("%.0f\n", waits(argv[1]) * 1e9);
        return 0;
    }
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        waited = works(0.2);
    if (argc > 1 && strcmp(argv[1], "one"))
#pragma omp parallel num_threads(argv[1][0] == 'f' ? 1 : 2)
        works(0.01);
    printf("%.0f\n", waited * 1e9);
    return 0;
}
