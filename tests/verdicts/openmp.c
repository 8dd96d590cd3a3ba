/* openmp.c - programs whose answer is known: what costs most, and where. check.sh reads what the
 * report states about them.
 *
 *     openmp fib N            tasks without a cutoff: nearly all of it is the making of tasks
 *     openmp barriers N       a loop of N barriers in a region of one thread
 *     openmp taskloop N US    N tasks of US microseconds, more than 64 a thread: libgomp runs them
 *                             in their creator
 *     openmp nested           a region whose body is nothing but a region: a jump, no frame
 *     openmp serialised       a dynamic loop in teams of one: libomp hands it out in one chunk
 *     openmp inner            two regions in a loop of two iterations, whose teams have one thread:
 *                             iterations of one take five times as long as those of the other
 *     openmp clause           a loop in a team of one, by its `if` clause, then one for all threads
 *     openmp last             42 tasks of 3 ms, then one of 120 ms
 *     openmp sharing N        two threads, each with N increments of its own counter, in one line
 *     openmp chunks N         a loop of N chunks, most of each in a critical section
 *     openmp grain N          N iterations in chunks of 100, whatever the number of threads
 *     openmp beside US        US of a single, then 16 equal cells, half of them for each of two
 *                             threads
 *     openmp phases N         N phases, in which one thread takes three times as long as the others
 *     openmp lopsided         40 regions in which one thread does ten times the other's work
 *     openmp unequal          a loop with equal parts, then one with unequal parts
 *     openmp regions          a static loop whose iterations start regions with small chunks
 *     openmp uneven           8 tasks, of which one is as long as all others together need on two
 *     openmp equal            4 equal iterations, handed out one by one
 *     openmp doacross         a chain of dependences inside a loop, equal for both threads
 *     openmp chain N US       N times a factorisation of tasks of US microseconds, whose updates
 *                             depend on each other
 *     openmp tiny N           N equal tasks of an atomic addition each, below what can be measured
 *     openmp stages           a loop of two threads in which one has three times as much as the
 *                             other, then three equal tasks for two threads
 *     openmp rules            a region with a static loop, most of it in one thread's half, and a
 *                             loop of 25 equal chunks, which hides none of that
 *     openmp creates          one thread executes 100 ms, then makes 40 tasks of 2 ms
 *     openmp tree             a recursion of tasks, of which clang makes two copies
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "spin.h"

static __attribute__((noinline)) long fib(int n)
{
    long x, y;
    if (n < 2)
        return n;
#pragma omp task shared(x)
    x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static __attribute__((noinline)) void barriers(int n)
{
#pragma omp parallel num_threads(1)
    for (int i = 0; i < n; i++) {
#pragma omp barrier
    }
}

static __attribute__((noinline)) void taskloop(int n, double us)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < n; i++)
        spin(us);
}

static __attribute__((noinline)) void tiny(int n)
{
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(1) shared(sum)
    for (int i = 0; i < n; i++)
#pragma omp atomic
        sum += i;
    printf("%ld\n", sum);
}

static __attribute__((noinline)) void stages(void)
{
#pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 0; i < 2; i++)
        spin(i ? 30000 : 90000);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(3)
    for (int i = 0; i < 3; i++)
        spin(50000);
}

static __attribute__((noinline)) void chain(int n, double us)
{
    int last = 0, block[6][6] = { 0 };
#pragma omp parallel
#pragma omp single
    for (int step = 0; step < n * 6; step++) {
        int k = step % 6;
#pragma omp task depend(inout : block[k][k])
        spin(us);
        for (int i = k + 1; i < 6; i++)
#pragma omp task depend(in : block[k][k]) depend(inout : block[i][k])
            spin(us);
        for (int i = k + 1; i < 6; i++)
            for (int j = k + 1; j <= i; j++)
#pragma omp task depend(in : block[i][k], block[j][k]) depend(inout : block[i][j], last)
                spin(us);
    }
}

static __attribute__((noinline)) void chunks(int n)
{
#pragma omp parallel
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < n; i++) {
        spin(2);
#pragma omp critical
        spin(8);
        spin(i % 16);
    }
}

static __attribute__((noinline)) void grain(int n)
{
#pragma omp parallel for schedule(dynamic, 100)
    for (int i = 0; i < n; i++)
        spin(500);
}

static __attribute__((noinline)) void uneven(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
        spin(i == 7 ? 140000 : 20000);
    }
}

static __attribute__((noinline)) void alone(double us) { ROUNDS(us + 1); }
static __attribute__((noinline)) void cell(void) { ROUNDS(20000); }

static __attribute__((noinline)) void beside(double us)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        alone(us);
#pragma omp for schedule(static)
        for (int i = 0; i < 16; i++)
            cell();
    }
}

static __attribute__((noinline)) void late(void) { ROUNDS(6001); }
static __attribute__((noinline)) void early(void) { ROUNDS(2001); }

static __attribute__((noinline)) void phases(int n)
{
#pragma omp parallel num_threads(2)
    for (int i = 0; i < n; i++) {
        if (omp_get_thread_num())
            early();
        else
            late();
#pragma omp barrier
    }
}

static __attribute__((noinline)) void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    spin(1000);
}

static __attribute__((noinline)) void lopsided(void)
{
    for (int i = 0; i < 40; i++)
#pragma omp parallel num_threads(2)
        spin(omp_get_thread_num() ? 10000 : 1000);
}

/* The program has parallelism enough, in the first loop. */
static __attribute__((noinline)) void regions(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 4; k++)
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
        for (int i = 0; i < 20; i++)
            spin(100);
}

static __attribute__((noinline)) void rules(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 20; i++)
            spin(i < 10 ? 20000 : 2000);
#pragma omp for schedule(dynamic, 8)
        for (int i = 0; i < 200; i++)
            spin(250);
    }
    sink = 0;                   /* the region is no jump */
}
static __attribute__((noinline)) void creates(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        spin(100000);
        for (int i = 0; i < 40; i++)
#pragma omp task
            spin(2000);
    }
    sink = 0;                   /* the region is no jump */
}
static __attribute__((noinline)) void unequal(void)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 300; i++)
        spin(1000);
#pragma omp parallel for schedule(static, 150) num_threads(2)
    for (int i = 0; i < 180; i++)
        spin(1000);
    sink = 0;                   /* the region is no jump */
}

static __attribute__((noinline)) void equal(void)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 4; i++)
        cell();
}

static __attribute__((noinline)) void doacross(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
        cell();
#pragma omp ordered depend(source)
    }
}

static void tree(int n)
{
    if (!n) {
        spin(1000);
        return;
    }
#pragma omp task
    tree(n - 1);
#pragma omp task
    tree(n - 1);
#pragma omp taskwait
}

static __attribute__((noinline)) void serialised(void)
{
#pragma omp parallel
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 400; i++)
        spin(100);
}

static __attribute__((noinline)) void inner(void)
{
    omp_set_max_active_levels(1);
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int k = 0; k < 2; k++)
#pragma omp parallel for schedule(dynamic, 1)
        for (int i = 0; i < 200; i++)
            spin(k ? 300 : 1500);
}

static __attribute__((noinline)) void clause(int n)
{
#pragma omp parallel for schedule(dynamic, 1) if (n > 1000)
    for (int i = 0; i < n; i++)
        spin(1000);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < n; i++)
        spin(300);
}

/* The longest task begins last. */
static __attribute__((noinline)) void last(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 42; i++)
#pragma omp task
            spin(3000);
#pragma omp task
        spin(120000);
    }
}

static _Alignas(64) volatile long counters[8];

static __attribute__((noinline)) void count(int me, long n)
{
    for (long i = 0; i < n; i++)
        counters[me] += i & 3;
}

static __attribute__((noinline)) void sharing(long n)
{
#pragma omp parallel num_threads(2)
    count(omp_get_thread_num(), n);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? atoi(argv[2]) : 0;
    double us = argc > 3 ? atof(argv[3]) : 0;
    calibrate();
    if (!strcmp(what, "fib")) {
        long r = 0;
#pragma omp parallel
#pragma omp single
        r = fib(n);
        printf("%ld\n", r);
    } else if (!strcmp(what, "barriers")) {
        barriers(n);
    } else if (!strcmp(what, "chunks")) {
        chunks(n);
    } else if (!strcmp(what, "grain")) {
        grain(n);
    } else if (!strcmp(what, "chain")) {
        chain(atoi(argv[2]), atof(argv[3]));
    } else if (!strcmp(what, "taskloop")) {
        taskloop(n, us);
    } else if (!strcmp(what, "beside")) {
        beside(n);
    } else if (!strcmp(what, "phases")) {
        phases(n);
    } else if (!strcmp(what, "nested")) {
        nested();
    } else if (!strcmp(what, "regions")) {
        regions();
    } else if (!strcmp(what, "serialised")) {
        serialised();
    } else if (!strcmp(what, "last")) {
        last();
    } else if (!strcmp(what, "inner")) {
        inner();
    } else if (!strcmp(what, "clause")) {
        clause(400);
    } else if (!strcmp(what, "sharing")) {
        sharing(n);
    } else if (!strcmp(what, "lopsided")) {
        lopsided();
    } else if (!strcmp(what, "unequal")) {
        unequal();
    } else if (!strcmp(what, "rules")) {
        rules();
    } else if (!strcmp(what, "creates")) {
        creates();
    } else if (!strcmp(what, "equal")) {
        equal();
    } else if (!strcmp(what, "doacross")) {
        doacross();
    } else if (!strcmp(what, "tiny")) {
        tiny(n);
    } else if (!strcmp(what, "stages")) {
        stages();
    } else if (!strcmp(what, "tree")) {
#pragma omp parallel
#pragma omp single
        tree(6);
    } else if (!strcmp(what, "uneven")) {
        uneven();
    } else {
        return 2;
    }
    return 0;
}
