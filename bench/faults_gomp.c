// faults_gomp.c - compiled by gcc: regions on libgomp, which call into libomp (faults_omp.c).
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long omp_region(int n);

static long gomp_region(int n)
{
    long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    }
    return sum;
}

static void *both(void *unused)
{
    for (int i = 0; i < 2; i++)
        if (gomp_region(20) != 190 || omp_region(20) != 190)
            exit(3);
    return unused;
}

/* threads: threads of the program use both runtimes, and end; more follow.
 * teams VARY: libgomp's threads use libomp. If the size of teams varies, libgomp ends threads. */
int main(int argc, char **argv)
{
    int vary = argc > 2 && atoi(argv[2]);
    if (argc < 2)
        return 2;
    for (int r = 0; !strcmp(argv[1], "threads") && r < 2; r++) {
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], 0, both, 0);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], 0);
    }
    for (int r = 0; !strcmp(argv[1], "teams") && r < 20; r++) {
        long sum = 0;
#pragma omp parallel num_threads(vary ? 2 + r % 3 : 3) reduction(+ : sum)
        sum += omp_region(10);
        if (sum % 45 || gomp_region(20) != 190)
            exit(3);
    }
    puts("done");
    return 0;
}
