/* own_cost.h - for own_cost.c, own_cost_tbb.cc and own_cost_thread.c: a task's body, which is a
 * fixed number of instructions, and the CPU time of what the program measures. */
#ifndef BENCH_OWN_COST_H
#define BENCH_OWN_COST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int tasks, steps;            /* how many bodies, and multiplications in each */
static __thread uint64_t product = 1;

/* Each multiplication needs the result of the one before, and the first that of the body before: a
 * processor that runs ahead would begin a body that needs nothing some 75 ns before the last has
 * ended, where it finds no hook between them. What a program loses by that is no time of hooks. */
static inline void body(void)
{
    uint64_t x = product;
    for (int i = 0; i < steps; i++)
        __asm__ volatile("imul $3, %0, %0" : "+r"(x));
    product = x;
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

struct construct {
    const char *name;
    void (*run)(void);
    int all;                        /* every thread of a team calls it */
};

/* Prints the names of the COUNT constructs C, or has START run the one that is asked for and prints
 * its CPU time, in ns. */
static int own_cost_main(int argc, char **argv, const struct construct *c, int count,
                         void (*start)(const struct construct *c, int threads))
{
    if (argc < 2)
        for (int i = 0; i < count; i++)
            puts(c[i].name);
    if (argc < 5)
        return argc >= 2;
    tasks = atoi(argv[2]);
    steps = atoi(argv[3]);
    for (int i = 0; i < count; i++) {
        if (strcmp(c[i].name, argv[1]))
            continue;
        double from = cpu_ns();
        start(&c[i], atoi(argv[4]));
        printf("%.0f\n", cpu_ns() - from);
        return 0;
    }
    return 1;
}

#endif
