/* cases.h - what the files of cases and main.c share. */
#ifndef TESTS_OPENMP_CASES_H
#define TESTS_OPENMP_CASES_H

#include <omp.h>
#include <stdlib.h>
#include "model.h"

struct omp_case {
    const char *name;
    void (*run)(void);      /* on the runtime */
    void (*expect)(void);   /* on the model; ends with closed() where there is a formula */
};
extern const struct omp_case task_cases[], depend_cases[], taskloop_cases[], region_cases[], loop_cases[], old_cases[], target_cases[];

extern int P;               /* OMP_NUM_THREADS */

void cost(long c);
void check(int holds);      /* the program computed what it should */

/* This is what the model must have found (without main's own costs): a second, independent sum. */
void closed(long work, long span);
void work_unknown(void);
void span_between(long min, long max);  /* the schedule decides */
void tasks_unknown(void);
void skip(const char *reason);

/* `parallel` and `single` around BODY, on the runtime and on the model. */
void in_single(void (*body)(void));
void m_in_single(void (*body)(void));

/* The random programs: random_run and random_expect of one seed; for_all: the same one for all compilers. */
void random_program(long seed, int for_all);
void random_run(void);
void random_expect(void);

static inline long larger(long a, long b) { return a > b ? a : b; }

#ifdef __clang__
enum { LIBOMP = 1 };
#else
enum { LIBOMP = 0 };
#endif

#endif
