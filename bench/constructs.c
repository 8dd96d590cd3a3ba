/* constructs.c NAME N - one construct of OpenMP, N times, with next to nothing in it; prints the
 * CPU time of each, in ns. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile long sink;
static int n;
static char address[1000];

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

/* ---- of all threads of a team ---- */

static void loop_static(void)
{
    for (int i = 0; i < n; i++)
#pragma omp for
        for (int j = 0; j < 2; j++)
            sink++;
}
static void loop_dynamic(void)
{
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < n; i++)
        sink++;
}
static void loop_ordered(void)
{
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < n; i++)
#pragma omp ordered
        sink++;
}
static void doacross(void)
{
#pragma omp for ordered(1) schedule(static)
    for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
        sink++;
#pragma omp ordered depend(source)
    }
}
static void single(void)
{
    for (int i = 0; i < n; i++)
#pragma omp single
        sink++;
}
static void barrier(void)
{
    for (int i = 0; i < n; i++) {
#pragma omp barrier
        sink++;
    }
}
static void critical(void)
{
    for (int i = 0; i < n; i++)
#pragma omp critical
        sink++;
}

static void lock(void)
{
    omp_lock_t l;
    omp_init_lock(&l);
    for (int i = 0; i < n; i++) {
        omp_set_lock(&l);
        sink++;
        omp_unset_lock(&l);
    }
}

/* ---- of one ---- */

static void task(void)
{
    for (int i = 0; i < n; i++)
#pragma omp task
        sink++;
}
static void task_untied(void)
{
    for (int i = 0; i < n; i++)
#pragma omp task untied
        sink++;
}
static void task_if0(void)
{
    for (int i = 0; i < n; i++)
#pragma omp task if (0)
        sink++;
}
static void task_final(void)
{
#pragma omp task final(1)
    task();
}
static void task_depend(void)
{
    for (int i = 0; i < n; i++)
#pragma omp task depend(inout : address[i % sizeof address])
        sink++;
}
static void task_depend_if0(void)
{
    for (int i = 0; i < n; i++)
#pragma omp task depend(inout : address[i % sizeof address]) if (0)
        sink++;
}
static void taskwait(void)
{
    for (int i = 0; i < n; i++) {
#pragma omp task
        sink++;
#pragma omp taskwait
    }
}
static void taskgroup(void)
{
    for (int i = 0; i < n; i++)
#pragma omp taskgroup
    {
#pragma omp task
        sink++;
    }
}
static void taskloop(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < n; i++)
        sink++;
}

#define C(NAME, ALL) { #NAME, NAME, ALL }
static const struct {
    const char *name;
    void (*body)(void);
    int all;
} constructs[] = {
    C(loop_static, 1),     C(loop_dynamic, 1), C(loop_ordered, 1), C(doacross, 1),
    C(single, 1),          C(barrier, 1),      C(critical, 1),     C(lock, 1),
    C(task, 0),            C(task_untied, 0), C(task_if0, 0),     C(task_final, 0),
    C(task_depend, 0),     C(task_depend_if0, 0), C(taskwait, 0), C(taskgroup, 0),
    C(taskloop, 0),
};

int main(int argc, char **argv)
{
    n = argc > 2 ? atoi(argv[2]) : 0;
    for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++) {
        if (argc < 2) {
            puts(constructs[i].name);
        } else if (n > 0 && !strcmp(argv[1], constructs[i].name)) {
            double start = cpu_ns();
#pragma omp parallel
            if (constructs[i].all) {
                constructs[i].body();
            } else {
#pragma omp single
                constructs[i].body();
            }
            printf("%.1f\n", (cpu_ns() - start) / n);
        }
    }
    return 0;
}
