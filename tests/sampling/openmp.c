/* openmp.c WHAT - a region, and what limits it: known functions burn CPU time, for check.sh to ask
 * the report about. Two threads. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* Functions of their own, so that samples name them; nearly all hit them and not the clock. */
#define BURNER(name)                                                                            \
    static __attribute__((noinline)) void name(double ms)                                       \
    {                                                                                           \
        static _Thread_local volatile unsigned sink;                                            \
        double until = cpu_ms() + ms;                                                           \
        while (cpu_ms() < until)                                                                \
            for (unsigned i = 0; i < 30000; i++)                                                \
                sink += i;                                                                      \
    }
BURNER(alone)
BURNER(outside)
BURNER(inside)
BURNER(uneven)
BURNER(even)
BURNER(serial)

/* What stands before the ordered blocks is on the critical path only once. */
static void in_order(void)
{
#pragma omp parallel for ordered schedule(dynamic, 1)
    for (int i = 0; i < 300; i++) {
        double ms = 0.3 + i * 7 % 10 * 0.05;
        outside(2 * ms);
#pragma omp ordered
        inside(3 * ms);
    }
}

/* Each iteration waits for the one before it, on the other thread. What stands before the wait is
 * on the critical path only once. */
static void in_turns(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 400; i++) {
        outside(0.5);
#pragma omp ordered depend(sink : i - 1)
        inside(1);
#pragma omp ordered depend(source)
    }
}

/* 3 of 3.4 ms of the critical path are alone's. Of the chunks, which take 0.4 ms, any may be on
 * it. */
static void in_rounds(void)
{
#pragma omp parallel
    for (int k = 0; k < 200; k++) {
#pragma omp single
        alone(3);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 16; i++)
            even(0.4);
    }
}

static void critical(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 60; i++) {
        outside(0.5);
#pragma omp critical
        inside(8);
    }
}

/* The program wants to know; it is not kept waiting. */
static __attribute__((noinline)) int polls(double seconds)
{
    int sum = 0;
    for (double end = omp_get_wtime() + seconds; omp_get_wtime() < end;)
        sum += omp_get_thread_num() + omp_in_parallel() + omp_get_level();
    return sum;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    omp_set_num_threads(2);
    if (!strcmp(what, "single")) {
#pragma omp parallel
#pragma omp single
        alone(400);
    } else if (!strcmp(what, "critical")) {
        critical();
    } else if (!strcmp(what, "in_order")) {
        in_order();
    } else if (!strcmp(what, "in_turns")) {
        in_turns();
    } else if (!strcmp(what, "in_rounds")) {
        in_rounds();
    } else if (!strcmp(what, "uneven")) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 32; i++)
            uneven(i * 1.5);
    } else if (!strcmp(what, "serial")) {
        serial(300);
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 40; i++)
            even(4);
    } else if (!strcmp(what, "short")) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 40; i++)
            even(5);
    } else if (!strcmp(what, "polls")) {
        int sum = 0;
#pragma omp parallel reduction(+ : sum)
        sum += polls(0.5);
        return sum < 0;
    } else {
        puts("single, critical, in_order, in_turns, in_rounds, uneven, serial, short, polls?");
        return 2;
    }
    return 0;
}
