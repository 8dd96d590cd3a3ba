/* common.h - what every OpenMP example shares: arguments, number of threads, a clock. */
#ifndef EXAMPLES_OPENMP_COMMON_H
#define EXAMPLES_OPENMP_COMMON_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int argument_count;
static const char *argument[8];

/* PROGRAM [-t THREADS] [value...]; anything else is one line and status 2. */
static inline void arguments(int argc, char **argv, const char *usage)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-t") && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            omp_set_num_threads(atoi(argv[++i]));
        } else if (argv[i][0] != '-' && argument_count < 8) {
            argument[argument_count++] = argv[i];
        } else {
            fprintf(stderr, "usage: %s [-t threads] %s\n", argv[0], usage);
            exit(2);
        }
    }
}

/* Argument I as a number of at least LEAST. */
static inline long number(int i, long otherwise, long least)
{
    long n = i < argument_count ? atol(argument[i]) : otherwise;
    if (n < least) {
        fprintf(stderr, "%s: at least %ld\n", argument[i], least);
        exit(2);
    }
    return n;
}

static inline int chosen(int i, const char *word)
{
    return i < argument_count && !strcmp(argument[i], word);
}

static inline void *allocated(size_t count, size_t bytes)
{
    void *p = calloc(count, bytes);
    if (!p) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}

static inline double ms_since(double start) { return (omp_get_wtime() - start) * 1e3; }

#endif
