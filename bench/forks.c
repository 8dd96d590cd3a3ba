/* forks.c - `forks N`: N children of fork, one after the other, that exit at once. Prints the CPU
 * time of all a fork, in us. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double used(int who)
{
    struct rusage r;
    getrusage(who, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    double before = used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
    for (int i = 0; i < n; i++) {
        pid_t pid = fork();
        if (!pid)
            exit(0);
        if (pid < 0 || waitpid(pid, 0, 0) != pid)
            return 1;
    }
    printf("%.1f\n", (used(RUSAGE_SELF) + used(RUSAGE_CHILDREN) - before) / n);
    return 0;
}
