/* Many tasks with dependences, one creator: the most memory that was in use, in kB, is printed.
 *   readers    all of one address, which nobody writes
 *   rounds     each names an address of its own; there is a taskwait now and then
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0, rounds = argc > 1 && !strcmp(argv[1], "rounds");
    char *at = malloc(n + 1);
#pragma omp parallel
#pragma omp single
    for (int i = 0; at && i < n; i++) {
#pragma omp task depend(in : at[rounds ? i : 0])
        __asm__ volatile("");
        if (rounds && i % 1000 == 999) {
#pragma omp taskwait
        }
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%ld\n", use.ru_maxrss);
    free(at);
    return 0;
}
