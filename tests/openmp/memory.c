/* Many tasks with dependences, one creator: the most memory that was in use, in kB, is printed, and
 * the CPU time of their creation, in us.
 *   readers    all of one address, which nobody writes
 *   rounds     each names an address of its own; there is a taskwait now and then
 *   addresses  the same without a taskwait
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0, readers = argc > 1 && !strcmp(argv[1], "readers"),
        rounds = argc > 1 && !strcmp(argv[1], "rounds");
    char *at = malloc(n + 1);
    long took = 0;
#pragma omp parallel
#pragma omp single
    {
        long begin = now();
        for (int i = 0; at && i < n; i++) {
#pragma omp task depend(in : at[readers ? 0 : i])
            __asm__ volatile("");
            if (rounds && i % 1000 == 999) {
#pragma omp taskwait
            }
        }
        took = now() - begin;
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%ld %ld\n", use.ru_maxrss, took);
    free(at);
    return 0;
}
