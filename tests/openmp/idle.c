/* Of two threads one works, the other waits for it; how many ns, by the program's own clock, is printed.
 *   one    the region is the last: the waiting thread is not told that it is over
 *   fewer  the next region has one thread; libgomp lets the other one end
 *   again  there is a next region
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

int main(int argc, char **argv)
{
    double waited = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        waited = works(0.2);
    if (argc > 1 && strcmp(argv[1], "one"))
#pragma omp parallel num_threads(argv[1][0] == 'f' ? 1 : 2)
        works(0.01);
    printf("%.0f\n", waited * 1e9);
    return 0;
}
