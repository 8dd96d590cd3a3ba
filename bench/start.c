/* start.c RUNS ENVIRONMENT... - the CPU time of /bin/true, in us, with each ENVIRONMENT, which is a
 * list of NAME=VALUE with commas between: the median of RUNS processes, interleaved, in a line
 * each. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { ENVIRONMENTS = 8, VARIABLES = 8 };

static double us(const struct timeval *t)
{
    return t->tv_sec * 1e6 + t->tv_usec;
}

static int compare(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static double run(char **environment)
{
    char *arguments[] = { "/bin/true", 0 };
    struct rusage used;
    pid_t child;
    int status;
    if (posix_spawn(&child, *arguments, 0, 0, arguments, environment) ||
        wait4(child, &status, 0, &used) < 0 || status)
        exit(1);
    return us(&used.ru_utime) + us(&used.ru_stime);
}

int main(int argc, char **argv)
{
    int runs = argc > 2 ? atoi(argv[1]) : 0, count = argc - 2;
    char *environments[ENVIRONMENTS][VARIABLES + 1] = { 0 };
    if (runs < 1 || count > ENVIRONMENTS)
        return 2;
    for (int k = 0; k < count; k++)
        for (int n = 0; n < VARIABLES; n++)
            environments[k][n] = strtok(n ? 0 : argv[2 + k], ",");
    double *took = malloc(sizeof *took * runs * count);
    for (int i = 0; took && i < runs; i++)
        for (int k = 0; k < count; k++)
            took[k * runs + i] = run(environments[k]);
    for (int k = 0; took && k < count; k++) {
        qsort(took + k * runs, runs, sizeof *took, compare);
        printf("%.0f\n", took[k * runs + runs / 2]);
    }
    return took ? 0 : 1;
}
